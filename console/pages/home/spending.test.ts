import { expect, test } from 'vitest'
import { allSums, isOfCalls, modelGroups } from './spending.ts'

const row = (model: string | null, microcredits: string, failures = 0) => ({
  model,
  requests: 1,
  failures,
  microcredits,
})

test('the making of a key is no call of a program; what failed or cost something is one', () => {
  expect(isOfCalls(row(null, '0'))).toBe(false)
  expect(isOfCalls(row(null, '0', 1))).toBe(true)
  expect(isOfCalls(row(null, '7'))).toBe(true)
  expect(isOfCalls(row('a', '0'))).toBe(true)
})

test('the figures of a day count what Requests and Usage count, also the making of a key', () => {
  const rows = [row('a', '5'), row(null, '0'), row(null, '0', 1)]
  expect(allSums(rows)).toMatchObject({ requests: 3, failures: 1, microcredits: 5n })
})

test('models keep every micro-credit, and calls without one are a group without a name', () => {
  expect(
    modelGroups([row('a', '9007199254740993'), row(null, '7')]).map(({ value, microcredits }) => [
      value,
      microcredits,
    ]),
  ).toEqual([
    ['a', 9_007_199_254_740_993n],
    [undefined, 7n],
  ])
})
