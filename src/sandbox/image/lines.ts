/** Breaks a text into lines that fill a box, in the largest size at which all of them fit. */
import { isRightToLeft, orderedLines } from './bidi.ts'
import type { Font } from './font.ts'

export interface TextLine {
  text: string
  /** The text with the marks by which a renderer orders it as a part of its paragraph. */
  ordered: string
  /** The direction of its paragraph. */
  rightToLeft: boolean
}

export interface FittedText {
  lines: TextLine[]
  fontSize: number
}

export interface Box {
  width: number
  height: number
}

export const lineHeight = 1.5

/** Font sizes in pixels, from the smallest legible one to the largest for a caption. */
export interface SizeRange {
  min: number
  max: number
}

/** Breaks the text into lines. Text that does not fit in the smallest size ends with an ellipsis. */
export function fitLines(text: string, box: Box, sizes: SizeRange, font: Font): FittedText {
  const paragraphs = paragraphsOf(text, font)
  let [low, high] = [sizes.min, Math.max(sizes.min, sizes.max)]
  // Half a pixel is not visible.
  while (high - low > 0.5) {
    const middle = (low + high) / 2
    if (breakLines(paragraphs, box, middle, font).length <= room(box, middle)) low = middle
    else high = middle
  }
  const lines = breakLines(paragraphs, box, low, font)
  return { lines: lines.length > room(box, low) ? cut(lines, room(box, low)) : lines, fontSize: low }
}

const room = (box: Box, fontSize: number): number =>
  Math.max(1, Math.floor(box.height / (fontSize * lineHeight)))

function cut(lines: readonly TextLine[], room: number): TextLine[] {
  const shown = lines.slice(0, room)
  const last = shown.at(-1)!
  const text = `${last.text.replace(/\S{0,3}$/u, '').trimEnd()}…`
  return [...shown.slice(0, -1), { ...last, text, ordered: last.ordered.replace(last.text, () => text) }]
}

interface Word {
  text: string
  width: number
  /** The word's measured letters, kept once needed, since every size that is tried needs them. */
  letters?: Word[]
}

interface Paragraph {
  words: Word[]
  rightToLeft: boolean
  space: number
}

function paragraphsOf(text: string, font: Font): Paragraph[] {
  const space = font.widthOf(' ')
  return text.split('\n').map((line) => ({
    rightToLeft: isRightToLeft(line),
    space,
    words: line
      .split(/\s+/u)
      .filter((word) => word !== '')
      .map((word) => ({ text: word, width: font.widthOf(word) })),
  }))
}

const graphemes = new Intl.Segmenter('fa', { granularity: 'grapheme' })

function breakLines(paragraphs: readonly Paragraph[], box: Box, fontSize: number, font: Font): TextLine[] {
  const maxWidth = box.width / fontSize
  return paragraphs.flatMap(({ words, rightToLeft, space }) => {
    const lines: string[] = []
    let line = ''
    let width = 0
    for (const word of words.flatMap((word) =>
      word.width > maxWidth ? pieces(word, maxWidth, font) : [word],
    )) {
      if (line !== '' && width + space + word.width > maxWidth) {
        lines.push(line)
        line = ''
        width = 0
      }
      width += word.width + (line === '' ? 0 : space)
      line += line === '' ? word.text : ` ${word.text}`
    }
    const texts = [...lines, line]
    const ordered = orderedLines(texts, rightToLeft)
    return texts.map((text, at) => ({ text, ordered: ordered[at]!, rightToLeft }))
  })
}

/** Splits a word that is longer than a line into pieces that fit. */
function pieces(word: Word, max: number, font: Font): Word[] {
  word.letters ??= Array.from(graphemes.segment(word.text), ({ segment }) => ({
    text: segment,
    width: font.widthOf(segment),
  }))
  const found: Word[] = []
  let piece: Word = { text: '', width: 0 }
  for (const letter of word.letters) {
    if (piece.text !== '' && piece.width + letter.width > max) {
      found.push(piece)
      piece = { text: '', width: 0 }
    }
    piece.text += letter.text
    piece.width += letter.width
  }
  return [...found, piece]
}
