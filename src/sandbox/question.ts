import type { Document, Media, Message, MessageContent, Turn } from '#core/turn'
import { type Directives, readDirectives } from './directives.ts'
import { type Language, requestedLanguage, writtenLanguage } from './language.ts'

/** The sandbox's interpretation of a turn. */
export interface Question {
  /** The text of the last user message, without markers. */
  text: string
  /** The last text part: earlier parts are context that programs quote to a model, and must not trigger a tool. */
  lastText: string
  language: Language
  directives: Directives
  /** Media of the last user message, in order. */
  media: ({ type: 'image' | 'audio' | 'video'; media: Media } | Document)[]
  /** Number of user messages, the last one included. */
  turnNumber: number
  /** Tool results since the last user message. */
  toolResults: { name: string; text: string }[]
}

export function textOf(content: readonly MessageContent[]): string {
  return content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n')
}

/** Interprets the last user message and its context. Throws `UpstreamError` for an unknown marker. */
export function readQuestion(turn: Turn): Question {
  const last = turn.messages.findLastIndex((message) => message.role === 'user')
  const message = turn.messages[last]
  const { text, directives } = readDirectives(message ? textOf(message.content) : '')
  const users = turn.messages.filter((each) => each.role === 'user')
  const texts = (message?.content ?? []).filter((part) => part.type === 'text')
  return {
    text,
    lastText: readDirectives(textOf(texts.slice(-1))).text,
    language: languageOf(turn.messages, text),
    directives,
    media: (message?.content ?? []).filter((part) => part.type !== 'text' && part.type !== 'reasoning'),
    turnNumber: users.length,
    toolResults: resultsAfter(turn.messages, last),
  }
}

/**
 * The language that the user requests, else that which the system message requests, else the language of the question or of earlier
 * questions.
 */
function languageOf(messages: readonly Message[], question: string): Language {
  const requested = requestedLanguage(question)
  if (requested) return requested
  const rules = messages.filter((each) => each.role === 'system' || each.role === 'developer')
  for (const rule of rules.toReversed()) {
    const requiredByRule = requestedLanguage(textOf(rule.content))
    if (requiredByRule) return requiredByRule
  }
  const written = writtenLanguage(question)
  if (written) return written
  const users = messages.filter((each) => each.role === 'user').toReversed()
  for (const user of users) {
    const earlier = writtenLanguage(readDirectives(textOf(user.content)).text)
    if (earlier) return earlier
  }
  return 'en'
}

function resultsAfter(messages: readonly Message[], last: number): Question['toolResults'] {
  const names = new Map(messages.flatMap((each) => each.toolCalls ?? []).map((call) => [call.id, call.name]))
  return messages
    .slice(last + 1)
    .filter((each) => each.role === 'tool')
    .map((each) => ({
      name: names.get(each.toolCallId ?? '') ?? each.name ?? each.toolCallId ?? 'tool',
      text: textOf(each.content),
    }))
}
