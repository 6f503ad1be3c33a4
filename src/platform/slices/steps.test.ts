import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { runAtOnce, sortInSteps } from './slices.ts'

test('a list is ordered as `toSorted` does it, equal ones in the order in which they were', () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 2_500, size: 'max' })
  const property = fc.property(numbers, (all) => {
    const items = all.map((number, place) => ({ number, place }))
    expect(runAtOnce(sortInSteps(items, ({ number }) => number))).toEqual(
      items.toSorted((one, other) => one.number - other.number),
    )
  })
  fc.assert(property, { numRuns: 50 })
})

test.each([0, 1, 99, 100, 101, 200, 201, 12_345])('so is one of %s that stands backwards', (length) => {
  const backwards = Array.from({ length }, (_, index) => length - index)
  expect(runAtOnce(sortInSteps(backwards, (number) => number))).toEqual(backwards.toReversed())
})

test('no step works at more than a few hundred of a list that is long', () => {
  let reads = 0
  const numberOf = (number: number): number => {
    reads++
    return number
  }
  const list = Array.from({ length: 20_000 }, (_, index) => (index * 7_919) % 20_011)
  const steps = sortInSteps(list, numberOf)
  for (let maxReads = 0; ; maxReads = Math.max(maxReads, reads)) {
    reads = 0
    if (!steps.next().done) continue
    expect(maxReads).toBeLessThan(3_000)
    return
  }
})

test('one that is in order already is read a few times, not merged', () => {
  let reads = 0
  const list = Array.from({ length: 20_000 }, (_, index) => index)
  const numberOf = (number: number): number => {
    reads++
    return number
  }
  expect(runAtOnce(sortInSteps(list, numberOf))).toEqual(list)
  expect(reads).toBeLessThan(3 * list.length)
})
