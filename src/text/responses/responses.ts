/** `POST /v1/responses`: items as OpenAI's Responses API has them, pictures and hosted tools included. */
import { referenceHeaders } from '#core/calls'
import { textFailures } from '#core/text'
import { imageFailures } from '#media/images'
import type { Route } from '#platform/http'
import { type ResponsesApp, route } from './app.ts'
import { ImageBody } from './image-schema.ts'
import { respond } from './respond.ts'
import { ResponseObject, ResponsesBody } from './schema.ts'

/** Bytes of a whole body, media included, as on chat (contract section 8: 4 MB). */
const bodyLimit = 4 * 1024 * 1024

const routes: Route<ResponsesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/responses',
    operation: 'responses.create',
    scope: 'responses:write',
    orScope: 'studio:write',
    summary: {
      en: 'Answer an input of messages, calls and reasoning, whole or as a stream of items; with an image model, draw a picture.',
      fa: 'پاسخ به ورودی‌ای از پیام، فراخوانی و استدلال، یک‌جا یا جریانی از اقلام؛ با مدل تصویر، کشیدن تصویر.',
    },
    models: ({ kind }) => kind === 'text' || kind === 'image',
    idempotent: true,
    unknownFields: 'tolerate',
    bodyLimit,
    exactNumbers: true,
    streams: true,
    headers: referenceHeaders,
    body: ResponsesBody,
    otherBody: ImageBody,
    reply: { 200: ResponseObject },
    errors: [...textFailures, ...imageFailures, 'HOSTED_TOOL_NOT_CONFIGURED'],
    handle: respond,
  }),
]

export { answerTurn } from './answer-turn.ts'
export { defaultOutputTokens } from './respond.ts'
export { ResponseObject } from './schema.ts'

export const responses = { name: 'responses', routes }
