import { describe, expect, test } from 'vitest'
import {
  formatMicrocredits,
  formatNumber,
  formatPercent,
  latinDigits,
  persianDigits,
  readCode,
  readNumber,
} from './digits.ts'

test.each([
  ['1200', '1200'],
  ['۱۲۰۰', '1200'],
  ['١٢٠٠', '1200'],
  ['۱٬۲۰۰', '1200'],
  ['1,200', '1200'],
  ['۱۲٬۳۴۵٬۶۷۸٫۹', '12345678.9'],
  ['۱۲٫۵', '12.5'],
  ['۱۲/۵', '12.5'],
  ['12.5', '12.5'],
  [' ۷ ', '7'],
  ['−۵', '-5'],
  ['007', '7'],
  ['0', '0'],
  ['\u200e۱۲\u200f', '12'],
])('a number field reads %s as %s', (typed, decimal) => expect(readNumber(typed)).toBe(decimal))

test.each(['', 'ده', '12a', '1,2', '12,34', '1,2345', '1.2.3', '--1', '1e5', '٫', ',', '۱٬۲۳', '0x10'])(
  'a number field refuses %o',
  (typed) => expect(readNumber(typed)).toBeUndefined(),
)

test('a code is read in any digits, with spaces and hyphens', () => {
  expect(readCode('۱۲۳ ۴۵۶')).toBe('123456')
  expect(readCode('123-٤٥٦')).toBe('123456')
})

test('digits go there and back, and letters stay', () => {
  expect(latinDigits('کد ۱۲٣')).toBe('کد 123')
  expect(persianDigits('GPT-5, 2026')).toBe('GPT-۵, ۲۰۲۶')
})

test('numbers are written in the digits of the language, cut and not rounded', () => {
  expect(formatNumber('fa', 18_420)).toBe('۱۸٬۴۲۰')
  expect(formatNumber('en', 18_420)).toBe('18,420')
  expect(formatNumber('fa', 0.0919, { least: 3 })).toBe('۰٫۰۹۱')
  expect(formatNumber('en', 0.9999, { most: 2 })).toBe('0.99')
  expect(formatNumber('en', 9_007_199_254_740_993n)).toBe('9,007,199,254,740,993')
  expect(formatPercent('fa', 0.489)).toBe('۴۸٪')
  expect(formatPercent('en', 1)).toBe('100%')
  expect([29, 57, 58].map((percent) => formatPercent('en', percent / 100))).toEqual(['29%', '57%', '58%'])
})

describe('formatMicrocredits', () => {
  test.each([
    ['en', 750_000_000n, {}, '750'],
    ['en', 666_667n, {}, '0.666667'],
    ['en', 1n, {}, '0.000001'],
    ['en', 1n, { most: 2 }, '0.01'],
    ['en', 1_234_560_001n, { most: 2 }, '1,234.57'],
    ['en', 10_800_000n, { least: 2, most: 2 }, '10.80'],
    ['en', 9_007_199_254_740_993_000_001n, {}, '9,007,199,254,740,993.000001'],
    ['fa', 4_500_500_000n, { least: 3 }, '۴٬۵۰۰٫۵۰۰'],
    ['fa', 0n, {}, '۰'],
  ] as const)('%s %s %j is %s: exact, and rounded up where it is cut', (locale, amount, decimals, shown) => {
    expect(formatMicrocredits(locale, amount, decimals)).toBe(shown)
  })
})
