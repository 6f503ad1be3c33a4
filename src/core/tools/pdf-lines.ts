/** One piece of text as a PDF places it; sizes in points, `y` upwards. */
export interface PdfTextPiece {
  text: string
  x: number
  y: number
  width: number
  height: number
}

/**
 * The text of a page in reading order. A PDF has places and glyphs: right-to-left lines are in visual order from the left, often letter by letter and
 * in presentation forms. Pieces are taken in the order of the file, which is that of columns and cells; pieces on one baseline are a line.
 */
export function textOfPage(pieces: readonly PdfTextPiece[]): string {
  const lines = linesOf(pieces.filter(({ text }) => text.trim() !== ''))
  const rightToLeft = isRightToLeft(pieces)
  let text = ''
  lines.forEach((line, position) => {
    const before = lines[position - 1]
    if (before) text += isParagraphBreak(before, line) ? '\n\n' : '\n'
    text += readLine(line, rightToLeft)
  })
  return text
}

function linesOf(pieces: readonly PdfTextPiece[]): PdfTextPiece[][] {
  const lines: PdfTextPiece[][] = []
  for (const piece of pieces) {
    const line = lines.at(-1)
    const start = line?.[0]
    // Signs above and below letters, and footnote marks, leave the baseline a little.
    if (line && start && Math.abs(start.y - piece.y) < 0.5 * Math.max(start.height, piece.height, 1))
      line.push(piece)
    else lines.push([piece])
  }
  return lines
}

function isParagraphBreak([above]: PdfTextPiece[], [below]: PdfTextPiece[]): boolean {
  const distance = above!.y - below!.y
  // A line above the previous one begins a new column or table.
  return distance < 0 || distance > 1.7 * Math.max(above!.height, below!.height)
}

/** The text of a line. A line of a right-to-left page is right-to-left as soon as one of its letters is, however many Latin names it has. */
function readLine(line: readonly PdfTextPiece[], pageIsRightToLeft: boolean): string {
  const bases = line.filter(({ text }) => !isMark(text))
  const marks = line.filter(({ text }) => isMark(text))
  const pieces = bases.length === 0 ? [...line] : bases.map((base) => withMarks(base, marks))
  const rightToLeft = pageIsRightToLeft
    ? line.some(({ text }) => rightLetter.test(text))
    : isRightToLeft(line)
  const ordered = rightToLeft ? leftToRightRuns(pieces.toSorted((one, other) => other.x - one.x)) : pieces
  let text = ''
  ordered.forEach((piece, position) => {
    const before = ordered[position - 1]
    if (before && isApart(before, piece)) text += ' '
    text += piece.text
  })
  return fromPrintShapes(text).replace(/ {2,}/g, ' ').trim()
}

const isMark = (text: string): boolean => /^[\s\p{M}]+$/u.test(text)

/** A sign that is drawn by itself belongs to the letter that it stands over. */
function withMarks(base: PdfTextPiece, marks: readonly PdfTextPiece[]): PdfTextPiece {
  const own = marks.filter(({ x }) => x >= base.x && x < base.x + base.width)
  return { ...base, text: base.text + own.map(({ text }) => text.trim()).join('') }
}

const rightLetter = /[\p{L}&&[\p{Script=Arabic}\p{Script=Hebrew}]]/v
const leftLetter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/v

function isRightToLeft(pieces: readonly PdfTextPiece[]): boolean {
  const text = pieces.map((piece) => piece.text).join('')
  const count = (letter: RegExp) => text.split(letter).length
  return count(rightLetter) > count(leftLetter)
}

/** Reverses names in Latin letters and numbers of several pieces, in a line that is sorted from the right. */
function leftToRightRuns(pieces: readonly PdfTextPiece[]): PdfTextPiece[] {
  const ordered: PdfTextPiece[] = []
  for (let start = 0; start < pieces.length; ) {
    const end = endOfRun(pieces, start)
    ordered.push(...pieces.slice(start, end).reverse())
    start = end
  }
  return ordered
}

/** The index after the last piece of the run that begins at `start`: from one left-to-right piece to the last before a right-to-left letter. */
function endOfRun(pieces: readonly PdfTextPiece[], start: number): number {
  if (!isLeftToRight(pieces[start]!)) return start + 1
  let end = start + 1
  for (let next = end; next < pieces.length && !rightLetter.test(pieces[next]!.text); next += 1)
    if (isLeftToRight(pieces[next]!)) end = next + 1
  return end
}

const isLeftToRight = ({ text }: PdfTextPiece): boolean => leftLetter.test(text) || /\p{Nd}/u.test(text)

/** Whether there is a space between two pieces that follow each other, whichever stands left. */
function isApart(one: PdfTextPiece, other: PdfTextPiece): boolean {
  const [left, right] = one.x <= other.x ? [one, other] : [other, one]
  return right.x - (left.x + left.width) > 0.15 * Math.max(left.height, right.height)
}

/** Replaces presentation forms such as ﻣ and ﻼ by the letters that they show. */
const fromPrintShapes = (text: string): string =>
  text.replace(/[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc]+/g, (shapes) => shapes.normalize('NFKC'))
