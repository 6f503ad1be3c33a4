import { createHash } from 'node:crypto'
import type { MessageContent, Turn } from '#core/turn'
import { composeText, endlessText } from './compose.ts'
import { composeJson } from './compose-json.ts'
import { phraseText } from './phrases.ts'
import type { Question } from './question.ts'
import { composeReasoning } from './reasoning.ts'
import { planCalls } from './tools.ts'

/** A complete answer before it is cut into pieces. Exactly one of text, refusal and calls is present. */
export interface AnswerPlan {
  reasoning?: { text: string; maxTokens: number }
  text?: string
  /** The text ends normally after this number of tokens (the `tokens` directive). */
  textTokens?: number
  refusal?: string
  calls?: PlannedCall[]
}

export interface PlannedCall {
  id: string
  name: string
  /** JSON text. */
  arguments: string
}

/** Decides the answer. Pure: the same turn gives the same plan. Throws `UpstreamError` for a request that cannot be fulfilled. */
export function planAnswer(turn: Turn, question: Question, canReason: boolean): AnswerPlan {
  const { directives, language } = question
  const seed = Math.abs(Math.trunc(turn.seed ?? 0))
  if (directives.refuse) return { refusal: phraseText(language, 'refusal') }
  const reasoning = canReason ? composeReasoning(turn, question) : undefined
  const thinking = reasoning ? { reasoning } : {}
  const calls = planCalls(turn, question)
  if (calls.length > 0) {
    const mark = fingerprint(turn)
    return { ...thinking, calls: calls.map((call, index) => ({ id: callId(mark, index), ...call })) }
  }
  if (turn.output.type !== 'text') return { ...thinking, text: composeJson(turn.output, question, seed) }
  if (directives.tokens !== undefined) {
    // Every word takes at least one token, so this many words are enough.
    return {
      ...thinking,
      text: endlessText(language, seed, directives.tokens),
      textTokens: directives.tokens,
    }
  }
  return { ...thinking, text: composeText(question, seed) }
}

function contentPrint(part: MessageContent): unknown {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  if ('parts' in part) return part.parts.map(contentPrint)
  return [part.type, part.media.url ?? part.media.data?.length]
}

/** A digest of the turn's content; media count by their size alone, to avoid hashing megabytes. */
export function fingerprint(turn: Turn): string {
  const messages = turn.messages.map((message) => ({
    ...message,
    content: message.content.map(contentPrint),
  }))
  const tools = turn.tools.map((tool) => tool.name)
  return createHash('sha256')
    .update(JSON.stringify([messages, tools, turn.seed ?? null]))
    .digest('hex')
}

function callId(mark: string, index: number): string {
  return `call_${createHash('sha256').update(`${mark}:${index}`).digest('hex').slice(0, 24)}`
}
