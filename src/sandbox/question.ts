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
  /** What the answer is read aloud in, as a system message says: a call, or a reply to a recording, whose transcript `text` is. */
  spoken?: 'call' | 'recording'
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
  const { text: written, directives } = readDirectives(message ? textOf(message.content) : '')
  const isSpoken = turn.messages.some(({ role, content }) => isRule(role) && spokenRule.test(textOf(content)))
  const transcript = isSpoken ? transcriptIn(written) : undefined
  const text = transcript ?? written
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
    ...(isSpoken && { spoken: transcript === undefined ? ('call' as const) : ('recording' as const) }),
  }
}

const isRule = (role: Message['role']): boolean => role === 'system' || role === 'developer'

/** As the rules for answers that are spoken say it. */
const spokenRule = /\bread aloud\b/i
const recordingMarks = ['<recording>', '</recording>'] as const
const silentTranscript = /^\s*\([^()\n]{0,100}\)\s*$/

/** The transcript between the marks of a recording, empty where it only says in brackets that there is none; undefined without marks. */
function transcriptIn(text: string): string | undefined {
  const [begin, end] = recordingMarks
  const from = text.indexOf(begin)
  const to = text.lastIndexOf(end)
  if (from < 0 || to < from) return undefined
  const transcript = text.slice(from + begin.length, to).trim()
  return silentTranscript.test(transcript) ? '' : transcript
}

/**
 * The language that the user requests, else that which the system message requests, else the language of the question or of earlier
 * questions.
 */
function languageOf(messages: readonly Message[], question: string): Language {
  const requested = requestedLanguage(question)
  if (requested) return requested
  const rules = messages.filter(({ role }) => isRule(role))
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
