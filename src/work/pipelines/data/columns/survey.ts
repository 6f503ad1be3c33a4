/** Statistics of the cells of a column, gathered in one pass. They decide the column's kind and how its cells are interpreted. */
import { type DateForm, dateForms, momentsOf, timeOf } from '../values/dates.ts'
import {
  isInteger,
  type Numeral,
  numeralOf,
  numeralToDecimal,
  plainDecimal,
  styleOf,
} from '../values/numerals.ts'

const blank =
  /^(?:|[-–—−.?_]|--+|n\/?a|null|none|nan|nil|#n\/a|#ref!|#value!|#div\/0!|#name\?|#null!|#num!)$/i
const absent = /^(?:نامشخص|نامعلوم|ندارد|خالی|تهی)$/

/** Whether a cell is empty in a column of any kind. */
export const isBlank = (cell: string): boolean => cell.length < 9 && blank.test(cell.trim())

/** Whether a cell has no number, day or time. Only for columns of numbers, days or times: among texts «ندارد» is a value like «دارد». */
export const isMissing = (cell: string): boolean =>
  isBlank(cell) || (cell.length < 9 && absent.test(cell.trim()))

/** The most digits before and after the decimal point among a column's numbers. */
export interface Digits {
  count: number
  integer: number
  fraction: number
}

const maxUnits = 60
const maxExamples = 3

export class ColumnSurvey {
  present = 0
  /** Cells that mean "no value" in a column of numbers, but are texts in a column of texts. */
  absent = 0
  /** Counts of numbers by the possible meaning of their separators. */
  readonly styles = { plain: 0, dot: 0, comma: 0, ambiguous: 0, slash: 0, none: 0 }
  /** Numbers with a slash that can be months, such as `1403/01`. */
  slashMonths = 0
  /** Numbers and percentages that are valid with a point or a comma as the decimal sign. */
  readonly asDot = { number: digits(), percent: digits() }
  readonly asComma = { number: digits(), percent: digits() }
  readonly units = new Map<string, number>()
  magnitudes = 0
  codes = 0
  /** The largest of the numbers without separators, by absolute value. */
  maxPlain = 0
  ambiguousDots = 0
  readonly forms = new Map<DateForm, number>()
  /** Count of each set of fitting date forms; the bits follow `dateForms`. */
  readonly sets = new Map<number, number>()
  timed = 0
  times = 0
  /** Numbers that could be serial days of a spreadsheet. */
  serials = 0
  /** An example of such a number. */
  serial = 0
  readonly examples = {
    ambiguous: [] as string[],
    decided: [] as string[],
    slash: [] as string[],
    day: [] as string[],
    word: [] as string[],
    code: [] as string[],
  }

  add(cell: string): void {
    if (isBlank(cell)) return
    if (isMissing(cell)) {
      this.absent += 1
      return
    }
    this.present += 1
    if (!hasDigit(cell)) {
      this.#keep('word', cell)
      return
    }
    if (cell.length !== 8 && isInteger(cell)) {
      this.#integer(cell)
      return
    }
    const numeral = numeralOf(cell)
    if (numeral) this.#number(cell, numeral)
    if (!numeral || mayBeDay(numeral.body)) this.#moment(cell, !numeral)
  }

  /** Counts an integer, the most common case, without parsing it as a numeral. */
  #integer(cell: string): void {
    this.styles.plain += 1
    updateDigitCounts(this.asDot.number, cell)
    updateDigitCounts(this.asComma.number, cell)
    this.units.set('', (this.units.get('') ?? 0) + 1)
    this.#plain(Number(cell), { body: '0', unit: '' })
  }

  #number(cell: string, numeral: Numeral): void {
    const style = styleOf(numeral.body)
    this.styles[style] += 1
    if (style === 'none') {
      if (momentsOf(cell).length === 0) this.#keep('word', cell)
      return
    }
    if (style === 'slash') {
      if (/^1[34]\d\d\/(?:0?[1-9]|1[0-2])$/.test(numeral.body)) this.slashMonths += 1
      this.#keep('slash', cell)
    } else if (style === 'ambiguous') {
      if (numeral.body.includes('.')) this.ambiguousDots += 1
      this.#keep('ambiguous', cell)
    } else if (style !== 'plain') this.#keep('decided', cell)
    const asDot = style === 'comma' ? undefined : numeralToDecimal(numeral, '.')
    const asComma = style === 'dot' ? undefined : style === 'plain' ? asDot : numeralToDecimal(numeral, ',')
    if (asDot === undefined && asComma === undefined) {
      this.codes += 1
      this.#keep('code', cell)
      return
    }
    const kind = numeral.percent ? 'percent' : 'number'
    updateDigitCounts(this.asDot[kind], asDot)
    updateDigitCounts(this.asComma[kind], asComma)
    if (numeral.power !== 0) this.magnitudes += 1
    if (!numeral.percent && (this.units.size < maxUnits || this.units.has(numeral.unit)))
      this.units.set(numeral.unit, (this.units.get(numeral.unit) ?? 0) + 1)
    if (style === 'plain' || style === 'dot') this.#plain(Number(asDot), numeral)
  }

  #plain(number: number, { body, unit }: Pick<Numeral, 'body' | 'unit'>): void {
    if (!/\D/.test(body) && Math.abs(number) > this.maxPlain) this.maxPlain = Math.abs(number)
    if (unit === '' && number >= 20_000 && number <= 60_000) {
      this.serials += 1
      this.serial ||= number
    }
  }

  #moment(cell: string, isElse: boolean): void {
    const moments = momentsOf(cell)
    let bits = 0
    for (const { form, timed } of moments) {
      bits |= 1 << dateForms.indexOf(form)
      this.forms.set(form, (this.forms.get(form) ?? 0) + 1)
      if (timed && form === moments[0]!.form) this.timed += 1
    }
    if (bits !== 0) {
      this.sets.set(bits, (this.sets.get(bits) ?? 0) + 1)
      this.#keep('day', cell)
    } else if (isElse) {
      if (timeOf(cell) !== undefined) this.times += 1
      else this.#keep('word', cell)
    }
  }

  #keep(what: keyof ColumnSurvey['examples'], cell: string): void {
    const examples = this.examples[what]
    if (examples.length < maxExamples && !examples.includes(cell))
      examples.push(cell.slice(0, 60).toWellFormed())
  }
}

const digits = (): Digits => ({ count: 0, integer: 0, fraction: 0 })

function updateDigitCounts(digits: Digits, plain: string | undefined): void {
  if (plain === undefined) return
  digits.count += 1
  const negative = plain.charCodeAt(0) === 45 ? 1 : 0
  const point = plain.indexOf('.')
  const integer = (point < 0 ? plain.length : point) - negative
  const fraction = point < 0 ? 0 : plain.length - point - 1
  if (integer > digits.integer) digits.integer = integer
  if (fraction > digits.fraction) digits.fraction = fraction
}

/** Whether a number may be a day: 14030115, 1403/01/15 or 1403.01.15. With dots the year must be complete, since 1.2.10 is a chapter or a version. */
const mayBeDay = (body: string): boolean =>
  body.length === 8 || body.includes('/') || (/\d{4}/.test(body) && styleOf(body) === 'none')

/** Whether a text contains a digit: Latin, Persian or Arabic. */
export function hasDigit(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if ((code >= 48 && code <= 57) || (code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9))
      return true
  }
  return false
}

/** Whether a single cell is a value rather than a word. */
export const isValue = (cell: string): boolean => {
  if (!hasDigit(cell)) return false
  const numeral = numeralOf(cell)
  if (numeral)
    return plainDecimal(numeral.body, '.') !== undefined || plainDecimal(numeral.body, ',') !== undefined
  return momentsOf(cell).length > 0 || timeOf(cell) !== undefined
}
