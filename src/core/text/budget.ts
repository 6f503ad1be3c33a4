/** The reasoning budget: how many tokens a model may spend on reasoning (docs/decisions/text/reasoning.md). */
import type { AppliedField } from '#core/calls'
import type { Model } from '#core/models'
import { budgetOutcome, supportsBudget } from '#core/routing'
import type { Reasoning, Turn, Wire } from '#core/turn'
import { fail } from '#platform/errors'
import { reasons } from './phrases.ts'

/** The `reasoning` object of chat and Responses. */
interface ReasoningFields {
  effort?: string | null
  max_tokens?: number | null
  enabled?: boolean
}

interface BudgetOptions {
  reasoning?: ReasoningFields | null | undefined
  reasoning_effort?: string | null | undefined
}

const param = 'reasoning.max_tokens'

/** The reasoning budget of a chat or Responses request, or undefined if it names none. Throws REASONING_BUDGET_CONFLICT, REASONING_NOT_SUPPORTED and INVALID_REQUEST. */
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

/** Throws REASONING_NOT_SUPPORTED for a model to which the budget can be passed neither as a number nor as an effort. */
export function requireBudget(model: Model, tokens: number, wire: Wire, field: string): void {
  if (supportsBudget(model, tokens, wire)) return
  const effort = `${field.split('.').at(-1)} ${tokens}`
  fail('REASONING_NOT_SUPPORTED', { model: model.id, effort, supported: [] }, { param: field })
}

/** What is reported in response headers: fields without effect, fields applied with a lowered value, and fields applied as another setting. */
export interface FieldReport {
  ignored: string[]
  clamped: AppliedField[]
  mapped: AppliedField[]
}

/** Reports the requested reasoning budget if it is not applied as requested: ignored, lowered, or passed on as an effort. */
export function budgetReport(
  model: Model,
  turn: Turn,
  options: {
    asked: number | null | undefined
    maxOutputTokens: number
    param?: string
    effortParam?: string
  },
): FieldReport {
  const field = options.param ?? param
  const applied =
    options.asked == null ? undefined : budgetOutcome(model, turn, { ...options, asked: options.asked })
  return {
    ignored: [
      ...(applied?.ignored ? [field] : []),
      ...(applied?.effortIgnored && options.effortParam ? [options.effortParam] : []),
    ],
    clamped: applied?.clamped === undefined ? [] : [{ param: field, applied: applied.clamped }],
    mapped: applied?.mapped === undefined ? [] : [{ param: field, applied: `effort:${applied.mapped}` }],
  }
}

/** The reasoning settings of a turn; what the request does not set is left out. */
export const reasoningSettings = (
  enabled: boolean,
  effort: string | undefined,
  maxTokens: number | undefined,
): Reasoning => ({
  enabled,
  ...(effort !== undefined && { effort }),
  ...(maxTokens !== undefined && { maxTokens }),
})
