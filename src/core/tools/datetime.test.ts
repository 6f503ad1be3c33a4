import { describe, expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { datetime } from './datetime.ts'
import { addMonths, calendarDifference, calendars, isLeapJalali } from './jalali.ts'
import type { ToolContext } from './tools.ts'

const context = (nowMs = Date.parse('2026-11-20T20:45:30Z')): ToolContext => ({
  accountId: 'somebody',
  signal: new AbortController().signal,
  nowMs,
  state: {},
})

// biome-ignore lint/suspicious/noExplicitAny: the answer is JSON for a model, looked into here and there.
async function ask(input: unknown, nowMs?: number): Promise<any> {
  const result = await datetime().run(input, context(nowMs))
  return result.error ? result.error : JSON.parse(result.content)
}

test('now is given in Tehran, in both calendars, both languages and both kinds of digits', async () => {
  expect(await ask({})).toEqual({
    timezone: 'Asia/Tehran',
    utc_offset: '+03:30',
    iso: '2026-11-21T00:15:30+03:30',
    time: '00:15:30',
    time_fa: '۰۰:۱۵:۳۰',
    unix_seconds: 1_795_207_530,
    gregorian: { date: '2026-11-21', text: 'Saturday, 21 November 2026' },
    jalali: {
      date: '1405/08/30',
      date_fa: '۱۴۰۵/۰۸/۳۰',
      text: 'Saturday, 30 Aban 1405',
      text_fa: 'شنبه ۳۰ آبان ۱۴۰۵',
      leap_year: false,
    },
    weekday: { en: 'Saturday', fa: 'شنبه' },
  })
})

test('another zone has its own day and offset', async () => {
  expect(await ask({ timezone: 'Europe/Berlin' })).toMatchObject({
    iso: '2026-11-20T21:45:30+01:00',
    jalali: { date: '1405/08/29' },
  })
  expect(await ask({ timezone: 'UTC' })).toMatchObject({ utc_offset: '+00:00' })
  expect(await ask({ timezone: 'Asia/Atlantis' })).toBe('invalid_tool_input')
})

test('Tehran had summer time until 2022 and has none since', async () => {
  const offset = async (date: string) => (await ask({ date }))['utc_offset']
  expect(await offset('2022-07-01T00:00:00Z')).toBe('+04:30')
  expect(await offset('2023-07-01T00:00:00Z')).toBe('+03:30')
  expect(await offset('2026-07-01T00:00:00Z')).toBe('+03:30')
})

test.each([
  ['1403/12/30', '2025-03-20'], // the last day of a leap year
  ['1404/01/01', '2025-03-21'], // Nowruz after a leap year
  ['1403/01/01', '2024-03-20'], // Nowruz on the twentieth
  ['1402/12/29', '2024-03-19'],
  ['1408/12/30', '2030-03-20'], // five years after the last leap year
  ['1409/01/01', '2030-03-21'],
  ['1399/12/30', '2021-03-20'],
  ['1405/06/31', '2026-09-22'],
  ['1405/07/30', '2026-10-22'],
  ['1357/11/22', '1979-02-11'],
  ['1/1/1', '0622-03-21'],
])('%s is %s, both ways', async (jalali, gregorian) => {
  expect((await ask({ date: jalali }))['gregorian'].date).toBe(gregorian)
  const back = await ask({ action: 'convert', date: gregorian, calendar: 'gregorian' })
  if (jalali !== '1/1/1') expect(back['jalali'].date).toBe(jalali)
})

test.each([
  '1404/12/30',
  '1407/12/30',
  '1405/07/31',
  '1405/13/01',
  '1405/00/10',
  '2025-02-29',
  '1900-02-29',
  'fardā',
  '9999-01-01',
  '2025-03-20T10:00:00',
])('%s is no day', async (date) => {
  expect(await ask({ date })).toBe('invalid_tool_input')
})

test('dates are read in Persian digits too, and a moment is shown in the zone that was asked for', async () => {
  expect((await ask({ date: '۱۴۰۵/۰۸/۲۹' }))['gregorian'].date).toBe('2026-11-20')
  expect(await ask({ date: '2025-03-20T22:00:00Z' })).toMatchObject({ jalali: { date: '1404/01/01' } })
})

test('the leap years of the Jalali calendar are those of the almanac', () => {
  const leap = Array.from({ length: 50 }, (_, index) => 1370 + index).filter(isLeapJalali)
  expect(leap).toEqual([1370, 1375, 1379, 1383, 1387, 1391, 1395, 1399, 1403, 1408, 1412, 1416])
})

describe('adding', () => {
  test.each([
    [{ date: '1405/06/31', months: 1 }, '1405/07/30'],
    [{ date: '1403/12/30', years: 1 }, '1404/12/29'],
    [{ date: '1403/12/30', years: 5 }, '1408/12/30'],
    [{ date: '1404/12/29', days: 1 }, '1405/01/01'],
    [{ date: '1405/01/31', months: -1 }, '1404/12/29'],
    [{ date: '1405/01/15', months: -13 }, '1403/12/15'],
  ])('%o is %s', async (input, date) => {
    expect((await ask({ action: 'add', ...input })).result.jalali.date).toBe(date)
  })

  test('months are those of the calendar that the date is written in', async () => {
    expect((await ask({ action: 'add', date: '2024-01-31', months: 1 })).result.gregorian.date).toBe(
      '2024-02-29',
    )
    expect((await ask({ action: 'add', days: 10 })).result.gregorian.date).toBe('2026-12-01')
  })

  test('a moment is Gregorian, on its day in the zone', async () => {
    const added = { action: 'add', months: 1 }
    expect((await ask({ ...added, date: '2025-01-30T22:00:00Z' })).result.gregorian.date).toBe('2025-02-28')
    const jalali = { ...added, date: '2025-01-30T22:00:00Z', calendar: 'jalali' }
    expect((await ask(jalali)).result.jalali.date).toBe('1403/12/12')
  })

  test('what leaves the known years is refused', async () => {
    expect(await ask({ action: 'add', date: '1405/01/01', years: 1_999 })).toBe('invalid_tool_input')
    expect(await ask({ action: 'add', date: '1405/01/01', years: 1e300 })).toBe('invalid_tool_input')
    expect(await ask({ action: 'add', date: '1405/01/01', days: 1.5 })).toBe('invalid_tool_input')
  })
})

test('a difference is reported in days and in the months of its calendar', async () => {
  expect(await ask({ action: 'difference', date: '1403/12/30', until: '1405/01/01' })).toMatchObject({
    days: 366,
    in_jalali_calendar: { years: 1, months: 0, days: 1 },
  })
  expect(await ask({ action: 'difference', date: '2025-03-21', until: '2024-03-20' })).toMatchObject({
    days: -366,
    in_gregorian_calendar: { years: 1, months: 0, days: 1 },
    direction: 'until is earlier',
  })
})

test('a difference takes moments on both sides, and counts in the calendar of the date that is written', async () => {
  const moments = { date: '2025-03-20T22:00:00Z', until: '2025-04-21T10:00:00+03:30' }
  expect(await ask({ action: 'difference', ...moments })).toMatchObject({
    days: 31,
    in_gregorian_calendar: { years: 0, months: 1, days: 0 },
  })
  expect(await ask({ action: 'difference', date: 'today', until: '2026-12-22' })).toMatchObject({
    days: 31,
    in_gregorian_calendar: { years: 0, months: 1, days: 1 },
  })
})

test('every day comes back from either calendar, and every difference can be added again', () => {
  const day = fc.integer({ min: -140_000, max: 70_000 })
  fc.assert(
    fc.property(day, day, (one, other) => {
      for (const name of ['jalali', 'gregorian'] as const) {
        expect(calendars[name].dayOf(calendars[name].dateOf(one))).toBe(one)
        const [from, to] = one < other ? [one, other] : [other, one]
        const { years, months, days } = calendarDifference(name, from, to)
        expect(addMonths(name, from, years * 12 + months)! + days).toBe(to)
        expect(days).toBeLessThan(31)
      }
    }),
    { numRuns: 300 },
  )
})
