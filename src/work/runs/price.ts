/** The worst case of a run, which is held before it begins. */
import { boundTurn, type TurnApp, worstCaseOf } from '#core/inference'
import { costOfLines, type Model, noCost } from '#core/models'
import type { HostedTool } from '#core/tools'
import type { Plan } from '#work/pipelines'

/** The template around the messages of a prompt, which a plan does not include. */
const templateBytes = 1_024

/** The worst case of a plan in micro-credits. `allowed`: the models that the caller's key may use. */
export function worstCaseOfPlan(
  app: Pick<TurnApp, 'config' | 'inference' | 'tools'>,
  { model, allowed }: { model: Model; allowed: ReadonlySet<string> | undefined },
  { asks, searches, reads }: Plan,
): bigint {
  const questions = asks.reduce((sum, { count, promptBytes, maxOutputTokens }) => {
    const turn = boundTurn(promptBytes + templateBytes, maxOutputTokens, model)
    return sum + BigInt(count) * worstCaseOf(app, { model, turn, allowed }).microcredits
  }, 0n)
  return (
    questions + BigInt(searches) * toolPrice(app, 'web_search') + BigInt(reads) * toolPrice(app, 'web_fetch')
  )
}

/** The cost of one use of a hosted tool for a step, and how the use is counted. */
export const toolUsage = ({ price, unit }: HostedTool) => ({
  cost: price === 0n ? noCost : costOfLines([{ unit: unit ?? 'uses', quantity: 1, price }]),
  ...(unit !== undefined && { detail: { quantities: { [unit]: 1 } } }),
})

/** Micro-credits of one use; 0 if the tool is not configured. */
export const toolPrice = ({ tools }: Pick<TurnApp, 'tools'>, tool: 'web_search' | 'web_fetch'): bigint =>
  tools.find(tool)?.price ?? 0n
