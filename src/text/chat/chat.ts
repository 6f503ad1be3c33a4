/** `POST /v1/chat/completions`: conversations as OpenAI's clients request them, whole or as a stream. */
import { modelsOfKind, referenceHeaders } from '#core/calls'
import { type ModelRequestApp, textFailures } from '#core/text'
import type { Route } from '#platform/http'
import { route } from './app.ts'
import { complete } from './complete.ts'
import { ChatBody, ChatCompletion } from './schema.ts'

/** Bytes of a whole body, media included (contract section 8: 4 MB). */
const bodyLimit = 4 * 1024 * 1024

const routes: Route<ModelRequestApp>[] = [
  route({
    method: 'POST',
    path: '/v1/chat/completions',
    operation: 'chat.complete',
    scope: 'responses:write',
    summary: { en: 'Answer a conversation, whole or as a stream.', fa: 'پاسخ به یک گفت‌وگو، یک‌جا یا جریانی.' },
    models: modelsOfKind('text'),
    idempotent: true,
    unknownFields: 'tolerate',
    exactNumbers: true,
    bodyLimit,
    streams: true,
    headers: referenceHeaders,
    body: ChatBody,
    reply: { 200: ChatCompletion },
    errors: textFailures,
    handle: complete,
  }),
]

export const chat = { name: 'chat', routes }
