import type { Content, Document, Media, Message, Turn } from '#engine/turn'
import { type Directives, readDirectives } from './directives.ts'
import { type Language, requestedLanguage, writtenLanguage } from './language.ts'

/** What the sandbox understood of a turn. */
export interface Question {
  /** Text of the last user message, markers taken out. */
  text: string
  /** The last of its texts: what stands before is quoted to a model by programs, and orders no tool. */
  lastText: string
  language: Language
  directives: Directives
  /** Media of the last user message, in order. */
  media: ({ type: 'image' | 'audio' | 'video'; media: Media } | Document)[]
  /** Number of user messages, the last one included. */
  turnNumber: number
  /** Answers of tools since the last user message. */
  toolResults: { name: string; text: string }[]
}

export function textOf(content: readonly Content[]): string {
  return content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n')
}

/** Reads the last user message with what surrounds it. Throws `UpstreamError` for a marker that does not exist. */
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

/** The language that the user asks for, then the system message's, then the language of the question, then of earlier questions. */
function languageOf(messages: readonly Message[], question: string): Language {
  const wish = requestedLanguage(question)
  if (wish) return wish
  const rules = messages.filter((each) => each.role === 'system' || each.role === 'developer')
  for (const rule of rules.toReversed()) {
    const ruled = requestedLanguage(textOf(rule.content))
    if (ruled) return ruled
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
