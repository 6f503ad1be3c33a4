import { latinDigits } from '#platform/words'
import { bytesOf, truncatedText } from '../cut.ts'

/** Normalises a text for comparison: letters and digits only, in one spelling. */
export const folded = (text: string): string =>
  latinDigits(text)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ي', 'ی')
    .replaceAll('ى', 'ی')
    .replaceAll('ك', 'ک')
    .replaceAll('ة', 'ه')
    .replace(/[أإآ]/g, 'ا')
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** Minimum lengths of a quotation and of its pieces: shorter ones occur in every text. */
const minLengths = { text: 12, piece: 6 }

/** Whether a folded text contains a quotation. If the quotation has ellipses, the text must contain each of its pieces. */
export function containsQuote(foldedText: string, quote: string): boolean {
  const pieces = quote
    .split(/…|\.{3}|\[\.*\]/)
    .map(folded)
    .filter((piece) => piece !== '')
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return (
    length >= minLengths.text &&
    pieces.every((piece) => piece.length >= minLengths.piece && foldedText.includes(piece))
  )
}

const numberPattern = /\d+(?:[.,٬٫/]\d+)*/g
const plainNumber = (text: string): string =>
  text
    .replace(/[,٬](?=\d{3}(?!\d))/g, '')
    .replace('٫', '.')
    .replace(/\.0+$/, '')

/** The numbers in a text, in one spelling. */
export const numbersOf = (text: string): Set<string> =>
  new Set((latinDigits(text).match(numberPattern) ?? []).map(plainNumber))

/** Whether every number of a claim is in `numbers`; single digits are ignored, since texts often write them as words. */
export function containsNumbers(numbers: ReadonlySet<string>, claim: string): boolean {
  return [...numbersOf(claim)].every((number) => number.length < 2 || numbers.has(number))
}

const passageCharacters = 700

/** The passages of a text that share the most words with `wanted`, in their original order, within `maxBytes`. */
export function relevantPassages(text: string, wanted: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text
  const words = wordsOf(wanted)
  const passages = passagesOf(text).map((passage, index) => ({
    passage,
    index,
    score: [...wordsOf(passage)].filter((word) => words.has(word)).length,
  }))
  const chosen: typeof passages = []
  let bytes = 0
  // Of passages with equal scores the earlier one wins, since texts begin with what matters.
  for (const each of passages.toSorted((a, b) => b.score - a.score || a.index - b.index)) {
    const size = bytesOf(each.passage) + 6
    if (bytes + size > maxBytes) continue
    bytes += size
    chosen.push(each)
  }
  const joined = chosen
    .toSorted((a, b) => a.index - b.index)
    .map(({ passage }) => passage)
    .join('\n\n')
  return joined || truncatedText(text, maxBytes)
}

function passagesOf(text: string): string[] {
  const passages: string[] = []
  for (const paragraph of text.split(/\n\s*\n/))
    for (let at = 0; at < paragraph.length; at += passageCharacters)
      passages.push(paragraph.slice(at, at + passageCharacters).toWellFormed())
  return passages.filter((passage) => passage.trim() !== '')
}

const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2).map(folded))
