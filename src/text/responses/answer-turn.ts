/** Answers in the format of this wire for other routes (agents), because clients already have parsers for it. */

import type { PaidTurnOptions } from '#core/inference'
import { payForTurn } from '#core/text'
import type { EventStream, JsonText, RequestContext } from '#platform/http'
import type { ResponsesApp } from './app.ts'
import type { ResponseJson } from './item.ts'
import { respondTurn } from './respond.ts'
import { Toolbox } from './tools.ts'

export interface TurnOptions extends Pick<PaidTurnOptions, 'model' | 'turn' | 'tools' | 'endpoint'> {
  /** Shows the model's reasoning. */
  includesReasoning: boolean
  /** Fields that replace those of the response. */
  overrides: () => ResponseJson
}

/** Holds the worst case of a turn that another route has built, and answers it as a response, in JSON or as events. */
export async function answerTurn(
  context: RequestContext<Pick<ResponsesApp, 'clock' | 'config' | 'log' | 'turns'>>,
  { includesReasoning, overrides, ...what }: TurnOptions,
): Promise<JsonText | EventStream> {
  const { model, turn } = what
  const paid = await payForTurn(context, { ...what, showsReasoning: includesReasoning })
  return respondTurn(context, paid, {
    turn,
    tools: new Toolbox([], model),
    hosted: { uses: [], native: undefined, echoed: [], ignored: [] },
    body: { input: '', include_reasoning: includesReasoning, ...effort(turn.reasoning?.effort) },
    overrides,
  })
}

const effort = (named: string | undefined) => (named === undefined ? {} : { reasoning: { effort: named } })
