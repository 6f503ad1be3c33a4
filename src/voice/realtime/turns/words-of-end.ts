/** How long to wait in a silence, by the words so far: docs/decisions/voice/end-of-turn.md. */
import { endOfEnglish } from './english-end.ts'
import { endOfPersian } from './persian-end.ts'
import { asking, yesOrNo } from './persian-words.ts'
import { type LastWords, readLastWords } from './words.ts'

/**
 * `sure`: nothing is missing. `neutral`: undecidable by the words. `open`: more must come. `brief`: probably over, such as an answer to the
 * assistant's question.
 */
export type TurnEnd = 'sure' | 'brief' | 'neutral' | 'open'

/** The waits in ms of silence. */
const waits: Record<TurnEnd, number> = { sure: 250, brief: 500, neutral: 1_000, open: 1_400 }

/** @param wasAsked whether the assistant had asked: answers are noun phrases, so that no verb is expected */
export function waitMsOf(text: string, wasAsked: boolean): number {
  return waits[endOf(text, wasAsked)]
}

/** Judges by the last words whether a text is over; in linear time for any text. */
export function endOf(text: string, wasAsked: boolean): TurnEnd {
  const said = readLastWords(text)
  if (said.words.length === 0) return 'neutral'
  return isLatin(said) ? endOfEnglish(said, wasAsked) : endOfPersian(said, wasAsked)
}

/** Whether the assistant's sentence is a question. */
export function isQuestion(text: string): boolean {
  const { words, mark } = readLastWords(text)
  return mark === 'question' || (mark === undefined && words.slice(-3).some((word) => asking.has(word)))
}

/** Whether the text only shows that the caller is listening ("yes, yes"), and does not want to speak. */
export function isBackchannel(text: string): boolean {
  const { words } = readLastWords(text)
  return words.length > 0 && words.length <= 2 && words.every((word) => listening.has(word))
}

/** Words of a listener; "no" and "wait" are not among them. */
const listening = new Set(
  [
    ...yesOrNo,
    'mm',
    'mhm',
    'hmm',
    'hm',
    'uh',
    'huh',
    'aha',
    'yes',
    'yeah',
    'yep',
    'right',
    'sure',
    'بسیار',
    'همم',
    'جالبه',
    'میفهمم',
    'واقعا',
  ].filter((word) => !['نه', 'خیر', 'نخیر'].includes(word)),
)

/** Whether the last words are Latin: a speaker who changes the language goes on in the new one. */
function isLatin({ words }: LastWords): boolean {
  const last = words.slice(-4)
  const latin = last.filter((word) => /[a-z]/.test(word)).length
  return latin > last.filter((word) => /[آ-ی]/.test(word)).length
}
