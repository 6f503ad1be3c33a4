import type { Turn } from '#core/turn'
import { withinLimit } from '#providers/kit'
import { shorten } from './compose.ts'
import { thoughts } from './phrases.ts'
import type { Question } from './question.ts'

/** The number of sentences by effort. Efforts that this model does not list are refused before a call; here the nearest is used. */
const sentencesByEffort: Record<string, number> = {
  minimal: 3,
  low: 3,
  medium: 7,
  high: 14,
  xhigh: 14,
  max: 14,
}

/**
 * The reasoning before the answer: longer with more effort, cut at `reasoning.maxTokens`, absent when disabled. The default effort is low;
 * with only a token limit, the limit decides.
 */
export function composeReasoning(
  turn: Turn,
  question: Question,
): { text: string; maxTokens: number } | undefined {
  const wish = turn.reasoning
  if (wish && (!wish.enabled || wish.effort === 'none')) return undefined
  const maxTokens = withinLimit(wish, turn.maxOutputTokens) ?? Number.POSITIVE_INFINITY
  const effort = wish?.effort ?? (wish?.maxTokens === undefined ? 'low' : 'high')
  const sentences = thoughts[question.language].slice(0, sentencesByEffort[effort] ?? 7)
  const asked = question.text.trim() === '' ? '…' : shorten(question.text)
  return { text: sentences.join(' ').replace('{question}', () => asked), maxTokens }
}
