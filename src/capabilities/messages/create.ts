import { inEvents, kept, type News, pay, readMedia, tellNews, textModel, whole } from '#capabilities/text'
import { type PaidAsk, type PaidTurn, servedTurn, startPaidTurn } from '#engine/inference'
import type { Failure } from '#platform/errors'
import type { Ask, EventStream, JsonText } from '#platform/http'
import { StreamedMessage, WholeMessage } from './answer/answer.ts'
import type { Manner } from './answer/event.ts'
import { inNewWords, newsOf, withinCaps } from './news.ts'
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
  tellNews(ask, newsOf(asked, paid.maxOutputTokens))
  const manner = mannerOf(ask, paid, asked.showsReasoning)
  return asked.turn.stream
    ? inEvents(ask, paid, new StreamedMessage(manner), heartbeat)
    : whole(ask, paid, new WholeMessage(manner))
}

/** What a body asks for, with all its media at hand. */
async function askedOf(ask: Pick<Ask, 'app' | 'caller' | 'gone'>, body: MessagesBody, dialect: Dialect) {
  const { model, turn, ...applied } = parsed(ask, body, dialect)
  return {
    ...applied,
    model,
    turn: await readMedia(ask, model, turn, fillLinks),
    showsReasoning: showsThinking(body),
  }
}

function parsed({ app, caller }: Pick<Ask, 'app' | 'caller'>, body: MessagesBody, dialect: Dialect) {
  const model = textModel(app, caller, body.model)
  const applied = withinCaps(inNewWords(body, model))
  return { ...applied, model, turn: turnOf(applied.body, model, dialect) }
}

/**
 * Refuses what `createMessage` would refuse; only what links lead to and how long documents are is not known yet. Answers what would
 * not be applied as it was sent.
 */
export function requireAnswerable(
  ask: Pick<Ask, 'app' | 'caller'>,
  body: MessagesBody,
  dialect: Dialect,
): News {
  const asked = parsed(ask, body, dialect)
  servedTurn(ask.app, asked)
  return newsOf(asked, Math.min(body.max_tokens, asked.model.maxOutputTokens))
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

function mannerOf(ask: Pick<Ask, 'app' | 'requestId'>, paid: PaidTurn, showsThinking: boolean): Manner {
  const id = `msg_${ask.requestId.replaceAll('-', '')}`
  return {
    heading: () => ({ id, model: paid.model.id }),
    guess: () => paid.usage(),
    showsThinking,
    nowMs: () => ask.app.clock.nowMs(),
  }
}
