/** Streams the rows of one sheet; dates, times and percentages are converted to text. */
import { dayText, twoDigits } from '../../values/calendar.ts'
import { serialMoment } from '../../values/dates.ts'
import { timesPowerOfTen } from '../../values/numerals.ts'
import type { Book } from './book.ts'
import { attribute, decodedEscapes, unescaped, XmlReader } from './xml.ts'
import { entryText, type ZipEntry } from './zip.ts'

export interface SheetEvents {
  /** Receives a row. `row` is its number in the sheet, from 0; `cells` holds the non-empty cells by their columns. */
  row(row: number, cells: Map<number, string>): unknown
  merged?(range: { from: [number, number]; to: [number, number] }): void
  /** A formula without a cached result. */
  uncalculated?(): void
  /** A duration, converted to hours. */
  duration?(): void
}

const maxColumn = 16_384

export async function readSheet(book: Book, entry: ZipEntry, events: SheetEvents): Promise<void> {
  const state = new SheetState(book, events)
  const reader = new XmlReader(state)
  for await (const piece of entryText(book.path, entry, book.budget)) {
    reader.push(piece)
    if (state.ended) return
  }
}

class SheetState {
  readonly #book: Book
  readonly #events: SheetEvents
  #row = -1
  #column = -1
  #cells = new Map<number, string>()
  #type = ''
  #format = 0
  #value = ''
  #reads = false
  #isFormula = false
  ended = false

  constructor(book: Book, events: SheetEvents) {
    this.#book = book
    this.#events = events
  }

  open(name: string, tag: string): void {
    switch (name) {
      case 'row':
        this.#row = Number(attribute(tag, 'r') ?? this.#row + 2) - 1
        this.#column = -1
        this.#cells = new Map()
        break
      case 'c':
        this.#column = columnOf(attribute(tag, 'r')) ?? this.#column + 1
        this.#type = attribute(tag, 't') ?? 'n'
        this.#format = Number(attribute(tag, 's') ?? 0)
        this.#value = ''
        this.#isFormula = false
        break
      case 'f':
        this.#isFormula = true
        break
      case 'v':
      case 't':
        this.#reads = true
        break
      case 'mergeCell':
        this.#merge(attribute(tag, 'ref') ?? '')
    }
  }

  text(piece: string): void {
    if (this.#reads) this.#value += unescaped(piece)
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#reads = false
    else if (name === 'c') {
      if (this.#isFormula && this.#value === '' && this.#type !== 'str') this.#events.uncalculated?.()
      const cell = this.#cell()
      if (cell !== '' && this.#column < maxColumn) this.#cells.set(this.#column, cell)
    } else if (name === 'row' && !this.ended) this.ended = this.#events.row(this.#row, this.#cells) === false
  }

  #cell(): string {
    const { texts, formats, epoch1904 } = this.#book
    if (this.#value === '') return ''
    switch (this.#type) {
      case 's':
        return (texts[Number(this.#value)] ?? '').trim()
      case 'b':
        return this.#value === '1' ? 'TRUE' : 'FALSE'
      case 'n': {
        const number = Number(this.#value)
        if (!Number.isFinite(number)) return this.#value
        const format = formats[this.#format] ?? 'number'
        if (format === 'duration') this.#events.duration?.()
        return numberText(number, format, epoch1904)
      }
      default:
        return decodedEscapes(this.#value).trim()
    }
  }

  #merge(ref: string): void {
    const [from, to] = ref.split(':')
    const [start, end] = [cellPosition(from), cellPosition(to)]
    if (start && end) this.#events.merged?.({ from: start, to: end })
  }
}

/** The displayed value. Spreadsheets calculate with 15 digits; further ones are noise of binary fractions. */
function numberText(number: number, format: string, epoch1904: boolean): string {
  if (format === 'date' || format === 'jalali' || format === 'time') {
    if (number < 0 || number > 2_958_465) return plain(number)
    const { seconds, timed } = serialMoment(number, epoch1904)
    const day = Math.floor(seconds / 86_400)
    const clock = seconds - day * 86_400
    const time = `${twoDigits(Math.floor(clock / 3_600))}:${twoDigits(Math.floor(clock / 60) % 60)}:${twoDigits(clock % 60)}`
    if (format === 'time' && number < 1) return time
    return dayText(format === 'jalali' ? 'jalali' : 'gregorian', day) + (timed ? ` ${time}` : '')
  }
  if (format === 'duration') return hours(number)
  return format === 'percent' ? `${plain(number, 2)}%` : plain(number)
}

/** The hours of a duration. Spreadsheets count durations in days, and show no less than a thousandth of a second. */
const hours = (days: number): string => plain(Math.round(days * 86_400_000) / 3_600_000)

/** A number as decimal text, with an unambiguous decimal sign. */
function plain(number: number, power = 0): string {
  const [mantissa = '0', exponent = '0'] = Math.abs(number).toExponential(14).split('e')
  const text = timesPowerOfTen(mantissa, Number(exponent) + power)
  return `${number < 0 ? '-' : ''}${text.replace('.', '٫')}`
}

function columnOf(ref: string | undefined): number | undefined {
  if (ref === undefined) return undefined
  let column = 0
  for (let at = 0; at < ref.length && at < 3; at += 1) {
    const code = ref.charCodeAt(at)
    if (code < 65 || code > 90) break
    column = column * 26 + code - 64
  }
  return column > 0 ? column - 1 : undefined
}

function cellPosition(ref: string | undefined): [number, number] | undefined {
  const column = columnOf(ref)
  const row = /\d{1,7}$/.exec(ref ?? '')
  return column === undefined || !row ? undefined : [Number(row[0]) - 1, column]
}
