import type { Model } from '#core/models'
import { reasoningSettings, requireBudget } from '#core/text'
import type { Reasoning } from '#core/turn'
import { fail } from '#platform/errors'
import { reasons } from '../phrases.ts'
import type { MessagesBody } from './schema.ts'

/**
 * The reasoning settings. A budget or an effort that the model does not support is refused. `adaptive` thinking leaves the decision to
 * the model and is accepted for every model, because clients send it to every model.
 */
export function reasoningOf(body: MessagesBody, model: Model): Reasoning | undefined {
  const { thinking } = body
  const thinks = model.features.includes('reasoning')
  const maxTokens = budgetOf(body, model)
  const effort = effortOf(body, model)
  if (!thinks || (!thinking && effort === undefined)) return undefined
  return reasoningSettings(thinking?.type !== 'disabled', effort, maxTokens)
}

/** True if the request enables thinking and does not omit it from the answer. */
export const showsThinking = ({ thinking }: MessagesBody): boolean =>
  thinking !== undefined &&
  thinking.type !== 'disabled' &&
  !('display' in thinking && thinking.display === 'omitted')

function budgetOf({ thinking, max_tokens: limit }: MessagesBody, model: Model): number | undefined {
  if (thinking?.type !== 'enabled') return undefined
  const budget = thinking.budget_tokens
  if (budget >= limit)
    fail('INVALID_REQUEST', { why: reasons.smallLimit(budget) }, { param: 'thinking.budget_tokens' })
  requireBudget(model, budget, 'messages', 'thinking.budget_tokens')
  // If the model's own output limit is below that of the request, some tokens must remain for the answer.
  return Math.min(budget, Math.max(1, model.maxOutputTokens - 1))
}

function effortOf({ output_config: config }: MessagesBody, model: Model): string | undefined {
  const effort = config?.effort ?? undefined
  const supported = model.supportedEfforts
  if (effort === undefined || supported.length === 0) return undefined
  if (!supported.includes(effort))
    fail('REASONING_NOT_SUPPORTED', { model: model.id, effort, supported }, { param: 'output_config.effort' })
  return effort
}
