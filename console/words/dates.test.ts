import { expect, test } from 'vitest'
import { formatClock, formatDay, formatFull, formatMoment, formatWeekday } from './dates.ts'

const tehran = { timeZone: 'Asia/Tehran' }
const now = new Date('2026-11-29T10:32:11Z')

test('days are Jalali in Persian and Gregorian in English, in the order of the language', () => {
  expect(formatWeekday('fa', now, tehran)).toBe('یکشنبه ۸ آذر ۱۴۰۵')
  expect(formatWeekday('en', now, tehran)).toBe('Sunday, 29 November 2026')
  expect(formatFull('fa', now, tehran)).toBe('یکشنبه ۸ آذر ۱۴۰۵، ۱۴:۰۲:۱۱')
  expect(formatFull('en', now, tehran)).toBe('Sunday, 29 November 2026, 14:02:11')
})

test('a moment of today is a clock, another one a day, with its year where that is another', () => {
  expect(formatMoment('fa', now, now, tehran)).toBe('۱۴:۰۲:۱۱')
  expect(formatClock('en', now, tehran)).toBe('14:02:11')
  expect(formatMoment('fa', new Date('2026-12-15T00:00:00Z'), now, tehran)).toBe('۲۴ آذر')
  expect(formatDay('fa', new Date('2027-02-27T12:00:00Z'), now, tehran)).toBe('۸ اسفند')
  expect(formatDay('fa', new Date('2027-04-01T12:00:00Z'), now, tehran)).toBe('۱۲ فروردین ۱۴۰۶')
  expect(formatDay('en', new Date('2027-04-01T12:00:00Z'), now, tehran)).toBe('1 April 2027')
})

test('the day begins at midnight of the time zone', () => {
  expect(formatMoment('fa', new Date('2026-11-28T20:29:59Z'), now, tehran)).toBe('۷ آذر')
  expect(formatMoment('fa', new Date('2026-11-28T20:30:00Z'), now, tehran)).toBe('۰۰:۰۰:۰۰')
})

test('a moment is told in the time of Tehran wherever the browser is, as days of usage and months of caps are', () => {
  const late = new Date('2026-11-28T20:30:00Z')
  expect(formatMoment('en', late, late)).toBe('00:00:00')
  expect(formatFull('en', late)).toBe('Sunday, 29 November 2026, 00:00:00')
})
