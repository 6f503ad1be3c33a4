import { expect, test } from 'vitest'
import { capStateOf, daysSince, monthAround, paceOf, projectedAt, reachedAt } from './pace.ts'

const at = (text: string): Date => new Date(text)
const tenADay = { microcredits: 140_000_000n, days: 14 }
const now = at('2026-11-10T20:30:00Z')

test('a month begins and ends at midnight in Tehran', () => {
  const began = '2026-10-31T20:30:00.000Z'
  const ends = '2026-11-30T20:30:00.000Z'
  for (const moment of [began, '2026-11-15T00:00:00Z', '2026-11-30T20:29:59.999Z']) {
    const { beganMs, endsMs } = monthAround(at(moment))
    expect([new Date(beganMs).toISOString(), new Date(endsMs).toISOString()], moment).toEqual([began, ends])
  }
  expect(new Date(monthAround(at(ends)).beganMs).toISOString()).toBe(ends)
})

test('usage since a moment is read from its day in the zone of the account, that of the month from the first, up to today there', () => {
  const opened = at('2026-11-05T22:00:00Z')
  expect(daysSince(opened, now, 'Asia/Tehran')).toEqual({ from: '2026-11-06', to: '2026-11-11' })
  expect(daysSince(opened, now, 'America/New_York')).toEqual({ from: '2026-11-05', to: '2026-11-10' })
  expect(daysSince('month', now, 'America/New_York')).toEqual({ from: '2026-11-01', to: '2026-11-10' })
  expect(daysSince('month', at('2026-11-10T15:30:00Z'), 'Asia/Tokyo').to).toBe('2026-11-11')
  // The month of caps has begun in Tehran, and not yet there.
  const first = at('2026-10-31T21:00:00Z')
  expect(daysSince('month', first, 'America/New_York')).toEqual({ from: '2026-11-01', to: '2026-11-01' })
})

test('the pace is that of the fourteen whole days before today, or of those since the account was opened, and a closing account has none', () => {
  const days = [
    { day: '2026-11-15', microcredits: 999n },
    { day: '2026-11-16', microcredits: 9_007_199_254_740_993n },
    { day: '2026-11-29', microcredits: 7n },
    { day: '2026-11-30', microcredits: 100_000n },
  ]
  expect(paceOf(days, '2026-11-30', { opened: '2025-01-01' })).toEqual({
    microcredits: 9_007_199_254_741_000n,
    days: 14,
  })
  expect(paceOf(days, '2026-11-30', { opened: '2026-11-28' })?.days).toBe(2)
  expect(paceOf(days, '2026-11-30', { opened: '2026-11-30' })).toBeUndefined()
  expect(paceOf(days, '2026-11-30', { opened: '2025-01-01', isClosing: true })).toBeUndefined()
  expect(paceOf(days.slice(3), '2026-11-30', { opened: '2025-01-01' })).toBeUndefined()
})

test('what is left is reached at the pace, within a year', () => {
  expect(reachedAt(50_000_000n, tenADay, now)?.toISOString()).toBe('2026-11-15T20:30:00.000Z')
  expect(reachedAt(-5n, tenADay, now)).toEqual(now)
  expect(reachedAt(3_651_000_000n, tenADay, now)).toBeUndefined()
  expect(reachedAt(10n ** 30n, tenADay, now)).toBeUndefined()
  expect(reachedAt(10n, undefined, now)).toBeUndefined()
})

test('the end of a month costs what was spent and the pace for its days to come; today counts once', () => {
  const of = (spent: bigint, spentToday: bigint) =>
    projectedAt('2026-12-21', '2026-11-30', { spent, spentToday, pace: tenADay })
  expect(of(100_000_000n, 4_000_000n)).toBe(100_000_000n + 6_000_000n + 210_000_000n)
  expect(of(100_000_000n, 30_000_000n)).toBe(310_000_000n)
  expect(
    projectedAt('2026-11-21', '2026-11-30', {
      spent: 5n,
      spentToday: 5n,
      pace: { ...tenADay, microcredits: 14n },
    }),
  ).toBe(5n)
})

test('a cap of the month that is reached after its end lasts; one in all lasts where it holds a year', () => {
  const month = (cap: number, spent: number, pace: typeof tenADay | undefined) =>
    capStateOf({ cap, spent, period: 'month' }, pace, now).name
  expect(month(100, 100, tenADay)).toBe('reached')
  expect(month(0, 0, undefined)).toBe('reached')
  expect(month(200, 100, undefined)).toBe('unknown')
  expect(month(299, 100, tenADay)).toBe('reaches')
  expect(month(300, 100, tenADay)).toBe('lasts')
  expect(capStateOf({ cap: 300, spent: 100, period: 'total' }, tenADay, now)).toEqual({
    name: 'reaches',
    at: at('2026-11-30T20:30:00Z'),
  })
  expect(capStateOf({ cap: 30_000, spent: 100, period: 'total' }, tenADay, now).name).toBe('lasts')
})
