/** The question to the text model, and the part of its answer that is spoken. */
import { boundTurn, type PlainQuestion, questionTurn } from '#core/inference'
import type { Model } from '#core/models'
import { lettersOf } from '#core/sound'
import type { Turn } from '#core/turn'

/** The most letters that are spoken: about two minutes. */
export const maxLetters = 1_500
/** The most tokens of the answer; what exceeds the spoken length is cut at a sentence. */
export const maxAnswerTokens = 1_024
/** The characters a second of the transcript that are answered; nobody says more in a second. */
const charactersPerSecond = 30
const leastCharacters = 1_000

const rules = `Somebody sent a recording. It was written down by a machine and may contain its mistakes; the transcript stands between <recording> and </recording>.
Answer what was said, as in a conversation, in the language that was spoken. Your answer is read aloud: write plain sentences, at most ${Math.round(maxLetters / 8)} words, without lists, headings, links, code or emoji.`
const wish = (instruction: string): string => `What to do with the recording: ${instruction}\n\n`
const silence = '(Nothing was said in it.)'

/** The most characters of a transcript that are answered. */
const maxHeard = (seconds: number): number => leastCharacters + Math.ceil(seconds * charactersPerSecond)

export interface Heard {
  text: string
  seconds: number
  instruction: string | undefined
}

export function questionOf(model: Model, { text, seconds, instruction }: Heard): Turn {
  const said = [...text.trim()].slice(0, maxHeard(seconds)).join('') || silence
  const asked = `${instruction ? wish(instruction) : ''}<recording>\n${said}\n</recording>`
  const question: PlainQuestion = {
    messages: [
      { role: 'system', content: [{ type: 'text', text: rules }] },
      { role: 'user', content: [{ type: 'text', text: asked }] },
    ],
    maxOutputTokens: maxAnswerTokens,
  }
  return questionTurn(question, model)
}

/** The largest question that any transcript of this recording can make: four bytes a character. */
export function boundOfQuestion(model: Model, { seconds, instruction = '' }: Omit<Heard, 'text'>): Turn {
  const bytes = Buffer.byteLength(rules) + Buffer.byteLength(wish(instruction)) + 4 * maxHeard(seconds)
  return boundTurn(bytes + aroundBytes, maxAnswerTokens, model)
}
const aroundBytes = 200

/** A text of the longest and dearest kind that is spoken: letters of three bytes. */
export const maxAnswerLength = 'अ'.repeat(maxLetters)

/** The part of the answer that is spoken, to the end of a sentence where there is one. */
export function spokenOf(text: string): string {
  const plain = text
    .replace(/[*_#`]+/g, '')
    .trim()
    .toWellFormed()
  if (lettersOf(plain) <= maxLetters) return plain
  let letters = 0
  let kept = ''
  for (const sign of plain) {
    letters += lettersOf(sign)
    if (letters > maxLetters) break
    kept += sign
  }
  const end = Math.max(...['.', '!', '؟', '?', '…', '\n'].map((mark) => kept.lastIndexOf(mark)))
  return (end > kept.length / 3 ? kept.slice(0, end + 1) : kept).trim()
}
