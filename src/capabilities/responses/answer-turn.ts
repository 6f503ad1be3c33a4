/** Answers in the words of this wire for other doors: people's parsers know them. */
import { pay } from '#capabilities/text'
import type { PaidOptions } from '#engine/inference'
import type { EventStream, JsonText, RequestContext } from '#platform/http'
import type { Json } from './item.ts'
import { answerPaid } from './respond.ts'
import { Toolbox } from './tools.ts'

export interface TurnOptions extends Pick<PaidOptions, 'model' | 'turn' | 'tools' | 'endpoint'> {
  /** Shows what the model thinks. */
  includesReasoning: boolean
  /** What stands in the response in place of the wire's own words. */
  own: () => Json
}

/** Holds the worst case of a turn that another door has made, and answers it as a response, whole or as its events. */
export async function answerTurn(
  context: RequestContext,
  { includesReasoning, own, ...what }: TurnOptions,
): Promise<JsonText | EventStream> {
  const { model, turn } = what
  const paid = await pay(context, { ...what, showsReasoning: includesReasoning })
  return answerPaid(context, paid, {
    turn,
    tools: new Toolbox([], model),
    hosted: { uses: [], native: undefined, told: [], ignored: [] },
    body: { input: '', include_reasoning: includesReasoning, ...effort(turn.reasoning?.effort) },
    own,
  })
}

const effort = (named: string | undefined) => (named === undefined ? {} : { reasoning: { effort: named } })
