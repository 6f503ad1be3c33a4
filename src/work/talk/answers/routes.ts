import { Type } from 'typebox'
import { modelFailures, modelsOfKind, paymentFailures } from '#core/calls'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { TalkMessage } from '../schema.ts'
import { type AnswersApp, route } from './app.ts'
import { estimate } from './estimate.ts'
import { streamAnswer } from './events.ts'
import { AnswerBody, Estimate, EstimateBody, MessageBody, MessageParams } from './schema.ts'
import { answerAgain, sendMessage } from './send.ts'
import { stopAnswer } from './stop.ts'

const path = '/v1/talk/messages'
const scope = 'talk'
/** Errors of building a turn: of files, and of what a model does not take. */
const turnFailures: FailureCode[] = [
  ...modelFailures,
  'NOT_FOUND',
  'CONTEXT_LENGTH_EXCEEDED',
  'FEATURE_NOT_SUPPORTED',
  'FILE_LOST',
  'FILE_NOT_FOUND',
  'HOSTED_TOOL_NOT_CONFIGURED',
  'INPUT_MODALITY_NOT_SUPPORTED',
  'INVALID_MEDIA',
  'REASONING_NOT_SUPPORTED',
  'TOO_MUCH_IN_FLIGHT',
]
const answerFailures: FailureCode[] = [
  ...turnFailures,
  ...paymentFailures,
  'CONVERSATION_FULL',
  'MESSAGE_ID_TAKEN',
]

export const answerRoutes: Route<AnswersApp>[] = [
  route({
    method: 'POST',
    path,
    operation: 'talk.send',
    scope,
    pays: true,
    summary: {
      en: 'Send a message in Talk; its answer begins, and goes on whoever reads it.',
      fa: 'فرستادن پیام در گفت‌وگو؛ پاسخ آغاز می‌شود و بی‌نیاز به خواننده پیش می‌رود.',
    },
    models: modelsOfKind('text'),
    bodyLimit: 2 * 1024 * 1024,
    body: MessageBody,
    reply: { 201: Type.Object({ message: TalkMessage, answer: TalkMessage }) },
    errors: answerFailures,
    handle: sendMessage,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/answers`,
    operation: 'talk.answer',
    scope,
    pays: true,
    summary: { en: 'Answer a message once more.', fa: 'یک پاسخ دیگر به همان پیام.' },
    models: modelsOfKind('text'),
    params: MessageParams,
    body: AnswerBody,
    reply: { 201: Type.Object({ answer: TalkMessage }) },
    errors: answerFailures,
    handle: answerAgain,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/stop`,
    operation: 'talk.stop',
    scope,
    writes: 'nothing',
    summary: {
      en: 'Stop an answer; what came is kept and charged.',
      fa: 'توقف پاسخ؛ آنچه رسیده می‌ماند و هزینهٔ همان کم می‌شود.',
    },
    params: MessageParams,
    reply: { 200: TalkMessage },
    errors: ['NOT_FOUND'],
    handle: stopAnswer,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}/events`,
    operation: 'talk.events',
    scope,
    summary: {
      en: 'An answer as events: its parts as they come, and then the message.',
      fa: 'پاسخ به شکل رویداد: بخش‌هایش هم‌زمان با رسیدن، و سپس خود پیام.',
    },
    streams: true,
    params: MessageParams,
    headers: {
      'Last-Event-ID': Type.String({
        maxLength: 15,
        description: 'The id of the last event that was received; what follows it is sent.',
        'x-description-fa': 'شناسهٔ آخرین رویدادی که رسیده است؛ ادامهٔ آن فرستاده می‌شود.',
      }),
    },
    reply: { 200: 'text/event-stream' },
    errors: ['NOT_FOUND'],
    handle: streamAnswer,
  }),
  route({
    method: 'POST',
    path: '/v1/talk/estimate',
    operation: 'talk.estimate',
    scope,
    writes: 'nothing',
    summary: { en: 'The most that an answer can cost; free.', fa: 'بیشترین هزینهٔ ممکن یک پاسخ؛ رایگان.' },
    models: modelsOfKind('text'),
    bodyLimit: 2 * 1024 * 1024,
    body: EstimateBody,
    reply: { 200: Estimate },
    errors: turnFailures,
    handle: estimate,
  }),
]
