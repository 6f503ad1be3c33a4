/** Workbooks with one table (ECMA-376), of which only the rows that are being written are in memory. */
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile, ZipPassThrough } from 'fflate'
import { inPieces, printable, type Sheet, type SheetColumn, type SheetValue } from './sheet.ts'
import { partsOf, styleOf } from './xlsx-parts.ts'

/** The most characters of a cell in the format; programs refuse the whole file because of one longer text. */
const maxCharacters = 32_767
/** The most digits that a number of the format keeps; more are written as text. */
const maxDigits = 15

/** A table as a workbook. No formula is ever written, whatever a text looks like, and a text stays one when its cell is edited. */
export async function* xlsxBytes(
  sheet: Sheet,
  rows: AsyncIterable<readonly SheetValue[]>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const ready: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    ready.push(chunk)
  })
  const { before, after, others } = partsOf(sheet)
  for (const [name, text] of Object.entries(others)) {
    const file = new ZipPassThrough(name)
    zip.add(file)
    file.push(Buffer.from(text), true)
  }
  const file: ZipInputFile = { filename: 'xl/worksheets/sheet1.xml', compression: 8, size: 0, crc: 0 }
  zip.add(file)
  const texts = inPieces(sheetTexts(before, after, sheet, rows))
  for await (const chunk of compressed(file, texts)) {
    file.ondata!(null, chunk, false)
    yield* ready.splice(0)
  }
  file.ondata!(null, new Uint8Array(0), true)
  zip.end()
  yield* ready.splice(0)
}

/** Compresses in a thread of the pool, and counts in the file what went in. */
async function* compressed(
  file: ZipInputFile,
  texts: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  const source = Readable.from(counted(file, texts))
  const deflate = createDeflateRaw()
  source.on('error', (error) => deflate.destroy(error))
  try {
    for await (const chunk of source.pipe(deflate)) yield chunk as Buffer<ArrayBuffer>
  } finally {
    source.destroy()
  }
}

async function* counted(file: ZipInputFile, texts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of texts) {
    file.crc = crc32(piece, file.crc)
    file.size += piece.length
    yield piece
  }
}

async function* sheetTexts(
  before: string,
  after: string,
  sheet: Sheet,
  rows: AsyncIterable<readonly SheetValue[]>,
): AsyncGenerator<string> {
  yield before
  const titles = sheet.columns.map(({ title }) => textCell(title, styleOf.title))
  yield `<row>${titles.join('')}</row>`
  for await (const row of rows)
    yield `<row>${sheet.columns.map((column, at) => cellOf(sheet, column, row[at] ?? null)).join('')}</row>`
  yield after
}

function cellOf({ language }: Sheet, { kind }: SheetColumn, value: SheetValue): string {
  if (value === null) return '<c/>'
  const text = String(value)
  if (kind === 'text' || kind === 'label') return textCell(text, styleOf.text(text, language))
  const number = kind === 'day' || kind === 'moment' ? serialOf(text) : text
  return digitsOf(number) > maxDigits
    ? textCell(text, styleOf.text(text, language))
    : `<c s="${styleOf[kind]}"><v>${number}</v></c>`
}

const digitsOf = (number: string): number => number.replace(/^-?0*\.?0*|\D/g, '').length

const dayMs = 86_400_000
/** Day 0 of the format. */
const firstDayMs = Date.UTC(1899, 11, 30)

/** The days since day 0 with the part of the day, which is rounded up: programs cut the rest of a second off. */
function serialOf(text: string): string {
  const seconds = (Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`) - firstDayMs) / 1_000
  const days = Math.floor(seconds / (dayMs / 1_000))
  const part = seconds / (dayMs / 1_000) - days
  return part === 0 ? String(days) : `${days}${(Math.ceil(part * 1e9) / 1e9).toFixed(9).slice(1)}`
}

function textCell(text: string, style: number): string {
  const spelled = printable(text)
    .replace(/\r\n?/g, '\n')
    // `_x0041_` as these characters, not as the one that they name.
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
  const cut =
    spelled.length <= maxCharacters ? spelled : `${spelled.slice(0, maxCharacters - 1).toWellFormed()}…`
  return `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(cut)}</t></is></c>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
