import {
  type FieldReport,
  pay,
  readMedia,
  respondJson,
  respondStream,
  setFieldHeaders,
  settleInBackground,
  textModel,
} from '#capabilities/text'
import { type PaidOptions, type PaidTurn, prepareTurn, startPaidTurn } from '#engine/inference'
import type { Failure } from '#platform/errors'
import type { EventStream, JsonText, RequestContext } from '#platform/http'
import { StreamedMessage, WholeMessage } from './answer/answer.ts'
import type { Manner } from './answer/event.ts'
import { fieldReportOf, inNewWords, withinCaps } from './field-report.ts'
import { fillLinks } from './request/links.ts'
import { turnOf } from './request/parse.ts'
import { showsThinking } from './request/reasoning.ts'
import type { MessagesBody } from './request/schema.ts'
import { type Dialect, dialectOf } from './versions.ts'

/** Clients of this wire know an event for a silent moment. */
const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'

/** Answers a conversation: everything wrong is refused first, then the worst case is held, then the upstream is asked. */
export async function createMessage(context: RequestContext<MessagesBody>): Promise<JsonText | EventStream> {
  const { body } = context
  const asked = await askedOf(context, body, dialectOf(context))
  const paid = await pay(context, { ...asked, endpoint: '/v1/messages' })
  setFieldHeaders(context, fieldReportOf(asked, paid.maxOutputTokens))
  const manner = mannerOf(context, paid, asked.showsReasoning)
  return asked.turn.stream
    ? respondStream(context, paid, new StreamedMessage(manner), heartbeat)
    : respondJson(context, paid, new WholeMessage(manner))
}

/** What a body asks for, with all its media at hand. */
async function askedOf(
  context: Pick<RequestContext, 'app' | 'caller' | 'gone'>,
  body: MessagesBody,
  dialect: Dialect,
) {
  const { model, turn, ...applied } = parsed(context, body, dialect)
  return {
    ...applied,
    model,
    turn: await readMedia(context, model, turn, fillLinks),
    showsReasoning: showsThinking(body),
  }
}

function parsed(
  { app, caller }: Pick<RequestContext, 'app' | 'caller'>,
  body: MessagesBody,
  dialect: Dialect,
) {
  const model = textModel(app, caller, body.model)
  const applied = withinCaps(inNewWords(body, model))
  return { ...applied, model, turn: turnOf(applied.body, model, dialect) }
}

/**
 * Refuses what `createMessage` would refuse; only what links lead to and how long documents are is not known yet. Answers what would
 * not be applied as it was sent.
 */
export function requireAnswerable(
  context: Pick<RequestContext, 'app' | 'caller'>,
  body: MessagesBody,
  dialect: Dialect,
): FieldReport {
  const asked = parsed(context, body, dialect)
  prepareTurn(context.app, asked)
  return fieldReportOf(asked, Math.min(body.max_tokens, asked.model.maxOutputTokens))
}

export interface BackgroundOptions
  extends Pick<RequestContext, 'app' | 'caller' | 'gone' | 'requestId'>,
    Pick<PaidOptions, 'endpoint' | 'customerId' | 'referenceId' | 'trail'> {
  body: MessagesBody
  dialect: Dialect
  /** What the work is told of a failure of its paid call. */
  told: (failure: Failure) => string
}

/**
 * Answers a conversation for nobody who waits: the message, or what is told of the failure, is kept with the settlement under
 * `requestId`. Throws what is refused before anything is held.
 */
export async function answerInBackground(
  options: BackgroundOptions,
): Promise<{ failure?: Failure; text: string }> {
  const { app, body, dialect, told, ...rest } = options
  const asked = await askedOf(options, body, dialect)
  const receivedMs = app.clock.nowMs()
  const paid = await startPaidTurn(app, { ...rest, ...asked, receivedMs, background: true })
  return settleInBackground(paid, new WholeMessage(mannerOf(options, paid, asked.showsReasoning)), told)
}

function mannerOf(
  context: Pick<RequestContext, 'app' | 'requestId'>,
  paid: PaidTurn,
  showsThinking: boolean,
): Manner {
  const id = `msg_${context.requestId.replaceAll('-', '')}`
  return {
    heading: () => ({ id, model: paid.model.id }),
    guess: () => paid.usage(),
    showsThinking,
    nowMs: () => context.app.clock.nowMs(),
  }
}
