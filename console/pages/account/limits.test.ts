import { expect, test } from 'vitest'
import { changedLimits, noLimits, readLimit, readThresholds, textsOf, unreadable } from './limits.ts'

test('a limit is a whole number in any digits, nothing is no limit, and everything else is refused', () => {
  expect(['۱۲٬۰۰۰', '12,000', '٣', '0'].map(readLimit)).toEqual([12_000, 12_000, 3, 0])
  expect(readLimit(' ')).toBeNull()
  expect(['1.5', '-1', 'abc', '۱۲x', '9'.repeat(16)].map(readLimit)).toEqual(Array(5).fill(undefined))
})

test('only what was changed is sent, and a text that is none is found', () => {
  const before = {
    month_cap_credits: 500,
    cap_credits: null,
    rate_per_minute: 60,
    concurrency: null,
    keep_days: 3,
  }
  const texts = textsOf(before, String)
  expect(texts).toEqual({ ...noLimits, month_cap_credits: '500', rate_per_minute: '60', keep_days: '3' })
  expect(changedLimits(texts, before)).toEqual({})
  const typed = { ...texts, month_cap_credits: '۶۰۰', rate_per_minute: '', concurrency: 'x' }
  expect(changedLimits(typed, before)).toEqual({ month_cap_credits: 600, rate_per_minute: null })
  expect(unreadable(typed)).toEqual(['concurrency'])
})

test('thresholds are read as people write them, ascending and each once', () => {
  expect(readThresholds('۸۰٪، ۵۰٪')).toEqual([50, 80])
  expect(readThresholds('100 %, 1;50 50')).toEqual([1, 50, 100])
  expect(readThresholds('')).toEqual([])
  expect(['0', '101', '50.5', 'half', '-3'].map(readThresholds)).toEqual(Array(5).fill(undefined))
})
