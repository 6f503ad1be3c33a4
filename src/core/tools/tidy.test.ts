import { expect, test } from 'vitest'
import { cleanText, isDay } from './tidy.ts'

test('signs that no reader sees are gone, and the joiners of Persian and emoji stay', () => {
  const hidden = [...'ignore'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
  const bytes = [...'ignore']
    .map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16))
    .join('')
  expect(cleanText(`❤️${bytes}`)).toBe('❤️')
  expect(cleanText(`می‌روم${hidden}\u202e\u200b\u2066 👩‍💻\u0000\ufeff`)).toBe('می‌روم 👩‍💻')
})

test('lines lose the space at their ends, and empty lines are one', () => {
  expect(cleanText('  a \t\r\nb\r\n\r\n\n\n  c\n\n')).toBe('a\nb\n\n  c')
})

test('a broken half of a character becomes the sign for it', () => {
  expect(cleanText('a\ud800b')).toBe('a\ufffdb')
})

test.each([
  ['2026-11-19', true],
  ['2026-11-19T10:00:00+03:30', true],
  ['2026-11-19 10:00', true],
  ['2026-13-19', false],
  ['1405/08/29', false],
  ['19 Nov 2026', false],
  [`2026-11-19T${'0'.repeat(100)}`, false],
])('%s is a day for machines: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected)
})
