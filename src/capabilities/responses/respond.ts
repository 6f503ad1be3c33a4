import { inEvents, nameIgnored, pay, textModel, whole } from '#capabilities/text'
import type { PaidTurn } from '#engine/inference'
import type { Ask, EventStream, JsonText } from '#platform/http'
import { forwardedFields } from '#providers/responses'
import { type Parsed, turnOf } from './parse.ts'
import type { Terms } from './response.ts'
import { ResponsesBody } from './schema.ts'
import { ResponseEvents, WholeResponse } from './written.ts'

/** Answers an input: everything wrong is refused first, then the worst case is held, then the upstream is asked. */
export async function respond(ask: Ask<ResponsesBody>): Promise<JsonText | EventStream> {
  const { body } = ask
  const model = textModel(ask.app, ask.caller, body.model)
  const parsed = turnOf(body, model)
  const { turn, tools } = parsed
  const includesReasoning = body.include_reasoning === true
  const showsReasoning = includesReasoning || body.reasoning?.summary != null
  const paid = await pay(ask, { model, turn, showsReasoning, endpoint: '/v1/responses' })
  nameIgnored(ask, [...ignoredFields(body), ...tools.dropped])
  const terms = { ...termsOf(ask, parsed, paid), includesReasoning, showsReasoning }
  return turn.stream
    ? inEvents(ask, paid, new ResponseEvents(terms))
    : whole(ask, paid, new WholeResponse(terms))
}

const used = new Set([...Object.keys(ResponsesBody.properties), ...forwardedFields])

/** Fields that were sent and have no effect. */
const ignoredFields = (body: ResponsesBody): string[] => Object.keys(body).filter((field) => !used.has(field))

function termsOf(
  { app, body, requestId, receivedMs }: Ask<ResponsesBody>,
  { tools }: Parsed,
  paid: PaidTurn,
): Omit<Terms, 'includesReasoning' | 'showsReasoning'> {
  return {
    body,
    tools,
    hex: requestId.replaceAll('-', ''),
    createdAt: Math.floor(receivedMs / 1000),
    maxOutputTokens: paid.maxOutputTokens,
    model: () => paid.model.id,
    now: () => Math.floor(app.clock.nowMs() / 1000),
    seals: body.include?.includes('reasoning.encrypted_content') ?? false,
  }
}
