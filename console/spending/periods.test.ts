import { expect, test } from 'vitest'
import { daysOf } from '../words/ranges.ts'
import { comparisonOf, intervalsFor, periodsOf, upTo, usualInterval } from './periods.ts'

test('weeks begin on Saturday, months by their calendar, and the ends are cut', () => {
  const range = { from: '2026-11-20', to: '2026-11-30' }
  expect(periodsOf(range, 'week', 'jalali')).toEqual([
    { from: '2026-11-20', to: '2026-11-20' },
    { from: '2026-11-21', to: '2026-11-27' },
    { from: '2026-11-28', to: '2026-11-30' },
  ])
  expect(periodsOf(range, 'month', 'jalali')).toEqual([
    { from: '2026-11-20', to: '2026-11-21' },
    { from: '2026-11-22', to: '2026-11-30' },
  ])
  expect(periodsOf(range, 'day', 'gregorian')).toHaveLength(11)
  const year = { from: '2024-03-20', to: '2025-03-20' }
  // 1403 is a leap year: six months of 31 days, six of 30.
  expect(periodsOf(year, 'month', 'jalali').map(daysOf)).toEqual([
    31, 31, 31, 31, 31, 31, 30, 30, 30, 30, 30, 30,
  ])
  expect(periodsOf({ from: '2026-03-21', to: '2027-03-20' }, 'month', 'jalali').at(-1)).toEqual({
    from: '2027-02-20',
    to: '2027-03-20',
  })
})

test('a month that is not over is compared up to the same day of the month before, however long that is', () => {
  const of = (from: string, to: string, today: string) => comparisonOf({ from, to }, today, 'jalali')
  // The 9th of Azar 1405 with the first nine days of Aban.
  expect(of('2026-11-22', '2026-12-21', '2026-11-30')).toEqual({
    from: '2026-10-23',
    to: '2026-10-31',
    kind: 'monthSoFar',
  })
  // The 30th of Farvardin 1406 with the 29 days that Esfand 1405 has.
  expect(of('2027-03-21', '2027-04-20', '2027-04-19')).toEqual({
    from: '2027-02-20',
    to: '2027-03-20',
    kind: 'monthSoFar',
  })
  // The last day of a month: all of it with all of the one before.
  expect(of('2026-11-22', '2026-12-21', '2026-12-21').kind).toBe('month')
})

test('a whole month is compared with the one before, other days with as many before them', () => {
  const of = (from: string, to: string, calendar: 'jalali' | 'gregorian' = 'jalali') =>
    comparisonOf({ from, to }, '2026-11-30', calendar)
  expect(of('2026-10-23', '2026-11-21')).toEqual({ from: '2026-09-23', to: '2026-10-22', kind: 'month' })
  expect(of('2026-10-01', '2026-10-31', 'gregorian')).toEqual({
    from: '2026-09-01',
    to: '2026-09-30',
    kind: 'month',
  })
  expect(of('2026-11-24', '2026-11-30')).toEqual({ from: '2026-11-17', to: '2026-11-23', kind: 'days' })
  expect(of('2026-11-30', '2026-11-30')).toEqual({ from: '2026-11-29', to: '2026-11-29', kind: 'days' })
  expect(of('2026-11-29', '2026-12-09')).toEqual({ from: '2026-11-27', to: '2026-11-28', kind: 'days' })
})

test('a range that has not begun has nothing to show, and long ones are drawn by week or month', () => {
  expect(upTo('2026-11-30', { from: '2026-12-01', to: '2026-12-05' })).toBeUndefined()
  expect(upTo('2026-11-30', { from: '2026-11-22', to: '2026-12-21' })?.to).toBe('2026-11-30')
  expect(usualInterval({ from: '2026-11-01', to: '2026-12-31' })).toBe('day')
  expect(usualInterval({ from: '2026-01-01', to: '2026-12-31' })).toBe('week')
  expect(usualInterval({ from: '2024-01-01', to: '2026-12-31' })).toBe('month')
  expect(intervalsFor({ from: '2026-01-01', to: '2026-12-31' })).toEqual(['week', 'month'])
  expect(intervalsFor({ from: '2016-01-01', to: '2026-12-31' })).toEqual(['month'])
})
