/** `POST /v1/messages`: conversations as Anthropic's clients request them, token counts, and batches (docs/decisions/text/wires.md). */
import { apiKeyHeader, modelsOfKind, referenceHeaders } from '#core/calls'
import { textFailures } from '#core/text'
import { fail } from '#platform/errors'
import type { Route } from '#platform/http'
import { MessageReply } from './answer/schema.ts'
import { type MessagesApp, route } from './app.ts'
import { cancelJob, tidyJob } from './batches/end.ts'
import { batchRoutes } from './batches/routes.ts'
import { rowJob } from './batches/row.ts'
import { createMessage } from './create.ts'
import { Betas, MessagesBody, Version } from './request/schema.ts'
import './phrases.ts'

/** Bytes of a whole body, media included (contract section 8: 4 MB). */
const bodyLimit = 4 * 1024 * 1024

const routes: Route<MessagesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/messages',
    operation: 'messages.create',
    scope: 'responses:write',
    keySources: [apiKeyHeader],
    summary: {
      en: 'Answer a conversation in the messages format, whole or as a stream.',
      fa: 'پاسخ به پیام‌ها در قالب Messages، یک‌جا یا جریانی.',
    },
    models: modelsOfKind('text'),
    idempotent: true,
    bodyLimit,
    exactNumbers: true,
    streams: true,
    headers: { 'anthropic-version': Version, 'anthropic-beta': Betas, ...referenceHeaders },
    requiredHeaders: ['anthropic-version'],
    body: MessagesBody,
    reply: { 200: MessageReply },
    errors: [...textFailures, 'HOSTED_TOOL_NOT_CONFIGURED'],
    handle: createMessage,
  }),
  route({
    method: 'POST',
    path: '/v1/messages/count_tokens',
    operation: 'messages.countTokens',
    writes: 'nothing',
    scope: 'any',
    keySources: [apiKeyHeader],
    summary: {
      en: 'Always 503: tokens are not counted ahead of a request. Nothing is generated or charged.',
      fa: 'همیشه ۵۰۳: توکن‌ها پیش از درخواست شمرده نمی‌شوند. چیزی تولید یا هزینه نمی‌شود.',
    },
    reply: {},
    errors: ['TOKEN_COUNTING_UNAVAILABLE'],
    handle: () => fail('TOKEN_COUNTING_UNAVAILABLE', {}),
  }),
  ...batchRoutes,
]

export { batchesHolding } from './holding.ts'

export const messages = { name: 'messages', routes, jobs: [rowJob, cancelJob, tidyJob] }
