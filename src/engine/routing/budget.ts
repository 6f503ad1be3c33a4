/** How a reasoning budget, a number of tokens, reaches the upstreams of a model: as it is, as an effort, or not at all (decisions 0042). */

import type { Deployment, Model } from '#engine/models'
import type { Reasoning, Turn, Wire } from '#engine/turn'
import { wireOf } from './links.ts'

/** Efforts, the lowest first, with the smallest budget that each stands for. Those above `high` stand for none. */
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

/** Whether a turn that came by this wire can hand the number itself to the upstream. The sandbox, which names no wires, takes it. */
export function acceptsBudget({ wires, takesReasoningBudget }: Deployment, own: Wire): boolean {
  if (wires === undefined) return true
  const wire = wireOf(wires, own)
  return wire === 'messages' ? wire === own || takesReasoningBudget !== false : takesReasoningBudget === true
}

/** Whether every upstream of the model can be told of a budget, by the number or by an effort. */
export const supportsBudget = (
  { features, deployments, supportedEfforts }: Model,
  tokens: number,
  own: Wire,
) =>
  features.includes('reasoning') &&
  (effortForBudget(tokens, supportedEfforts) !== undefined ||
    deployments.every((deployment) => acceptsBudget(deployment, own)))

/** The turn with one wish: where a number is taken the number, elsewhere the effort that was named or that stands for it. */
export function withSingleBudget({ supportedEfforts }: Model, deployment: Deployment, turn: Turn): Turn {
  const { reasoning, source } = turn
  if (!reasoning?.enabled || reasoning.maxTokens === undefined) return turn
  const { maxTokens, effort, ...rest } = reasoning
  if (acceptsBudget(deployment, source.wire)) {
    // Only Anthropic's wire has room for both.
    const both = wireOf(deployment.wires ?? [source.wire], source.wire) === 'messages'
    return both ? turn : { ...turn, reasoning: { ...rest, maxTokens } }
  }
  const named = effort ?? effortForBudget(maxTokens, supportedEfforts)
  const wish: Reasoning = { ...rest, ...(named !== undefined && { effort: named }) }
  return { ...turn, reasoning: wish }
}

export interface BudgetOutcome {
  /** The effort that stands for it at some upstream. */
  mapped?: string
  /** The number that is sent, where it is not the one that was asked for. */
  clamped?: number
  /** Some upstream hears nothing of it: an effort was named beside it, or a call of a tool is forced. */
  ignored: boolean
  /** Some upstream hears nothing of the effort that was named beside it. */
  effortIgnored: boolean
}

/** Anthropic's wire knows no smaller one. */
export const smallestBudget = 1_024

/** What becomes of a budget of so many tokens within this output limit; undefined where none is asked for. */
export function budgetOutcome(
  model: Model,
  turn: Turn,
  { asked, maxOutputTokens }: { asked: number; maxOutputTokens: number },
): BudgetOutcome | undefined {
  const { reasoning, source, toolChoice } = turn
  if (!reasoning?.enabled || reasoning.maxTokens === undefined) return undefined
  const news: BudgetOutcome = { ignored: false, effortIgnored: false }
  const forced = toolChoice.type === 'required' || toolChoice.type === 'tool'
  for (const deployment of model.deployments) {
    const wire = wireOf(deployment.wires ?? [source.wire], source.wire)
    const translated = wire !== source.wire || source.body === undefined
    if (!acceptsBudget(deployment, source.wire)) {
      if (reasoning.effort !== undefined) news.ignored = true
      else news.mapped = effortForBudget(asked, model.supportedEfforts) ?? 'none'
    } else if (wire === 'messages' && translated && forced) news.ignored = true
    else {
      const least = wire === 'messages' && deployment.wires ? smallestBudget : 1
      const sent = Math.max(least, Math.min(asked, maxOutputTokens - 1))
      if (sent !== asked) news.clamped = sent
      if (wire !== 'messages' && reasoning.effort !== undefined) news.effortIgnored = true
    }
  }
  return news
}
