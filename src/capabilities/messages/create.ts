import { inEvents, nameIgnored, pay, textModel, whole } from '#capabilities/text'
import type { PaidTurn } from '#engine/inference'
import type { Ask, EventStream, JsonText } from '#platform/http'
import { forwardedFields } from '#providers/messages'
import { StreamedMessage, WholeMessage } from './answer/answer.ts'
import type { Manner } from './answer/event.ts'
import { turnOf } from './request/parse.ts'
import { showsThinking } from './request/reasoning.ts'
import type { MessagesBody } from './request/schema.ts'
import { dialectOf } from './versions.ts'

/** Clients of this wire know an event for a silent moment. */
const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'

/** Answers a conversation: everything wrong is refused first, then the worst case is held, then the upstream is asked. */
export async function createMessage(ask: Ask<MessagesBody>): Promise<JsonText | EventStream> {
  const { body } = ask
  const dialect = dialectOf(ask)
  const model = textModel(ask.app, ask.caller, body.model)
  const turn = turnOf(body, model, dialect)
  const showsReasoning = showsThinking(body)
  const paid = await pay(ask, { model, turn, showsReasoning, endpoint: '/v1/messages' })
  nameIgnored(ask, ignoredFields(body))
  const manner = mannerOf(ask, paid, showsReasoning)
  return turn.stream
    ? inEvents(ask, paid, new StreamedMessage(manner), heartbeat)
    : whole(ask, paid, new WholeMessage(manner))
}

/** Fields that go to no upstream: they would change the price, or rest on what it keeps. */
const ignoredFields = (body: MessagesBody): string[] =>
  Object.keys(body).filter((field) => !forwardedFields.has(field))

function mannerOf(ask: Ask, paid: PaidTurn, showsThinking: boolean): Manner {
  const id = `msg_${ask.requestId.replaceAll('-', '')}`
  return { heading: () => ({ id, model: paid.model.id }), guess: () => paid.usage(), showsThinking }
}
