/** Parses dates and times as people write them, with every possible order; the column decides which one applies. */
import { type Calendar, dayOf } from './calendar.ts'
import { foldKey, latinDigits, withoutUnseen } from './fold.ts'

/** The form of a date. The century of a two-digit year is a guess. */
export const dateForms = [
  'ymd-jalali',
  'ymd-gregorian',
  'dmy-jalali',
  'dmy-gregorian',
  'mdy-gregorian',
  'words-jalali',
  'words-gregorian',
  'short-ymd-jalali',
  'short-dmy-jalali',
  'short-ymd-gregorian',
  'short-dmy-gregorian',
  'short-mdy-gregorian',
  'compact-jalali',
  'compact-gregorian',
] as const
export type DateForm = (typeof dateForms)[number]

export interface Moment {
  form: DateForm
  calendar: Calendar
  /** Seconds since 1970-01-01, in the written local time. */
  seconds: number
  timed: boolean
}

const daySeconds = 86_400
const jalaliMonths = 'فروردین اردیبهشت خرداد تیر مرداد شهریور مهر ابان اذر دی بهمن اسفند'.split(' ')
const gregorianMonths = [
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
  'ژانویه فوریه مارس اوریل مه ژوین ژوییه اوت سپتامبر اکتبر نوامبر دسامبر',
].map((names) => names.split(' '))
const otherNames: Record<string, number> = { می: 5, جون: 6, جولای: 7, ژوین: 6, اگوست: 8, sept: 9, امرداد: 5 }
const weekdays = new Set(
  'شنبه یکشنبه دوشنبه سهشنبه چهارشنبه پنجشنبه جمعه monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun'.split(
    ' ',
  ),
)

/** All dates that a text may mean, the more common forms first; none if it is not a date. */
export function momentsOf(text: string): Moment[] {
  if (text.length > 48 || text.length < 6) return []
  const plain = latinDigits(withoutUnseen(text)).trim()
  if (!/\d/.test(plain)) return []
  const { day, seconds } = splitTime(plain)
  const found = /^\d{8}$/.test(day) ? compactDays(day) : (numericDays(day) ?? wordedDay(day))
  return found.map((each) => ({
    ...each,
    seconds: each.seconds + (seconds ?? 0),
    timed: seconds !== undefined,
  }))
}

const clock = /(?<![\d/.-])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?/
const afternoon = /^\s?(?:p\.?m\.?|ب\.?\s?ظ\.?|بعد ?از ?ظهر|عصر)/i
const morning = /^\s?(?:a\.?m\.?|ق\.?\s?ظ\.?|قبل ?از ?ظهر|صبح)/i

/** The time of day in a text, and the rest of the text. */
function splitTime(text: string): { day: string; seconds?: number } {
  const iso = text.replace(/(?<=\d)T(?=\d\d:)/, ' ')
  const found = clock.exec(iso)
  if (!found) return { day: iso }
  const [written, hour, minute, second = '0'] = found
  let rest = iso.slice(found.index + written.length)
  const isAfter = afternoon.exec(rest)
  const half = isAfter ?? morning.exec(rest)
  if (half) rest = rest.slice(half[0].length)
  rest = rest.replace(/^\s?(?:Z|UTC|[+-]\d{2}:?\d{2})$/, '')
  const hours = half ? (Number(hour) % 12) + (isAfter ? 12 : 0) : Number(hour)
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return { day: iso }
  const before = iso
    .slice(0, found.index)
    .trimEnd()
    .replace(/(?:ساعت|[-–,،|])$/, '')
  const after = rest.replace(/^[\s\-–,،|]+/, '')
  return {
    day: `${before.trim()} ${after.trim()}`.trim(),
    seconds: hours * 3_600 + Number(minute) * 60 + Number(second),
  }
}

/** A time of the day alone, in seconds. */
export function timeOf(text: string): number | undefined {
  if (text.length > 24 || text.length < 4) return undefined
  const { day, seconds } = splitTime(latinDigits(withoutUnseen(text)).trim())
  return day === '' || day === 'ساعت' ? seconds : undefined
}

type Day = Pick<Moment, 'form' | 'calendar' | 'seconds'>

function validDays(form: DateForm, year: number, month: number, day: number): Day[] {
  const calendar = form.endsWith('jalali') ? 'jalali' : 'gregorian'
  const isYear = calendar === 'jalali' ? year >= 1200 && year <= 1500 : year >= 1700 && year <= 2300
  const found = isYear ? dayOf(calendar, year, month, day) : undefined
  return found === undefined ? [] : [{ form, calendar, seconds: found * daySeconds }]
}

/** Two-digit years are read as years near the present. */
const jalaliYear = (two: number): number => (two <= 20 ? 1400 : 1300) + two
const gregorianYear = (two: number): number => (two <= 49 ? 2000 : 1900) + two

const numeric = /^(\d{1,4})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,4})$/

function numericDays(text: string): Day[] | undefined {
  const bare = withoutWeekday(text)
  const found = numeric.exec(bare)
  if (!found) return undefined
  const [a, b, c] = [found[1], found[3], found[4]].map(Number) as [number, number, number]
  const [first, last] = [found[1]!.length, found[4]!.length]
  if (first === 4 && last <= 2)
    return [...validDays('ymd-jalali', a, b, c), ...validDays('ymd-gregorian', a, b, c)]
  if (last === 4 && first <= 2)
    return [
      ...validDays('dmy-jalali', c, b, a),
      ...validDays('dmy-gregorian', c, b, a),
      ...validDays('mdy-gregorian', c, a, b),
    ]
  if (first > 2 || last > 2 || (first !== 2 && last !== 2)) return []
  return [
    ...(first === 2
      ? [
          ...validDays('short-ymd-jalali', jalaliYear(a), b, c),
          ...validDays('short-ymd-gregorian', gregorianYear(a), b, c),
        ]
      : []),
    ...(last === 2
      ? [
          ...validDays('short-dmy-jalali', jalaliYear(c), b, a),
          ...validDays('short-dmy-gregorian', gregorianYear(c), b, a),
          ...validDays('short-mdy-gregorian', gregorianYear(c), a, b),
        ]
      : []),
  ]
}

function compactDays(text: string): Day[] {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6)].map(Number) as [
    number,
    number,
    number,
  ]
  return [
    ...validDays('compact-jalali', year, month, day),
    ...validDays('compact-gregorian', year, month, day),
  ]
}

/** Removes a leading name of a weekday. */
function withoutWeekday(text: string): string {
  const first = /^([^\d]{3,16}?)[\s،,]+(?=\d)/.exec(text)
  return first && weekdays.has(foldKey(first[1]!).replaceAll(' ', '')) ? text.slice(first[0].length) : text
}

/** Days with the month in words: «شنبه ۵ فروردین ۱۴۰۳», `Monday, 5 March 2024`, `March 5, 2024`. */
function wordedDay(text: string): Day[] {
  const parts = text.split(/[\s،,]+/)
  if (parts.length < 3 || parts.length > 7 || !parts.some((part) => /^\d{4}|\d{2}$/.test(part))) return []
  const words = parts
    .map((word) => foldKey(word).replaceAll('آ', 'ا').replace(/\.$/, ''))
    .filter((word) => word !== '' && word !== 'ماه' && word !== 'سال' && !weekdays.has(word))
    .flatMap((word) => (/^\d{1,2}(?:st|nd|rd|th|ام|م)$/.test(word) ? [word.replace(/\D+$/, '')] : [word]))
  // «سه شنبه» is written in two words as well.
  const rest = words.filter(
    (word) => word !== 'سه' && word !== 'یک' && word !== 'دو' && word !== 'چهار' && word !== 'پنج',
  )
  if (rest.length !== 3) return []
  const [first, second, third] = rest as [string, string, string]
  const isNumber = (word: string) => /^\d{1,4}$/.test(word)
  if (!isNumber(third)) return []
  if (isNumber(first) && !isNumber(second)) return namedMonthDays(second, Number(first), Number(third))
  return !isNumber(first) && isNumber(second) ? namedMonthDays(first, Number(second), Number(third)) : []
}

function namedMonthDays(month: string, one: number, other: number): Day[] {
  const [day, year] = one > 31 ? [other, one] : [one, other]
  const jalali = jalaliMonths.indexOf(month) + 1 || (month === 'امرداد' ? 5 : 0)
  if (jalali > 0) return validDays('words-jalali', year < 100 ? jalaliYear(year) : year, jalali, day)
  const names = gregorianMonths.find((list) => list.includes(month))
  const gregorian = names ? names.indexOf(month) + 1 : (otherNames[month] ?? 0)
  return validDays('words-gregorian', year < 100 ? gregorianYear(year) : year, gregorian, day)
}

/** The moment of a serial number of a spreadsheet: days since 1899-12-30, and the time as the fraction. */
export function serialMoment(serial: number, epoch1904 = false): { seconds: number; timed: boolean } {
  const days = Math.floor(serial) + (epoch1904 ? 1_462 : 0)
  const within = Math.round((serial - Math.floor(serial)) * daySeconds)
  return { seconds: (days - 25_569) * daySeconds + within, timed: within > 0 }
}
