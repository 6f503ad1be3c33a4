import { expect, test } from 'vitest'
import { capStateOf, monthAround, paceOf, reachedAt } from './pace.ts'

const at = (text: string): Date => new Date(text)

test('a month begins and ends at midnight in Tehran', () => {
  const began = '2026-10-31T20:30:00.000Z'
  const ends = '2026-11-30T20:30:00.000Z'
  for (const moment of [began, '2026-11-15T00:00:00Z', '2026-11-30T20:29:59.999Z']) {
    const { beganMs, endsMs } = monthAround(at(moment))
    expect([new Date(beganMs).toISOString(), new Date(endsMs).toISOString()], moment).toEqual([began, ends])
  }
  expect(new Date(monthAround(at(ends)).beganMs).toISOString()).toBe(ends)
})

test('the pace is that of the days of this month, and nobody tells from less than a day or from nothing', () => {
  expect(paceOf(100, at('2026-11-10T20:30:00Z'))).toBe(10)
  expect(paceOf(100, at('2026-11-01T20:29:00Z'))).toBeUndefined()
  expect(paceOf(0, at('2026-11-10T20:30:00Z'))).toBeUndefined()
})

test('what is left is reached at the pace, within a year', () => {
  const now = at('2026-11-10T20:30:00Z')
  expect(reachedAt(50, 10, now)?.toISOString()).toBe('2026-11-15T20:30:00.000Z')
  expect(reachedAt(-5, 10, now)).toEqual(now)
  expect(reachedAt(10_000, 10, now)).toBeUndefined()
  expect(reachedAt(10, undefined, now)).toBeUndefined()
})

test('a cap of the month that is reached after its end lasts; one in all lasts where it holds a year', () => {
  const now = at('2026-11-10T20:30:00Z')
  const month = (cap: number, spent: number, pace: number | undefined) =>
    capStateOf({ cap, spent, period: 'month' }, pace, now).name
  expect(month(100, 100, 10)).toBe('reached')
  expect(month(0, 0, undefined)).toBe('reached')
  expect(month(200, 100, undefined)).toBe('unknown')
  expect(month(299, 100, 10)).toBe('reaches')
  expect(month(300, 100, 10)).toBe('lasts')
  expect(capStateOf({ cap: 300, spent: 100, period: 'total' }, 10, now)).toEqual({
    name: 'reaches',
    at: at('2026-11-30T20:30:00Z'),
  })
  expect(capStateOf({ cap: 30_000, spent: 100, period: 'total' }, 10, now).name).toBe('lasts')
})
