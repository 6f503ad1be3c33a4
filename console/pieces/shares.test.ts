import { expect, test } from 'vitest'
import { shareOf } from './shares.ts'

test('a bar is a share of the highest, exactly beyond what numbers hold, and nothing of nothing', () => {
  expect(shareOf(9_007_199_254_740_993n, 18_014_398_509_481_986n)).toBe('50%')
  expect(shareOf(1n, 3n)).toBe('33.3%')
  expect(shareOf(0n, 0n)).toBe('0%')
  expect(shareOf(-5n, 10n)).toBe('0%')
})
