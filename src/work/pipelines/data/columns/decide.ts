/** Decides the kind of a column and how its cells are interpreted, from the survey of all cells. */
import { type Calendar, dayText } from '../values/calendar.ts'
import { type DateForm, dateForms, momentsOf, serialMoment } from '../values/dates.ts'
import { foldKey } from '../values/fold.ts'
import { type DecimalSign, numeralOf, numeralToDecimal } from '../values/numerals.ts'
import type { Note } from './notes.ts'
import type { ColumnSurvey, Digits } from './survey.ts'

export type ColumnKind = 'number' | 'percent' | 'date' | 'time' | 'text'

/** How the cells of a column are read. Plain JSON. */
export interface ColumnSpec {
  name: string
  kind: ColumnKind
  /** For numbers: decimals that are kept, and the decimal sign. */
  scale?: number
  decimal?: DecimalSign
  slash?: boolean
  /** The unit of all numbers. */
  unit?: string
  calendar?: Calendar
  timed?: boolean
  /** Date forms, the applicable ones first. */
  forms?: DateForm[]
  /** Numbers that are serial days of a spreadsheet. */
  serial?: boolean
}

/** Minimum share of the cells of a column that are numbers, dates or times, for it to have that kind. */
const leastShare = 0.8
/** Any number of this many digits fits into 64 bits. */
const maxDigits = 18
const codeNamePattern = /کد(?![اوی])|شماره|code|(?<!\p{L})id(?!\p{L})/iu
const dateNamePattern = /تاریخ|روز|date|day|زمان|سررسید/i

/** `isPersian`: the table is in Persian, so a two-digit year is more likely Jalali. */
export function decideColumn(
  name: string,
  survey: ColumnSurvey,
  isPersian: boolean,
  notes: Note[],
): ColumnSpec {
  const minCount = Math.max(1, Math.ceil(survey.present * leastShare))
  if (survey.present === 0) return { name, kind: 'text' }
  const number = numberStatsOf(name, survey)
  // A leading zero in a column with such a name means codes: as a number, 0012 would lose its zeros.
  const isCode = survey.codes > 0 && codeNamePattern.test(name)
  const spec =
    dateSpec(name, survey, { least: minCount, isPersian }, notes) ??
    (survey.times >= minCount ? ({ name, kind: 'time' } as const) : undefined) ??
    (number.count >= minCount && !isCode ? numberSpec(name, survey, number, notes) : undefined) ??
    (number.percent.count >= minCount ? percentSpec(name, survey, number, notes) : undefined)
  return spec ?? textSpec(name, survey, { ...number, isCode }, notes)
}

interface NumberStats {
  decimal: DecimalSign
  guess: boolean
  slash: boolean
  number: Digits
  percent: Digits
  /** Count of the cells with the unit, without one, or with a convertible one. */
  count: number
  unit: string
  /** Whether the column name contains the unit. */
  isNamed: boolean
}

/** The currency in a column name, unless it is a multiple of a currency. */
function currencyIn(name: string): string | undefined {
  if (/هزار|میلیون|میلیارد|thousand|million|billion/i.test(name)) return undefined
  const [rial, toman] = [/ریال|rial|\birr\b/i.test(name), /توما?ن|toman|\birt\b/i.test(name)]
  return rial === toman ? undefined : rial ? 'ریال' : 'تومان'
}

/** The unit of a column: from its name, or from at least half of its cells. */
function unitOfColumn(name: string, { units }: ColumnSurvey): Pick<NumberStats, 'unit' | 'isNamed'> {
  const [unit = '', ofUnit = 0] =
    [...units].filter(([each]) => each !== '').toSorted(([, a], [, b]) => b - a)[0] ?? []
  const named = unit === 'ریال' || unit === 'تومان' ? currencyIn(name) : undefined
  if (named) return { unit: named, isNamed: true }
  return { unit: ofUnit >= (units.get('') ?? 0) ? unit : '', isNamed: false }
}

function numberStatsOf(name: string, survey: ColumnSurvey): NumberStats {
  const { decimal, guess } = decimalOfColumn(survey)
  const { number, percent } = decimal === '.' ? survey.asDot : survey.asComma
  const slash = survey.styles.slash > survey.slashMonths
  const { unit, isNamed } = unitOfColumn(name, survey)
  const countWithUnit = (each: string) => survey.units.get(each) ?? 0
  const convertibleUnit = unit === 'ریال' ? 'تومان' : unit === 'تومان' ? 'ریال' : ''
  const known =
    countWithUnit('') +
    (unit ? countWithUnit(unit) : 0) +
    (convertibleUnit ? countWithUnit(convertibleUnit) : 0)
  const lost = slash ? 0 : survey.styles.slash
  const count = Math.min(number.count, known) - lost
  return { decimal, guess, slash, number, percent, unit, isNamed, count }
}

/** The decimal sign of a column, decided by the cells whose separators are unambiguous; if there are none, it is a guess. */
function decimalOfColumn({ styles, maxPlain, ambiguousDots }: ColumnSurvey): {
  decimal: DecimalSign
  guess: boolean
} {
  if (styles.dot > 0 || styles.comma > 0)
    return { decimal: styles.comma > styles.dot ? ',' : '.', guess: false }
  if (styles.ambiguous === 0) return { decimal: '.', guess: false }
  // 1.234 beside 950: no number has more than three digits without a separator, so the dot separates thousands.
  const isGrouped = maxPlain > 0 && maxPlain < 1_000
  // 250,000 beside 95000 is read with a thousands separator: no cell proves a decimal comma, and some people omit separators.
  const areDots = ambiguousDots * 2 > styles.ambiguous
  return { decimal: areDots && isGrouped ? ',' : '.', guess: true }
}

function numberSpec(name: string, survey: ColumnSurvey, numbers: NumberStats, notes: Note[]): ColumnSpec {
  const { decimal, number, unit, slash, isNamed } = numbers
  noteDecimalSign(name, survey, numbers, notes)
  const bare = survey.units.get('') ?? 0
  if (unit && bare > 0) notes.push({ kind: 'bare-unit', column: name, count: bare, unit, guess: !isNamed })
  if (survey.magnitudes > 0) notes.push({ kind: 'magnitudes', column: name, count: survey.magnitudes })
  const scale = Math.min(number.fraction, Math.max(0, maxDigits - number.integer))
  return { name, kind: 'number', scale, decimal, ...(slash && { slash }), ...(unit && { unit }) }
}

function percentSpec(name: string, survey: ColumnSurvey, numbers: NumberStats, notes: Note[]): ColumnSpec {
  const { decimal, percent, slash } = numbers
  noteDecimalSign(name, survey, numbers, notes)
  const scale = Math.min(percent.fraction, Math.max(0, maxDigits - percent.integer))
  return { name, kind: 'percent', scale, decimal, ...(slash && { slash }) }
}

function noteDecimalSign(
  name: string,
  survey: ColumnSurvey,
  { decimal, guess, slash }: NumberStats,
  notes: Note[],
) {
  const read = (written: string) => {
    const numeral = numeralOf(written)
    return (numeral && numeralToDecimal(numeral, decimal)) ?? ''
  }
  if (guess || decimal === ',') {
    const written = (guess ? survey.examples.ambiguous[0] : survey.examples.decided.find(read)) ?? ''
    notes.push({ kind: 'decimal', column: name, sign: decimal, guess, written, read: read(written) })
  }
  const written = survey.examples.slash[0]
  if (slash && written) notes.push({ kind: 'slash', column: name, written, read: read(written) })
}

const hasForm = (bits: number, form: DateForm): boolean => (bits & (1 << dateForms.indexOf(form))) !== 0

/** Date forms that may occur together in one column, the more common first. */
const mixtures: DateForm[][] = [
  ['ymd-jalali', 'words-jalali', 'dmy-jalali'],
  ['ymd-gregorian', 'words-gregorian', 'dmy-gregorian'],
  ['ymd-gregorian', 'words-gregorian', 'mdy-gregorian'],
  ['ymd-jalali', 'words-jalali', 'short-ymd-jalali'],
  ['ymd-gregorian', 'words-gregorian', 'dmy-gregorian', 'short-dmy-gregorian'],
  ['ymd-gregorian', 'words-gregorian', 'mdy-gregorian', 'short-mdy-gregorian'],
  ['ymd-gregorian', 'words-gregorian', 'short-ymd-gregorian'],
  ['ymd-jalali', 'words-jalali', 'short-dmy-jalali'],
]
/** Forms for a date that is invalid in the column's calendar; they are unambiguous, whatever the forms of the column. */
const unambiguousForms: DateForm[] = [
  'ymd-jalali',
  'ymd-gregorian',
  'words-jalali',
  'words-gregorian',
  'dmy-jalali',
]

function dateSpec(
  name: string,
  survey: ColumnSurvey,
  { least: minCount, isPersian }: { least: number; isPersian: boolean },
  notes: Note[],
): ColumnSpec | undefined {
  const compact =
    compactDateSpec(name, survey, minCount, notes) ?? serialDateSpec(name, survey, minCount, notes)
  if (compact) return compact
  let total = 0
  for (const count of survey.sets.values()) total += count
  if (total === 0) return undefined
  const countMatching = (forms: readonly DateForm[]) =>
    [...survey.sets].reduce(
      (sum, [bits, count]) => sum + (forms.some((form) => hasForm(bits, form)) ? count : 0),
      0,
    )
  const isUnusual = (forms: readonly DateForm[]) =>
    forms.some((form) => form.startsWith('short') && form.endsWith('jalali') !== isPersian)
  const ranked = [...mixtures.filter((forms) => !isUnusual(forms)), ...mixtures.filter(isUnusual)]
    .map((forms) => ({ forms, own: countMatching(forms) }))
    .toSorted((a, b) => b.own - a.own)
  const best = ranked[0]!
  const forms = [...best.forms, ...unambiguousForms.filter((form) => !best.forms.includes(form))]
  if (best.own === 0 || countMatching(forms) < minCount) return undefined
  const calendar = best.forms[0]!.endsWith('jalali') ? 'jalali' : 'gregorian'
  const spec: ColumnSpec = { name, kind: 'date', calendar, forms, ...(survey.timed > 0 && { timed: true }) }
  noteDateOrder(spec, survey, ranked, notes)
  if (calendar === 'jalali') notes.push({ kind: 'jalali', column: name })
  return spec
}

interface RankedForms {
  forms: DateForm[]
  own: number
}

/** Notes the detected order of dates, and whether another one would also have fitted. */
function noteDateOrder(
  spec: ColumnSpec,
  survey: ColumnSurvey,
  ranked: readonly RankedForms[],
  notes: Note[],
): void {
  const [best] = ranked as [RankedForms]
  const written =
    survey.examples.day.find((cell) => momentsOf(cell).some(({ form }) => best.forms.includes(form))) ?? ''
  const moment = momentsOf(written).find(({ form }) => best.forms.includes(form))
  const read = moment ? dayText(moment.calendar, Math.floor(moment.seconds / 86_400)) : ''
  const own = best.forms.find((form) => form.includes('dmy') || form.includes('mdy'))
  const short = best.forms.some((form) => form.startsWith('short') && survey.forms.has(form))
  const isUsed = own !== undefined && (survey.forms.get(own) ?? 0) > 0
  if (isUsed && spec.calendar === 'gregorian') {
    const rivals = ranked.filter(({ own: count, forms }) => count === best.own && forms !== best.forms)
    const dayFirst = own.includes('dmy')
    const other = dayFirst ? 'mdy' : 'dmy'
    const guess = rivals.some(({ forms }) =>
      forms.some((form) => form.includes(other) && survey.forms.has(form)),
    )
    notes.push({ kind: 'order', column: spec.name, dayFirst, guess, written, read })
  }
  if (short) notes.push({ kind: 'century', column: spec.name, written, read })
}

/** Numbers such as 14030105, which are dates only if the column is named like a date. */
function compactDateSpec(
  name: string,
  survey: ColumnSurvey,
  minCount: number,
  notes: Note[],
): ColumnSpec | undefined {
  const [jalali, gregorian] = (['compact-jalali', 'compact-gregorian'] as const).map(
    (form) => survey.forms.get(form) ?? 0,
  ) as [number, number]
  if (Math.max(jalali, gregorian) < minCount || !dateNamePattern.test(name)) return undefined
  const calendar = jalali >= gregorian ? 'jalali' : 'gregorian'
  const written = survey.examples.day[0] ?? ''
  const moment = momentsOf(written)[0]
  const read = moment ? dayText(moment.calendar, moment.seconds / 86_400) : ''
  notes.push({ kind: 'compact', column: name, written, read })
  return { name, kind: 'date', calendar, forms: [`compact-${calendar}`, ...unambiguousForms] }
}

/** Numbers such as 45375, which are serial days of a spreadsheet if the column is named like a date. */
function serialDateSpec(
  name: string,
  survey: ColumnSurvey,
  minCount: number,
  notes: Note[],
): ColumnSpec | undefined {
  if (survey.serials < minCount || !/تاریخ|date|سررسید/i.test(foldKey(name))) return undefined
  const written = String(survey.serial)
  const { seconds } = serialMoment(survey.serial)
  const read = dayText('gregorian', Math.floor(seconds / 86_400))
  notes.push({ kind: 'serial', column: name, written, read })
  return { name, kind: 'date', calendar: 'gregorian', serial: true, forms: unambiguousForms }
}

function textSpec(
  name: string,
  survey: ColumnSurvey,
  numbers: NumberStats & { isCode: boolean },
  notes: Note[],
): ColumnSpec {
  const { codes, present, examples, times } = survey
  const days = [...survey.sets.values()].reduce((sum, count) => sum + count, 0)
  const values = Math.max(numbers.number.count, numbers.percent.count, days, times)
  if (codes * 2 >= present || (numbers.isCode && numbers.count * 2 >= present))
    notes.push({ kind: 'codes', column: name, examples: examples.code })
  else if (values > 0 && values * 10 >= present)
    notes.push({ kind: 'stayed-text', column: name, values, of: present, examples: examples.word })
  return { name, kind: 'text' }
}
