/** The values of a table by columns: numbers and times in typed arrays, texts as indexes of their spellings. */
import { dayText, twoDigits } from '../values/calendar.ts'
import { type DateForm, momentsOf, serialMoment, timeOf } from '../values/dates.ts'
import { decimalText, scaledInteger } from '../values/exact.ts'
import { detachedCopy, foldKey, tidyText } from '../values/fold.ts'
import { isInteger, numeralOf, numeralToDecimal, styleOf, timesPowerOfTen } from '../values/numerals.ts'
import type { ColumnSpec } from './decide.ts'
import { HashSet } from './hash-set.ts'
import type { Note } from './notes.ts'
import { isBlank, isMissing } from './survey.ts'

/** Marks a missing value: no number of 18 digits has this value. */
export const missingValue = -(2n ** 63n)
const maxExamples = 5
const maxExample = 60
/** Columns with more distinct texts are not used for groups: texts are counted, but not stored. */
export const maxTexts = 100_000
const maxDistinct = 2_000_000

export interface TableStore {
  rows: number
  columns: StoredColumn[]
}

export type StoredColumn = NumberColumn | TextColumn

/** Numbers scaled to integers; dates and times in seconds. */
export class NumberColumn {
  readonly spec: ColumnSpec
  readonly values: BigInt64Array
  readonly lost = { count: 0, examples: [] as string[] }
  readonly changed = { calendar: 0, unit: 0, rounded: 0 }

  readonly #power: bigint

  constructor(spec: ColumnSpec, rows: number) {
    this.spec = spec
    this.#power = 10n ** BigInt(spec.scale ?? 0)
    this.values = new BigInt64Array(rows)
  }

  set(row: number, cell: string): void {
    this.values[row] = this.#read(cell)
  }

  #read(cell: string): bigint {
    if (isMissing(cell)) return missingValue
    const found =
      this.spec.kind === 'date'
        ? this.#moment(cell)
        : this.spec.kind === 'time'
          ? time(cell)
          : this.#number(cell)
    if (found !== undefined) return found
    this.lost.count += 1
    if (this.lost.examples.length < maxExamples)
      this.lost.examples.push(cell.slice(0, maxExample).toWellFormed())
    return missingValue
  }

  #number(cell: string): bigint | undefined {
    if (this.spec.kind === 'number' && isInteger(cell)) return BigInt(cell) * this.#power
    const { scale = 0, decimal = '.', slash, unit = '', kind } = this.spec
    const numeral = numeralOf(cell)
    if (!numeral || numeral.percent !== (kind === 'percent')) return undefined
    if (!slash && styleOf(numeral.body) === 'slash') return undefined
    let plain = numeralToDecimal(numeral, decimal)
    if (plain === undefined) return undefined
    if (numeral.unit !== '' && numeral.unit !== unit) {
      const power = conversion(numeral.unit, unit)
      if (power === undefined) return undefined
      this.changed.unit += 1
      plain = plain.startsWith('-')
        ? `-${timesPowerOfTen(plain.slice(1), power)}`
        : timesPowerOfTen(plain, power)
    }
    const point = plain.indexOf('.')
    if (point >= 0 && plain.length - point - 1 > scale) this.changed.rounded += 1
    const units = scaledInteger(plain, scale)
    return BigInt.asIntN(64, units) === units && units !== missingValue ? units : undefined
  }

  #moment(cell: string): bigint | undefined {
    const { forms = [], serial, calendar } = this.spec
    if (serial) {
      const plain = numeralToDecimal(numeralOf(cell) ?? nothing, '.')
      if (plain !== undefined) return BigInt(serialMoment(Number(plain)).seconds)
    }
    const moments = momentsOf(cell)
    const found = firstOf(forms, moments)
    if (!found) return undefined
    if (found.calendar !== calendar) this.changed.calendar += 1
    return BigInt(found.seconds)
  }

  /** The cleaned cell; null if it is empty. */
  textAt(row: number): string | null {
    const value = this.values[row]!
    return value === missingValue ? null : valueText(this.spec, value)
  }
}

const nothing = { negative: false, body: 'x', power: 0, percent: false, unit: '' }

function firstOf(forms: readonly DateForm[], moments: ReturnType<typeof momentsOf>) {
  for (const form of forms) {
    const found = moments.find((each) => each.form === form)
    if (found) return found
  }
  return undefined
}

const time = (cell: string): bigint | undefined => {
  const seconds = timeOf(cell)
  return seconds === undefined ? undefined : BigInt(seconds)
}

/** The power of ten by which a unit is converted; one Toman is ten Rials. */
function conversion(from: string, to: string): number | undefined {
  if (from === 'تومان' && to === 'ریال') return 1
  return from === 'ریال' && to === 'تومان' ? -1 : undefined
}

/** A value of a column of numbers, days or times as plain text. */
export function valueText(
  { kind, scale = 0, calendar = 'gregorian', timed }: ColumnSpec,
  value: bigint,
): string {
  if (kind !== 'date' && kind !== 'time') return decimalText(value, scale)
  const seconds = Number(value)
  const day = Math.floor(seconds / 86_400)
  const clock = seconds - day * 86_400
  const time = `${twoDigits(Math.floor(clock / 3_600))}:${twoDigits(Math.floor(clock / 60) % 60)}:${twoDigits(clock % 60)}`
  if (kind === 'time') return time
  return dayText(calendar, day) + (timed ? ` ${time}` : '')
}

interface Spelling {
  word: number
  count: number
}

/** Texts as indexes of words; all spellings of a word share one index. */
export class TextColumn {
  readonly spec: ColumnSpec
  /** The word index of each row, -1 for an empty cell; undefined if there were too many words. */
  words: Int32Array | undefined
  #spellings = new Map<string, Spelling>()
  #keys = new Map<string, number>()
  /** Hashes of words that are not stored. */
  #free: HashSet | undefined
  #present = 0
  /** The display text of each word and its number of occurrences; complete after `finish`. */
  displayTexts: string[] = []
  counts: number[] = []

  constructor(spec: ColumnSpec, rows: number) {
    this.spec = spec
    this.words = new Int32Array(rows)
  }

  set(row: number, cell: string): void {
    const words = this.words
    if (isBlank(cell)) {
      if (words) words[row] = -1
      return
    }
    this.#present += 1
    if (!words) {
      this.#free!.add(foldKey(cell))
      return
    }
    const known = this.#spellings.get(cell)
    if (known) {
      known.count += 1
      words[row] = known.word
      return
    }
    const key = foldKey(cell)
    const same = this.#keys.get(key)
    const word = same ?? this.#keys.size
    if (same === undefined) this.#keys.set(detachedCopy(key), word)
    this.#spellings.set(detachedCopy(cell), { word, count: 1 })
    words[row] = word
    if (this.#spellings.size > maxTexts) this.#letGo()
  }

  #letGo(): void {
    this.#free = new HashSet(maxDistinct)
    for (const key of this.#keys.keys()) this.#free.add(key)
    this.words = undefined
    this.#spellings = new Map()
    this.#keys = new Map()
  }

  get present(): number {
    return this.#present
  }
  get distinct(): number {
    return this.#free?.size ?? this.#keys.size
  }
  /** False if not all words were counted. */
  get isCounted(): boolean {
    return this.#free?.isFull !== true
  }

  /** Chooses the most frequent spelling of each word as its display text. Notes words with several spellings. */
  finish(notes: Note[]): void {
    if (!this.words) return
    const best: { text: string; count: number }[] = []
    const spellings: { text: string; count: number }[][] = []
    for (const [text, { word, count }] of this.#spellings) {
      const tidy = tidyText(text)
      this.counts[word] = (this.counts[word] ?? 0) + count
      if (!best[word] || count > best[word].count) best[word] = { text: tidy, count }
      const own = spellings[word] ?? []
      spellings[word] = own
      const same = own.find((each) => each.text === text.trim())
      if (same) same.count += count
      else own.push({ text: text.trim(), count })
    }
    this.displayTexts = best.map(({ text }) => text)
    this.#noteMerged(spellings, notes)
  }

  #noteMerged(spellings: readonly { text: string; count: number }[][], notes: Note[]): void {
    for (const [word, own] of spellings.entries()) {
      if (own.length < 2) continue
      const sorted = own.toSorted((a, b) => b.count - a.count)
      notes.push({
        kind: 'merged',
        column: this.spec.name,
        shown: this.displayTexts[word]!.slice(0, maxExample).toWellFormed(),
        spellings: sorted
          .slice(0, maxExamples)
          .map(({ text, count }) => ({ text: text.slice(0, maxExample).toWellFormed(), count })),
        more: Math.max(0, sorted.length - maxExamples),
      })
    }
  }

  /** The display text of a cell. */
  displayTextOf(cell: string): string {
    const known = this.#spellings.get(cell)
    return known ? this.displayTexts[known.word]! : tidyText(cell).replace(/^(-?\d+)٫(\d+)$/, '$1.$2')
  }

  textAt(row: number): string | null {
    const word = this.words?.[row] ?? -1
    return word < 0 ? null : this.displayTexts[word]!
  }
}
