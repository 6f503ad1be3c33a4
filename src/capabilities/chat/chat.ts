import { upstreamFailures } from '#engine/inference'
import { type Route, route } from '#platform/http'
import { complete } from './complete.ts'
import { ChatBody, ChatCompletion, Reference } from './schema.ts'
import './words.ts'

/** Bytes of a whole body, media included (contract section 8: 4 MB). */
const bodyLimit = 4 * 1024 * 1024

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/chat/completions',
    operation: 'chat.complete',
    scope: 'responses:write',
    summary: { en: 'Answer a conversation, whole or as a stream.', fa: 'پاسخ به یک گفت‌وگو، یک‌جا یا جریانی.' },
    idempotent: true,
    unknownFields: 'tolerate',
    bodyLimit,
    streams: true,
    headers: { 'X-Customer-ID': Reference, 'X-Reference-ID': Reference },
    body: ChatBody,
    reply: { 200: ChatCompletion },
    errors: [
      'MODEL_NOT_FOUND',
      'MODEL_NOT_ALLOWED',
      'MODEL_KIND_MISMATCH',
      'FEATURE_NOT_SUPPORTED',
      'INPUT_MODALITY_NOT_SUPPORTED',
      'INVALID_MEDIA',
      'REASONING_EFFORT_CONFLICT',
      'REASONING_NOT_SUPPORTED',
      'INSUFFICIENT_CREDITS',
      'BUDGET_EXCEEDED',
      'RATE_LIMITED',
      'CONCURRENCY_LIMITED',
      ...upstreamFailures,
    ],
    handle: complete,
  }),
]

export const chat = { name: 'chat', routes }
