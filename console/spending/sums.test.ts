import { expect, test } from 'vitest'
import { changeOf, decimalsOf, finestDecimals, type Group, partOf, percentsOf, sumOf, topOf } from './sums.ts'

const group = (value: string | undefined, microcredits: bigint, requests = 1): Group => ({
  value,
  name: undefined,
  requests,
  failures: 0,
  microcredits,
  tokens: 10,
})

test('the shown groups and the rest add up to the total to the last micro-credit, beyond what numbers hold', () => {
  const all = Array.from({ length: 10_000 }, (_, at) => group(`c${at}`, 9_007_199_254_740_993n + BigInt(at)))
  const total = sumOf(all)
  for (const shown of [1, 10, 500]) {
    const { groups, rest } = topOf(all, total, { shown, picked: undefined, hasMore: false })
    expect(groups).toHaveLength(shown)
    expect(rest?.count).toBe(10_000 - shown)
    expect(sumOf([...groups, rest!])).toEqual(total)
  }
  expect(
    topOf(all, total, { shown: 3, picked: undefined, hasMore: false }).groups.map(({ value }) => value),
  ).toEqual(['c9999', 'c9998', 'c9997'])
})

test('what was not read is in the rest, and what is picked stays wherever it stands', () => {
  const read = [group('a', 5n), group(undefined, 4n), group('b', 3n), group('c', 2n)]
  const total = { requests: 9, failures: 0, microcredits: 20n, tokens: 90 }
  expect(topOf(read, total, { shown: 4, picked: undefined, hasMore: true }).rest).toEqual({
    ...{ requests: 5, failures: 0, microcredits: 6n, tokens: 50, count: 0 },
  })
  const { groups, rest } = topOf(read, sumOf(read), { shown: 1, picked: 'c', hasMore: false })
  expect(groups.map(({ value }) => value)).toEqual(['a', 'c'])
  expect(rest).toMatchObject({ microcredits: 7n, count: 2 })
  // One more than shown is shown as it is.
  expect(topOf(read, sumOf(read), { shown: 3, picked: undefined, hasMore: false })).toMatchObject({
    groups: [{}, {}, {}, {}],
    rest: undefined,
  })
})

test('all amounts of a column have the decimals that the finest needs', () => {
  expect(decimalsOf([])).toBe(0)
  expect(decimalsOf([1_000_000n, 0n])).toBe(0)
  expect(decimalsOf([1_500_000n, 2_000_000n])).toBe(3)
  expect(decimalsOf([1_500_000n, -1n])).toBe(6)
  expect([[], [0n], [1_500_000n, 2_000n], [1_000_100n], [10n, 1_000n], [1n]].map(finestDecimals)).toEqual([
    3, 3, 3, 4, 5, 6,
  ])
  expect(partOf(1n, 3n)).toBe(0.333)
  expect(partOf(5n, 0n)).toBe(0)
})

test('a change is told in whole percent of before, and of nothing there is none', () => {
  expect(changeOf(150n, 100n)).toEqual({ name: 'more', percent: 50n })
  expect(changeOf(299n, 100n)).toEqual({ name: 'more', percent: 199n })
  expect(changeOf(1_138n, 100n)).toEqual({ name: 'times', times: 11n })
  expect(changeOf(50n, 100n)).toEqual({ name: 'less', percent: 50n })
  expect(changeOf(0n, 100n)).toEqual({ name: 'less', percent: 100n })
  expect(changeOf(1_000_001n, 1_000_000n)).toEqual({ name: 'same' })
  expect(changeOf(5n, 0n)).toEqual({ name: 'new' })
  expect(changeOf(0n, 0n)).toEqual({ name: 'nothing' })
  expect(changeOf(5n, undefined)).toEqual({ name: 'none' })
})

test('shares in whole percent add up to 100, and what has a share of nothing has none', () => {
  expect(percentsOf([20_000_000n, 2_202_500n, 1_149_500n, 400_000n, 320_000n, 87_600n, 0n])).toEqual([
    83, 9, 5, 2, 1, 0, 0,
  ])
  expect(percentsOf([1n, 1n, 1n])).toEqual([34, 33, 33])
  expect(percentsOf([0n, 0n])).toEqual([0, 0])
  expect(percentsOf([])).toEqual([])
})
