import {
  type Clamped,
  clampTools,
  type HeardOn,
  inEvents,
  kept,
  nameClamped,
  nameIgnored,
  pay,
  readMedia,
  textModel,
  unheard,
  whole,
} from '#capabilities/text'
import { type PaidAsk, type PaidTurn, servedTurn, startPaidTurn } from '#engine/inference'
import type { Failure } from '#platform/errors'
import type { Ask, EventStream, JsonText } from '#platform/http'
import { forwardedFields } from '#providers/messages'
import { StreamedMessage, WholeMessage } from './answer/answer.ts'
import type { Manner } from './answer/event.ts'
import { serviceToolOf } from './request/hosted-tools.ts'
import { fillLinks } from './request/links.ts'
import { turnOf } from './request/parse.ts'
import { showsThinking } from './request/reasoning.ts'
import type { MessagesBody } from './request/schema.ts'
import { type Dialect, dialectOf } from './versions.ts'

/** Clients of this wire know an event for a silent moment. */
const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'

/** Answers a conversation: everything wrong is refused first, then the worst case is held, then the upstream is asked. */
export async function createMessage(ask: Ask<MessagesBody>): Promise<JsonText | EventStream> {
  const { body } = ask
  const asked = await askedOf(ask, body, dialectOf(ask))
  const paid = await pay(ask, { ...asked, endpoint: '/v1/messages' })
  nameIgnored(ask, [...ignoredFields(body), ...unheard(asked.model, asked.turn, { ...body }, heardOn)])
  nameClamped(ask, asked.clamped)
  const manner = mannerOf(ask, paid, asked.showsReasoning)
  return asked.turn.stream
    ? inEvents(ask, paid, new StreamedMessage(manner), heartbeat)
    : whole(ask, paid, new WholeMessage(manner))
}

/** What a body asks for, with all its media at hand. */
async function askedOf(ask: Pick<Ask, 'app' | 'caller' | 'gone'>, body: MessagesBody, dialect: Dialect) {
  const { model, turn, clamped } = parsed(ask, body, dialect)
  return {
    model,
    turn: await readMedia(ask, model, turn, fillLinks),
    clamped,
    showsReasoning: showsThinking(body),
  }
}

function parsed({ app, caller }: Pick<Ask, 'app' | 'caller'>, body: MessagesBody, dialect: Dialect) {
  const model = textModel(app, caller, body.model)
  const capped = withinCaps(body)
  return { model, turn: turnOf(capped.body, model, dialect), clamped: capped.clamped }
}

/** The body as it is applied, whatever wire it goes out by. */
function withinCaps(body: MessagesBody): { body: MessagesBody; clamped: Clamped[] } {
  const { tools, clamped } = clampTools(body.tools ?? [], (tool) => serviceToolOf(tool) !== undefined)
  return { body: clamped.length === 0 ? body : { ...body, tools: [...tools] }, clamped }
}

/**
 * Refuses what `createMessage` would refuse; only what links lead to and how long documents are is not known yet. Answers what would
 * be applied with another value.
 */
export function requireAnswerable(
  ask: Pick<Ask, 'app' | 'caller'>,
  body: MessagesBody,
  dialect: Dialect,
): Clamped[] {
  const asked = parsed(ask, body, dialect)
  servedTurn(ask.app, asked)
  return asked.clamped
}

export interface BackgroundAsk
  extends Pick<Ask, 'app' | 'caller' | 'gone' | 'requestId'>,
    Pick<PaidAsk, 'endpoint' | 'customerId' | 'referenceId' | 'trail'> {
  body: MessagesBody
  dialect: Dialect
  /** What the work is told of a failure of its paid call. */
  told: (failure: Failure) => string
}

/**
 * Answers a conversation for nobody who waits: the message, or what is told of the failure, is kept with the settlement under
 * `requestId`. Throws what is refused before anything is held.
 */
export async function answerInBackground(ask: BackgroundAsk): Promise<{ failure?: Failure; text: string }> {
  const { app, body, dialect, told, ...rest } = ask
  const asked = await askedOf(ask, body, dialect)
  const receivedMs = app.clock.nowMs()
  const paid = await startPaidTurn(app, { ...rest, ...asked, receivedMs, background: true })
  return kept(paid, new WholeMessage(mannerOf(ask, paid, asked.showsReasoning)), told)
}

/** What of a message means nothing to a model whose upstream speaks another wire. */
const heardOn: HeardOn = {
  cache_control: ['messages'],
  context_management: ['messages'],
  metadata: ['messages'],
}

/** Fields that go to no upstream: they would change the price, or rest on what it keeps. */
const ignoredFields = (body: MessagesBody): string[] =>
  Object.keys(body).filter((field) => !forwardedFields.has(field))

function mannerOf(ask: Pick<Ask, 'app' | 'requestId'>, paid: PaidTurn, showsThinking: boolean): Manner {
  const id = `msg_${ask.requestId.replaceAll('-', '')}`
  return {
    heading: () => ({ id, model: paid.model.id }),
    guess: () => paid.usage(),
    showsThinking,
    nowMs: () => ask.app.clock.nowMs(),
  }
}
