/** Writes a large workbook: a small one is made with all styles, and the remaining rows are appended to its first sheet as a stream. */
import { missingValue, type NumberColumn, type TableStore, TextColumn } from '../columns/store.ts'
import { printable } from './csv.ts'
import { PackedFile, partsOf } from './pack.ts'

export interface SheetOptions {
  /** A workbook whose first sheet holds the head and the first `begun` rows. */
  template: string
  begun: number
  /** Maximum rows including the header that spreadsheets open. */
  maxRows: number
  maxBytes: number
  /** Jalali days are shown in Persian digits. */
  isPersian: boolean
}

const firstSheet = 'xl/worksheets/sheet1.xml'
const pieceCharacters = 1 << 20
const maxCharacters = 32_767
const secondsPerDay = 86_400

export class SheetWriter implements Disposable {
  readonly #ask: SheetOptions
  readonly #file: PackedFile
  readonly #parts: Record<string, Uint8Array>
  readonly #styles: string[]
  readonly #tail: string
  #text: string
  /** Rows of data that the sheet holds. */
  rows: number

  constructor(path: string, options: SheetOptions, rows: number) {
    this.#ask = options
    this.#parts = partsOf(options.template)
    this.#file = new PackedFile(path)
    this.rows = options.begun
    const written = new TextDecoder().decode(this.#parts[firstSheet])
    const end = written.indexOf('</sheetData>')
    const last = lastRowReplacer(written, Math.min(rows + 1, options.maxRows))
    this.#styles = stylesIn(written.slice(written.lastIndexOf('<row ', end), end))
    this.#text = last(written.slice(0, end))
    this.#tail = last(written.slice(end))
    for (const [name, bytes] of Object.entries(this.#parts))
      if (name !== firstSheet) this.#file.add(name, bytes)
    this.#file.begin(firstSheet)
  }

  /** Whether there is room for another row. */
  get hasRoom(): boolean {
    const { maxRows, maxBytes } = this.#ask
    return this.rows + 1 < maxRows && this.#file.bytes < maxBytes && !this.#file.isFull
  }

  add(store: TableStore, at: number, cells: readonly string[]): void {
    const row = this.rows + 2
    let text = `<row r="${row}">`
    for (const [place, column] of store.columns.entries()) {
      const style = this.#styles[place] ?? ''
      text +=
        column instanceof TextColumn
          ? textCell(
              column.textAt(at) ?? (column.words ? null : column.displayTextOf(cells[place] ?? '')),
              style,
            )
          : this.#valueCell(column, at, style)
    }
    this.#text += `${text}</row>`
    this.rows += 1
    if (this.#text.length > pieceCharacters) this.#flush()
  }

  #valueCell(column: NumberColumn, at: number, style: string): string {
    const { kind, calendar, timed } = column.spec
    const value = column.values[at]!
    if (value === missingValue) return ''
    const text = column.textAt(at)!
    if (kind === 'number') return `<c${style}><v>${Number(text)}</v></c>`
    if (kind === 'percent') return `<c${style}><v>${Number((Number(text) / 100).toPrecision(15))}</v></c>`
    if (kind === 'date' && calendar === 'gregorian' && !timed)
      return `<c${style}><v>${Number(value) / secondsPerDay + 25_569}</v></c>`
    const shown = calendar === 'jalali' && this.#ask.isPersian ? persianDigits(text) : text
    return textCell(shown, style)
  }

  #flush(): void {
    this.#file.write(Buffer.from(this.#text))
    this.#text = ''
  }

  finish(): void {
    this.#text += this.#tail
    this.#flush()
    this.#file.end()
    this.#file.finish()
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

/** The range of the filter and the dimension, down to the last row. */
function lastRowReplacer(sheet: string, row: number): (text: string) => string {
  const found = /<autoFilter ref="(A1:[A-Z]{1,3})(\d{1,7})"/.exec(sheet)
  if (!found) return (text) => text
  const [, range, end] = found
  return (text) => text.replaceAll(`ref="${range}${end}"`, `ref="${range}${row}"`)
}

/** The style of each cell of a row, as an attribute. */
const stylesIn = (row: string): string[] =>
  [...row.matchAll(/<c r="[A-Z]{1,3}\d{1,7}"([^>]{0,60})>/g)].map(([, rest]) => {
    const style = / s="(\d{1,6})"/.exec(rest!)
    return style ? ` s="${style[1]}"` : ''
  })

function textCell(text: string | null, style: string): string {
  if (text === null || text === '') return `<c${style}/>`
  const own = printable(text)
    .slice(0, maxCharacters)
    .toWellFormed()
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
  return `<c${style} t="inlineStr"><is><t xml:space="preserve">${own}</t></is></c>`
}

const persianDigits = (text: string): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCharCode(0x6f0 + Number(digit)))
