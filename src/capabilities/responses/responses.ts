import { referenceHeaders, textFailures } from '#capabilities/text'
import { type Route, route } from '#platform/http'
import { respond } from './respond.ts'
import { ResponseObject, ResponsesBody } from './schema.ts'

/** Bytes of a whole body, media included, as on chat (contract section 8: 4 MB). */
const bodyLimit = 4 * 1024 * 1024

const routes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/responses',
    operation: 'responses.create',
    scope: 'responses:write',
    summary: {
      en: 'Answer an input of messages, calls and reasoning, whole or as a stream of items.',
      fa: 'پاسخ به ورودی‌ای از پیام، فراخوانی و استدلال، یک‌جا یا جریانی از اقلام.',
    },
    idempotent: true,
    unknownFields: 'tolerate',
    bodyLimit,
    streams: true,
    headers: referenceHeaders,
    body: ResponsesBody,
    reply: { 200: ResponseObject },
    errors: textFailures,
    handle: respond,
  }),
]

export const responses = { name: 'responses', routes }
