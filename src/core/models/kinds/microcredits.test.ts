import { expect, test } from 'vitest'
import { microcreditsOf, wholeMicrocredits } from './microcredits.ts'

test('a price in USD is rounded up to a whole micro-credit, and the noise of binary fractions costs nothing', () => {
  const plain = { creditsPerUsd: 1, markup: 1 }
  expect(microcreditsOf(0.000_000_1, plain)).toBe(1n)
  expect(microcreditsOf(0.000_001_1, plain)).toBe(2n)
  expect(0.1 * 3).toBeGreaterThan(0.3)
  expect(microcreditsOf(0.1, { creditsPerUsd: 3, markup: 1 })).toBe(300_000n)
})

test('millionths of a micro-credit are rounded up once, the first one too', () => {
  expect([0n, 1n, 999_999n, 1_000_000n, 1_000_001n].map(wholeMicrocredits)).toEqual([0n, 1n, 1n, 1n, 2n])
})
