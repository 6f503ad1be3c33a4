import { expect, test } from 'vitest'
import { readCredits, readExpiry, showCredits } from '../../cli/amounts.ts'
import { minus } from '../../cli/numerals.ts'
import { table, width } from '../../cli/output.ts'
import fc from '../harness/fast-check.ts'

const max = 10n ** 18n

test('every amount is written in both languages so that reading it gives the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -max, max }), (micro) => {
      for (const language of ['fa', 'en'] as const) {
        const typed = showCredits(micro, language).replace(/[,٬]/g, '')
        expect(readCredits('N', typed)).toBe(micro)
      }
    }),
  )
})

test('Persian and Arabic digits, and both signs of minus, are read', () => {
  expect(readCredits('N', '۱۲٫۵')).toBe(12_500_000n)
  expect(readCredits('N', '٣')).toBe(3_000_000n)
  expect(readCredits('N', `${minus}۲`)).toBe(-2_000_000n)
  expect(readCredits('N', '-0.000001')).toBe(-1n)
})

test('an expiry is the first moment of a day in Tehran, a moment, or a time from now', () => {
  const now = Date.parse('2026-11-20T08:00:00Z')
  const read = (typed: string) => readExpiry('--until', typed, now)?.toISOString()
  expect(read('2027-01-01')).toBe('2026-12-31T20:30:00.000Z')
  expect(read('2027-01-01T12:00:00Z')).toBe('2027-01-01T12:00:00.000Z')
  expect(read('2027-01-01T12:00+03:30')).toBe('2027-01-01T08:30:00.000Z')
  expect(read('1405/12/29')).toBe('2027-03-19T20:30:00.000Z')
  expect(read('۱۴۰۵-۱۲-۲۹')).toBe('2027-03-19T20:30:00.000Z')
  expect(read('1408/12/30')).toBe('2030-03-19T20:30:00.000Z')
  expect(read('1406/1/1')).toBe('2027-03-20T20:30:00.000Z')
  expect(read('never')).toBe(undefined)
  expect(read('30d')).toBe('2026-12-20T08:00:00.000Z')
  expect(read('۱۲h')).toBe('2026-11-20T20:00:00.000Z')
  for (const wrong of [
    'tomorrow',
    '2027-1-1',
    '2027-02-29',
    '2027-01-01T12:00',
    '2027-01-01T25:00:00Z',
    '99999d',
    '5',
    '-5d',
    '1406/12/30',
    '1406/13/01',
    '1406/07/31',
    '1405/08/28',
    '2026-11-19',
  ]) {
    expect(() => readExpiry('--expires', wrong, now), wrong).toThrow('--expires')
  }
})

test('columns stand below each other for Persian joiners, marks and wide characters alike', () => {
  expect(['abc', 'می‌نا', 'مُهر', '漢字', '🙂'].map(width)).toEqual([3, 4, 3, 4, 2])
  const columns = [
    { title: { fa: 'نام', en: 'name' }, show: (row: string[]) => row[0] ?? '' },
    { title: { fa: 'عدد', en: 'number' }, show: (row: string[]) => row[1] ?? '', numeric: true as const },
  ]
  expect(
    table(
      [
        ['می‌نا', '1'],
        ['漢', '12345678'],
      ],
      columns,
      'en',
    ),
  ).toBe('name    number\nمی‌نا         1\n漢    12345678\n')
})
