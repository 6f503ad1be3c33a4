import type { ToolFailure } from '#core/turn'
import { latinDigits, persianDigits } from '#platform/words'
import { toolFailure } from './failed.ts'
import { member, textMember } from './input.ts'
import {
  addMonths,
  type CalendarDate,
  type CalendarName,
  calendarDifference,
  calendars,
  dayIn,
  isLeapJalali,
  isSupportedYear,
} from './jalali.ts'
import type { HostedTool, ToolContext } from './tools.ts'

const msPerDay = 86_400_000
const amounts = { years: 2_000, months: 24_000, days: 800_000 }

/** Time and calendars, which models get wrong most often about Iran. The answers are exact, by the zone database and the calendars of ICU. */
export function datetime(): HostedTool {
  return {
    name: 'datetime',
    description:
      'Tells the current date and time in any time zone, converts dates between the Gregorian and the Jalali (Iranian, Solar Hijri) calendar, adds days, months and years to a date, and counts what lies between two dates. Use it for every question about today, weekdays and Jalali dates: never reckon them yourself.',
    parameters,
    price: 0n,
    run: async (input, context) => {
      const reply = answer(input, context)
      return isFailed(reply) ? reply : { content: JSON.stringify(reply), results: [] }
    },
  }
}

const parameters = {
  type: 'object',
  properties: {
    action: {
      type: 'string',
      enum: ['now', 'convert', 'add', 'difference'],
      description: 'now is the default. convert shows one date in both calendars.',
    },
    timezone: {
      type: 'string',
      description: 'IANA name such as Asia/Tehran (the default) or Europe/Berlin.',
    },
    date: {
      type: 'string',
      description:
        'For convert, add and difference: 1403/12/30 or 2025-03-20, or a moment with its offset such as 2025-03-20T10:00:00Z. Today when left out.',
    },
    until: {
      type: 'string',
      description: 'For difference: the other date, in the same words. Today when left out.',
    },
    calendar: {
      type: 'string',
      enum: ['jalali', 'gregorian'],
      description:
        'Of the dates given, and of months and years that are added or counted. By default years below 1700 are Jalali.',
    },
    years: { type: 'integer' },
    months: { type: 'integer' },
    days: { type: 'integer', description: 'For add; years, months and days may be negative.' },
  },
  additionalProperties: false,
}

type Reply = Record<string, unknown> | ToolFailure

const isFailed = (reply: Reply): reply is ToolFailure => 'error' in reply

function answer(input: unknown, { nowMs, timeZone: usual = 'Asia/Tehran' }: ToolContext): Reply {
  const timeZone = textMember(input, 'timezone') ?? usual
  if (!isTimeZone(timeZone))
    return toolFailure(
      'invalid_tool_input',
      `${timeZone} is no IANA time zone; write one such as Asia/Tehran.`,
    )
  const today = dayIn(timeZone, nowMs)
  const action = textMember(input, 'action') ?? (member(input, 'date') === undefined ? 'now' : 'convert')
  const moment = momentOf(textMember(input, 'date'))
  if (action === 'now') return describeMoment(nowMs, timeZone)
  if (action === 'convert' && moment !== undefined) return describeMoment(moment, timeZone)

  const from = readDay(input, 'date', { today, timeZone })
  if (from === undefined) return noDate('date')
  const calendar = calendarOf(input)
  if (action === 'convert') return describeDay(from)
  if (action === 'add') return addToDate(input, from, calendar)
  if (action === 'difference') {
    const to = readDay(input, 'until', { today, timeZone })
    return to === undefined ? noDate('until') : difference(from, to, calendar)
  }
  return toolFailure('invalid_tool_input', 'action is one of now, convert, add, difference.')
}

const noDate = (name: string): ToolFailure =>
  toolFailure(
    'invalid_tool_input',
    `${name} is no day of its calendar; write 1403/12/30 (Jalali) or 2025-03-20 (Gregorian).`,
  )

/** Whether this machine knows a time zone of that name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The moment of a text such as `2025-03-20T10:00:00+03:30`; undefined for a time without an offset, which is no moment. */
function momentOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text))
    return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) || !isSupportedYear('gregorian', calendars.gregorian.dateOf(ms / msPerDay))
    ? undefined
    : ms
}

/** The calendar of a date's months: the one named, else the one that the first date is written in; moments are Gregorian. */
function calendarOf(input: unknown): CalendarName {
  const named = member(input, 'calendar')
  if (named === 'jalali' || named === 'gregorian') return named
  for (const text of [textMember(input, 'date'), textMember(input, 'until')]) {
    if (momentOf(text) !== undefined) return 'gregorian'
    const read = readDate(text ?? '', undefined)
    if (read) return read.calendar
  }
  return 'jalali'
}

/** The day that a member of the input names, or on which its moment lies in the time zone. */
function readDay(
  input: unknown,
  name: string,
  { today, timeZone }: { today: number; timeZone: string },
): number | undefined {
  const text = textMember(input, name)
  if (text === undefined || /^(today|امروز)$/i.test(text)) return today
  const moment = momentOf(text)
  if (moment !== undefined) return dayIn(timeZone, moment)
  const named = member(input, 'calendar')
  const read = readDate(text, named === 'jalali' || named === 'gregorian' ? named : undefined)
  return read && isSupportedYear(read.calendar, read.date)
    ? calendars[read.calendar].dayOf(read.date)
    : undefined
}

/** Reads a date such as `1403/12/30`, `۱۴۰۳-۱۲-۳۰` or `2025-03-20`. */
function readDate(
  text: string,
  named: CalendarName | undefined,
): { calendar: CalendarName; date: CalendarDate } | undefined {
  const match = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(latinDigits(text))
  if (!match) return undefined
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  // Nobody alive means the year 1403 of the Gregorian calendar, or 2025 of the Jalali one.
  return { calendar: named ?? (year < 1700 ? 'jalali' : 'gregorian'), date: { year, month, day } }
}

function addToDate(input: unknown, from: number, calendar: CalendarName): Reply {
  const [years, months, days] = (['years', 'months', 'days'] as const).map((name) => {
    const value = Number(member(input, name) ?? 0)
    return Number.isInteger(value) && Math.abs(value) <= amounts[name] ? value : undefined
  })
  if (years === undefined || months === undefined || days === undefined)
    return toolFailure(
      'invalid_tool_input',
      'years, months and days are whole numbers, of at most two thousand years.',
    )
  const moved = addMonths(calendar, from, years * 12 + months)
  const day = moved === undefined ? undefined : moved + days
  if (day === undefined || !isSupportedYear('gregorian', calendars.gregorian.dateOf(day)))
    return toolFailure('invalid_tool_input', 'that is beyond the years that calendars are known for.')
  return { from: describeDay(from), added: { years, months, days, calendar }, result: describeDay(day) }
}

function difference(from: number, to: number, calendar: CalendarName): Reply {
  const [earlier, later] = from <= to ? [from, to] : [to, from]
  return {
    from: describeDay(from),
    until: describeDay(to),
    days: to - from,
    weeks_and_days: { weeks: Math.floor((later - earlier) / 7), days: (later - earlier) % 7 },
    [`in_${calendar}_calendar`]: calendarDifference(calendar, earlier, later),
    direction: from === to ? 'same day' : from < to ? 'until is later' : 'until is earlier',
  }
}

function describeMoment(ms: number, timeZone: string): Record<string, unknown> {
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(ms)
  const read = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const time = `${read('hour')}:${read('minute')}:${read('second')}`
  const offset = read('timeZoneName').replace('GMT', '') || '+00:00'
  const day = describeDay(dayIn(timeZone, ms))
  return {
    timezone: timeZone,
    utc_offset: offset,
    iso: `${(day['gregorian'] as { date: string }).date}T${time}${offset}`,
    time,
    time_fa: persianDigits(time),
    unix_seconds: Math.floor(ms / 1_000),
    ...day,
  }
}

function describeDay(epochDay: number): Record<string, unknown> {
  const ms = epochDay * msPerDay
  const day = calendars.gregorian.dateOf(epochDay)
  const jalali = calendars.jalali.dateOf(epochDay)
  const weekday = { en: weekdayEn.format(ms), fa: weekdayFa.format(ms) }
  const date = formatDate(jalali, '/')
  return {
    gregorian: {
      date: formatDate(day, '-'),
      text: `${weekday.en}, ${day.day} ${monthEn.format(ms)} ${day.year}`,
    },
    jalali: {
      date,
      date_fa: persianDigits(date),
      text: `${weekday.en}, ${jalali.day} ${jalaliMonthEn.format(ms)} ${jalali.year}`,
      text_fa: `${weekday.fa} ${persianDigits(`${jalali.day} ${jalaliMonthFa.format(ms)} ${jalali.year}`)}`,
      leap_year: isLeapJalali(jalali.year),
    },
    weekday,
  }
}

const names = (locale: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options })

const weekdayEn = names('en', { weekday: 'long' })
const weekdayFa = names('fa', { weekday: 'long' })
const monthEn = names('en-u-ca-gregory', { month: 'long' })
const jalaliMonthEn = names('en-u-ca-persian', { month: 'long' })
const jalaliMonthFa = names('fa-u-ca-persian', { month: 'long' })

const formatDate = ({ year, month, day }: CalendarDate, between: string): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join(between)
