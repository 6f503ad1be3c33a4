/**
 * How a reasoning budget, a number of tokens, is sent to the upstreams of a model: as it is, as an effort, or not at all
 * (docs/decisions/text/reasoning.md).
 */

import type { Deployment, Model } from '#core/models'
import type { Reasoning, Turn, Wire } from '#core/turn'
import { chooseWire } from './links.ts'

/** Efforts, lowest first, with the smallest budget that maps to each. No budget maps to those above `high`. */
const efforts: readonly [effort: string, fromTokens: number][] = [
  ['minimal', 1],
  ['low', 1_024],
  ['medium', 4_096],
  ['high', 16_384],
  ['xhigh', Number.POSITIVE_INFINITY],
  ['max', Number.POSITIVE_INFINITY],
]

/** A budget is a bound, so the effort is never above it while the model has a lower one; undefined for a model without efforts. */
export function effortForBudget(tokens: number, supported: readonly string[]): string | undefined {
  const known = efforts.filter(([effort]) => supported.includes(effort))
  return (known.findLast(([, from]) => from <= tokens) ?? known[0])?.[0]
}

/** Whether a turn received on wire `own` can send the number itself to the upstream. The sandbox, without wires, accepts it. */
export function acceptsBudget({ wires, takesReasoningBudget }: Deployment, own: Wire): boolean {
  if (wires === undefined) return true
  const wire = chooseWire(wires, own)
  return wire === 'messages' ? wire === own || takesReasoningBudget !== false : takesReasoningBudget === true
}

/** Whether every upstream of the model can be sent a budget, as a number or as an effort. */
export const supportsBudget = (
  { features, deployments, supportedEfforts }: Model,
  tokens: number,
  own: Wire,
) =>
  features.includes('reasoning') &&
  (effortForBudget(tokens, supportedEfforts) !== undefined ||
    deployments.every((deployment) => acceptsBudget(deployment, own)))

/** The turn with either budget or effort: the number if the deployment accepts it, else the requested effort or the one it maps to. */
export function withSingleBudget({ supportedEfforts }: Model, deployment: Deployment, turn: Turn): Turn {
  const { reasoning, source } = turn
  if (!reasoning?.enabled || reasoning.maxTokens === undefined) return turn
  const { maxTokens, effort, ...rest } = reasoning
  if (acceptsBudget(deployment, source.wire)) {
    // Only Anthropic's wire has room for both.
    const both = chooseWire(deployment.wires ?? [source.wire], source.wire) === 'messages'
    return both ? turn : { ...turn, reasoning: { ...rest, maxTokens } }
  }
  const named = effort ?? effortForBudget(maxTokens, supportedEfforts)
  const resolved: Reasoning = { ...rest, ...(named !== undefined && { effort: named }) }
  return { ...turn, reasoning: resolved }
}

export interface BudgetOutcome {
  /** The effort to which the budget is mapped at some upstream. */
  mapped?: string
  /** The number that is sent, if it differs from the requested one. */
  clamped?: number
  /** True if the budget is not sent to some upstream: an effort was requested too, or a tool call is forced. */
  ignored: boolean
  /** True if the effort requested together with the budget is not sent to some upstream. */
  effortIgnored: boolean
}

/** The smallest budget of Anthropic's wire. */
export const smallestBudget = 1_024

/** How a budget of `asked` tokens is sent within this output limit; undefined when none is requested. */
export function budgetOutcome(
  model: Model,
  turn: Turn,
  { asked, maxOutputTokens }: { asked: number; maxOutputTokens: number },
): BudgetOutcome | undefined {
  const { reasoning, source, toolChoice } = turn
  if (!reasoning?.enabled || reasoning.maxTokens === undefined) return undefined
  const outcome: BudgetOutcome = { ignored: false, effortIgnored: false }
  const forced = toolChoice.type === 'required' || toolChoice.type === 'tool'
  for (const deployment of model.deployments) {
    const wire = chooseWire(deployment.wires ?? [source.wire], source.wire)
    const translated = wire !== source.wire || source.body === undefined
    if (!acceptsBudget(deployment, source.wire)) {
      if (reasoning.effort !== undefined) outcome.ignored = true
      else outcome.mapped = effortForBudget(asked, model.supportedEfforts) ?? 'none'
    } else if (wire === 'messages' && translated && forced) outcome.ignored = true
    else {
      const least = wire === 'messages' && deployment.wires ? smallestBudget : 1
      const sent = Math.max(least, Math.min(asked, maxOutputTokens - 1))
      if (sent !== asked) outcome.clamped = sent
      if (wire !== 'messages' && reasoning.effort !== undefined) outcome.effortIgnored = true
    }
  }
  return outcome
}
