import { expect, test } from 'vitest'
import { byModel, daysLeft, daysUpTo, isOfCalls } from './spending.ts'

const row = (day: string, model: string | null, microcredits: string, failures = 0) => ({
  day,
  model,
  requests: 1,
  failures,
  microcredits,
})
const rows = [
  row('2026-11-29', 'a', '300'),
  row('2026-11-29', 'b', '500', 1),
  row('2026-11-27', 'a', '9007199254740993'),
  row('2026-10-31', null, '7'),
]

test('every day is there, the oldest first, across the end of a month', () => {
  expect(daysUpTo(rows, '2026-11-29', 3)).toEqual([
    { day: '2026-11-27', requests: 1, failures: 0, microcredits: 9_007_199_254_740_993n },
    { day: '2026-11-28', requests: 0, failures: 0, microcredits: 0n },
    { day: '2026-11-29', requests: 2, failures: 1, microcredits: 800n },
  ])
  expect(daysUpTo([], '2026-03-01', 2).map(({ day }) => day)).toEqual(['2026-02-28', '2026-03-01'])
})

test('models are summed exactly, the dearest first', () => {
  expect(byModel(rows).map(({ model, microcredits }) => [model, microcredits])).toEqual([
    ['a', 9_007_199_254_741_293n],
    ['b', 500n],
    [null, 7n],
  ])
})

test('the pace is that of the days before today', () => {
  const days = (...spent: bigint[]) =>
    spent.map((microcredits) => ({ day: '', requests: 1, failures: 0, microcredits }))
  expect(daysLeft(days(100n, 300n, 10_000n), 1_000n)).toBe(5)
  expect(daysLeft(days(0n, 0n, 500n), 1_000n)).toBeUndefined()
  expect(daysLeft(days(1n, 1n, 0n), 1_000n)).toBeUndefined()
  expect(daysLeft(days(100n, 100n, 0n), 0n)).toBe(0)
})

test('the making of a key is no call of a program; what failed or cost something is one', () => {
  expect(isOfCalls(row('2026-11-29', null, '0'))).toBe(false)
  expect(isOfCalls(row('2026-11-29', null, '0', 1))).toBe(true)
  expect(isOfCalls(row('2026-11-29', null, '7'))).toBe(true)
  expect(isOfCalls(row('2026-11-29', 'a', '0'))).toBe(true)
})
