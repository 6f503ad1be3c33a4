import { expect, test } from 'vitest'
import { daysOf, daysUpTo, recentDays } from './usage.ts'

const row = (from: string, microcredits: string) => ({ from, requests: 1, failures: 0, microcredits })

test('every day is there, the oldest first, across the end of a month', () => {
  const days = daysOf([row('2026-11-29', '800'), row('2026-11-27', '9007199254740993')])
  expect(daysUpTo(days, '2026-11-29', 3)).toEqual([
    { day: '2026-11-27', requests: 1, failures: 0, microcredits: 9_007_199_254_740_993n },
    { day: '2026-11-28', requests: 0, failures: 0, microcredits: 0n },
    { day: '2026-11-29', requests: 1, failures: 0, microcredits: 800n },
  ])
  expect(daysUpTo([], '2026-03-01', 2).map(({ day }) => day)).toEqual(['2026-02-28', '2026-03-01'])
})

test('the days that are read hold the month and the pace, whichever began earlier', () => {
  const today = (day: string) => ({ day, timeZone: 'Asia/Tehran' })
  expect(recentDays('all', today('2026-11-30'), 'jalali').from).toBe('2026-11-16')
  expect(recentDays('all', today('2026-11-30'), 'gregorian').from).toBe('2026-11-01')
})
