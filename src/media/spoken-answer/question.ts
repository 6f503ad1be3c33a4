/** The question to the text model, and the part of its answer that is spoken. */
import { boundTurn, type PlainQuestion, questionTurn } from '#core/inference'
import type { Model } from '#core/models'
import { maxSpokenLetters } from '#core/sound'
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
const instructionText = (instruction: string): string => `What to do with the recording: ${instruction}\n\n`
const silentTranscript = '(Nothing was said in it.)'

/** The most characters of a transcript that are answered. */
const maxTranscriptCharacters = (seconds: number): number =>
  leastCharacters + Math.ceil(seconds * charactersPerSecond)

export interface QuestionOptions {
  text: string
  seconds: number
  instruction: string | undefined
}

export function questionOf(model: Model, { text, seconds, instruction }: QuestionOptions): Turn {
  const spokenText = [...text.trim()].slice(0, maxTranscriptCharacters(seconds)).join('') || silentTranscript
  const userText = `${instruction ? instructionText(instruction) : ''}<recording>\n${spokenText}\n</recording>`
  const question: PlainQuestion = {
    messages: [
      { role: 'system', content: [{ type: 'text', text: rules }] },
      { role: 'user', content: [{ type: 'text', text: userText }] },
    ],
    maxOutputTokens: maxAnswerTokens,
  }
  return questionTurn(question, model)
}

/** The largest question that any transcript of this recording can make: four bytes a character. */
export function boundOfQuestion(
  model: Model,
  { seconds, instruction = '' }: Omit<QuestionOptions, 'text'>,
): Turn {
  const bytes =
    Buffer.byteLength(rules) +
    Buffer.byteLength(instructionText(instruction)) +
    4 * maxTranscriptCharacters(seconds)
  return boundTurn(bytes + aroundBytes, maxAnswerTokens, model)
}
const aroundBytes = 200

/** A text of the longest and dearest kind that is spoken: letters of three bytes. */
export const worstCaseAnswer = 'अ'.repeat(maxLetters)

/** The part of the answer that is spoken, to the end of a sentence where there is one. */
export function speakablePart(text: string): string {
  const plain = text
    .replace(/[*_#`]+/g, '')
    .trim()
    .toWellFormed()
  if (maxSpokenLetters(plain) <= maxLetters) return plain
  let letters = 0
  let kept = ''
  for (const sign of plain) {
    letters += maxSpokenLetters(sign)
    if (letters > maxLetters) break
    kept += sign
  }
  const end = Math.max(...['.', '!', '؟', '?', '…', '\n'].map((mark) => kept.lastIndexOf(mark)))
  return (end > kept.length / 3 ? kept.slice(0, end + 1) : kept).trim()
}
