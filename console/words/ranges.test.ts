import { expect, test } from 'vitest'
import { daysOf, monthOf, rangeNameOf, rangeNames, rangeOf, readRange } from './ranges.ts'

test('a Jalali month has 31, 30 or 29 days, and Esfand of a leap year 30', () => {
  const month = (day: string) => monthOf('jalali', day)
  expect(month('2026-03-21')).toEqual({ from: '2026-03-21', to: '2026-04-20' })
  expect(month('2026-04-20')).toEqual({ from: '2026-03-21', to: '2026-04-20' })
  expect(month('2026-11-30')).toEqual({ from: '2026-11-22', to: '2026-12-21' })
  // 1403 and 1408 are leap years, 1405 is none.
  expect(daysOf(month('2025-03-01'))).toBe(30)
  expect(month('2025-03-20')).toEqual({ from: '2025-02-19', to: '2025-03-20' })
  expect(daysOf(month('2030-03-01'))).toBe(30)
  expect(daysOf(month('2027-03-01'))).toBe(29)
})

test('months of each calendar follow each other without a gap over ten years', () => {
  for (const calendar of ['jalali', 'gregorian'] as const) {
    let { from, to } = monthOf(calendar, '2020-01-01')
    for (let count = 0; count < 120; count++) {
      const next = monthOf(calendar, rangeOf('monthBefore', from, calendar).to)
      expect(next.to < from && daysOf({ from: next.from, to }) === daysOf(next) + daysOf({ from, to })).toBe(
        true,
      )
      expect(monthOf(calendar, next.to)).toEqual(next)
      ;({ from, to } = next)
    }
  }
})

test('a range is named by what it means today, and whatever is no range is not read', () => {
  const today = '2026-11-30'
  for (const name of rangeNames)
    expect(rangeNameOf(rangeOf(name, today, 'jalali'), today, 'jalali')).toBe(name)
  expect(rangeOf('week', today, 'gregorian')).toEqual({ from: '2026-11-24', to: today })
  expect(rangeOf('monthBefore', today, 'jalali')).toEqual({ from: '2026-10-23', to: '2026-11-21' })
  expect(rangeOf('monthBefore', today, 'gregorian')).toEqual({ from: '2026-10-01', to: '2026-10-31' })
  expect(rangeNameOf(rangeOf('month', '2026-11-29', 'gregorian'), '2026-11-29', 'jalali')).toBeUndefined()
  expect(readRange('2026-11-01', '2026-11-30')).toEqual({ from: '2026-11-01', to: '2026-11-30' })
  for (const [from, to] of [
    ['2026-11-31', '2026-12-01'],
    ['2026-12-01', '2026-11-30'],
    ['۱۴۰۵/۰۹/۰۱', '2026-12-30'],
    ['', ''],
    ['2026-02-29', '2026-03-01'],
  ] as const)
    expect(readRange(from, to), `${from} ${to}`).toBeUndefined()
})
