import { requireBudget, wishOf } from '#capabilities/text'
import type { Model } from '#engine/models'
import type { Reasoning } from '#engine/turn'
import { fail } from '#platform/errors'
import { reasons } from '../phrases.ts'
import type { MessagesBody } from './schema.ts'

/**
 * How the model is to think. A budget or an effort that it cannot keep is refused; to leave the thinking to the model
 * (`adaptive`) is no wish that it could fail, and clients say it to every model.
 */
export function reasoningOf(body: MessagesBody, model: Model): Reasoning | undefined {
  const { thinking } = body
  const thinks = model.features.includes('reasoning')
  const maxTokens = budgetOf(body, model)
  const effort = effortOf(body, model)
  if (!thinks || (!thinking && effort === undefined)) return undefined
  return wishOf(thinking?.type !== 'disabled', effort, maxTokens)
}

/** Who asks for thinking sees it, unless they say otherwise. */
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
  // Where the model writes less than was allowed, some room has to stay for its answer.
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
