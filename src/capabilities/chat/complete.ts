import { inEvents, nameIgnored, pay, readMedia, textModel, whole } from '#capabilities/text'
import type { PaidTurn } from '#engine/inference'
import type { Ask, EventStream, JsonText } from '#platform/http'
import { forwardedFields } from '#providers/chat-completions'
import { Chunks } from './chunks.ts'
import { completionOf, Gathered, type Heading } from './completion.ts'
import { fillLinks } from './links.ts'
import { turnOf } from './parse.ts'
import { ChatBody } from './schema.ts'

/** Answers a chat: everything wrong is refused first, then the worst case is held, then the upstream is asked. */
export async function complete(ask: Ask<ChatBody>): Promise<JsonText | EventStream> {
  const { body } = ask
  const model = textModel(ask.app, ask.caller, body.model)
  const turn = await readMedia(ask, model, turnOf(body, model), fillLinks)
  const showsReasoning = body.include_reasoning === true && body.reasoning?.exclude !== true
  const paid = await pay(ask, { model, turn, showsReasoning, endpoint: '/v1/chat/completions' })
  nameIgnored(ask, ignoredFields(body))
  const heading = headingOf(ask, paid)
  if (!turn.stream) {
    const gathered = new Gathered(showsReasoning)
    return whole(ask, paid, {
      add: (part) => gathered.add(part),
      body: (usage) => completionOf(heading(), gathered, usage),
    })
  }
  const withUsage = body.stream_options?.include_usage === true
  return inEvents(ask, paid, new Chunks(heading, { showReasoning: showsReasoning, withUsage }))
}

const used = new Set([...Object.keys(ChatBody.properties), ...forwardedFields])

/** Fields that were sent and have no effect. */
const ignoredFields = (body: ChatBody): string[] => Object.keys(body).filter((field) => !used.has(field))

function headingOf(ask: Ask, paid: PaidTurn): () => Heading {
  const id = `chatcmpl-${ask.requestId.replaceAll('-', '')}`
  const created = Math.floor(ask.receivedMs / 1000)
  return () => ({ id, created, model: paid.model.id })
}
