/** A reasoning budget: a number of tokens that a model may think (decisions 0042). */
import type { Applied } from '#capabilities/calls'
import type { Model } from '#engine/models'
import { budgetOutcome, supportsBudget } from '#engine/routing'
import type { Reasoning, Turn, Wire } from '#engine/turn'
import { fail } from '#platform/errors'
import { reasons } from './phrases.ts'

/** The object that chat and Responses have for wishes about thinking. */
interface Wish {
  effort?: string | null
  max_tokens?: number | null
  enabled?: boolean
}

interface BudgetOptions {
  reasoning?: Wish | null | undefined
  reasoning_effort?: string | null | undefined
}

const param = 'reasoning.max_tokens'

/** The budget of chat and Responses. Throws REASONING_BUDGET_CONFLICT, REASONING_NOT_SUPPORTED and INVALID_REQUEST. */
export function budgetOf(
  model: Model,
  wire: Wire,
  { reasoning, reasoning_effort: flat }: BudgetOptions,
  limit: { tokens: number | undefined; name: string },
): number | undefined {
  const budget = reasoning?.max_tokens ?? undefined
  if (budget === undefined) return undefined
  requireBudget(model, budget, wire, param)
  const others = {
    'reasoning.effort': reasoning?.effort != null,
    reasoning_effort: flat != null,
    'reasoning.enabled': reasoning?.enabled === false,
  }
  for (const [other, stands] of Object.entries(others))
    if (stands) fail('REASONING_BUDGET_CONFLICT', { param, other }, { param })
  if (limit.tokens !== undefined && budget >= limit.tokens)
    fail('INVALID_REQUEST', { why: reasons.budgetPastLimit(param, budget, limit.name) }, { param })
  return budget
}

/** Throws REASONING_NOT_SUPPORTED for a model that cannot be told of it, neither by the number nor by an effort. */
export function requireBudget(model: Model, tokens: number, wire: Wire, field: string): void {
  if (supportsBudget(model, tokens, wire)) return
  const effort = `${field.split('.').at(-1)} ${tokens}`
  fail('REASONING_NOT_SUPPORTED', { model: model.id, effort, supported: [] }, { param: field })
}

/** What the caller is told in headers: fields without effect, fields with another value, and fields that became others. */
export interface FieldReport {
  ignored: string[]
  clamped: Applied[]
  mapped: Applied[]
}

/** What becomes of the budget that was asked for, where less or other than it says. */
export function budgetNews(
  model: Model,
  turn: Turn,
  ask: { asked: number | null | undefined; maxOutputTokens: number; param?: string; effortParam?: string },
): FieldReport {
  const field = ask.param ?? param
  const told = ask.asked == null ? undefined : budgetOutcome(model, turn, { ...ask, asked: ask.asked })
  return {
    ignored: [
      ...(told?.ignored ? [field] : []),
      ...(told?.effortIgnored && ask.effortParam ? [ask.effortParam] : []),
    ],
    clamped: told?.clamped === undefined ? [] : [{ param: field, applied: told.clamped }],
    mapped: told?.mapped === undefined ? [] : [{ param: field, applied: `effort:${told.mapped}` }],
  }
}

/** Both wishes of a turn, without what nobody asked for. */
export const wishOf = (
  enabled: boolean,
  effort: string | undefined,
  maxTokens: number | undefined,
): Reasoning => ({
  enabled,
  ...(effort !== undefined && { effort }),
  ...(maxTokens !== undefined && { maxTokens }),
})
