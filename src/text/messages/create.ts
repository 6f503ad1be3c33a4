import { type PaidTurn, type PaidTurnOptions, prepareTurn, startPaidTurn } from '#core/inference'
import {
  type FieldReport,
  payForTurn,
  readMedia,
  respondJson,
  respondStream,
  setFieldHeaders,
  settleInBackground,
  textModel,
} from '#core/text'
import type { Failure } from '#platform/errors'
import type { JsonText, PushReply, RequestContext } from '#platform/http'
import { JsonMessage, StreamedMessage } from './answer/answer.ts'
import type { MessageOptions } from './answer/event.ts'
import type { MessagesApp } from './app.ts'
import { applyCaps, fieldReportOf, withCurrentNames } from './field-report.ts'
import { fillLinks } from './request/links.ts'
import { turnOf } from './request/parse.ts'
import { showsThinking } from './request/reasoning.ts'
import type { MessagesBody } from './request/schema.ts'
import { type Dialect, dialectOf } from './versions.ts'

/** The event that this wire has for keeping an idle connection open. */
const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'

/** Answers a conversation. First the request is checked, then the worst case is held, then the upstream is called. */
export async function createMessage(
  context: RequestContext<MessagesApp, MessagesBody>,
): Promise<JsonText | PushReply> {
  const { body } = context
  const prepared = await prepareMessageTurn(context, body, dialectOf(context))
  const paid = await payForTurn(context, { ...prepared, endpoint: '/v1/messages' })
  setFieldHeaders(context, fieldReportOf(prepared, paid.maxOutputTokens))
  const message = messageOptions(context, paid, prepared.showsReasoning)
  return prepared.turn.stream
    ? respondStream(context, paid, new StreamedMessage(message), heartbeat)
    : respondJson(context, paid, new JsonMessage(message))
}

/** Parses the body and reads all its media. */
async function prepareMessageTurn(
  context: Pick<RequestContext<MessagesApp>, 'app' | 'caller' | 'gone'>,
  body: MessagesBody,
  dialect: Dialect,
) {
  const { model, turn, ...applied } = parse(context, body, dialect)
  return {
    ...applied,
    model,
    turn: await readMedia(context, model, turn, fillLinks),
    showsReasoning: showsThinking(body),
  }
}

function parse(
  { app, caller }: Pick<RequestContext<Pick<MessagesApp, 'models'>>, 'app' | 'caller'>,
  body: MessagesBody,
  dialect: Dialect,
) {
  const model = textModel(app, caller, body.model)
  const applied = applyCaps(withCurrentNames(body, model))
  return { ...applied, model, turn: turnOf(applied.body, model, dialect) }
}

/**
 * Refuses what `createMessage` would refuse, except that the targets of links and the page counts of documents are not checked yet.
 * Returns the report of what would not be applied as it was sent.
 */
export function requireAnswerable(
  context: Pick<RequestContext<Pick<MessagesApp, 'models' | 'turns'>>, 'app' | 'caller'>,
  body: MessagesBody,
  dialect: Dialect,
): FieldReport {
  const prepared = parse(context, body, dialect)
  prepareTurn(context.app.turns, prepared)
  return fieldReportOf(prepared, Math.min(body.max_tokens, prepared.model.maxOutputTokens))
}

export interface BackgroundOptions
  extends Pick<RequestContext<MessagesApp>, 'app' | 'caller' | 'gone' | 'requestId'>,
    Pick<PaidTurnOptions, 'endpoint' | 'customerId' | 'referenceId' | 'trace'> {
  body: MessagesBody
  dialect: Dialect
  /** The text that is stored if the paid call fails. */
  describeFailure: (failure: Failure) => string
}

/**
 * Answers a conversation in the background, without a waiting client: the message, or the text of `describeFailure`, is stored with
 * the settlement under `requestId`. Throws what is refused before any credits are held.
 */
export async function answerInBackground(
  options: BackgroundOptions,
): Promise<{ failure?: Failure; text: string }> {
  const { app, body, dialect, describeFailure, gone, ...rest } = options
  const prepared = await prepareMessageTurn(options, body, dialect)
  const receivedMs = app.clock.nowMs()
  const paid = await startPaidTurn(app.turns, { ...rest, ...prepared, receivedMs, background: true })
  return settleInBackground(paid, new JsonMessage(messageOptions(options, paid, prepared.showsReasoning)), {
    gone,
    describeFailure,
  })
}

function messageOptions(
  context: Pick<RequestContext<Pick<MessagesApp, 'clock'>>, 'app' | 'requestId'>,
  paid: PaidTurn,
  showsThinking: boolean,
): Omit<MessageOptions, 'isWhole'> {
  const id = `msg_${context.requestId.replaceAll('-', '')}`
  return {
    heading: () => ({ id, model: paid.model.id }),
    usageSoFar: () => paid.usage(),
    showsThinking,
    nowMs: () => context.app.clock.nowMs(),
  }
}
