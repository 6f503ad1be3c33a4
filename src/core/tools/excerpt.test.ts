import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { bytesFor, excerpt } from './excerpt.ts'

test('a text ends where a paragraph ends, or else a line, or else a word, or else a character', () => {
  expect(excerpt('one two\n\nthree four', 12)).toEqual({ text: 'one two', cut: true })
  expect(excerpt('one two\nthree four', 12)).toEqual({ text: 'one two', cut: true })
  expect(excerpt('one two three four', 12)).toEqual({ text: 'one two', cut: true })
  expect(excerpt('a\n\nlong-word-without-end', 12)).toEqual({ text: 'a\n\nlong-word', cut: true })
  expect(excerpt('سلام', 5)).toEqual({ text: 'سل', cut: true })
  expect(excerpt('سلام', 8)).toEqual({ text: 'سلام', cut: false })
})

test('whatever the text, the excerpt begins it, fits, and breaks no character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 1, max: 80 }),
      (text, bytes) => {
        const { text: found, cut } = excerpt(text, bytes)
        expect(Buffer.byteLength(found)).toBeLessThanOrEqual(bytes)
        expect(text.startsWith(found)).toBe(true)
        expect(found.isWellFormed()).toBe(true)
        expect(cut).toBe(Buffer.byteLength(text) > bytes)
      },
    ),
  )
})

test.each([
  [undefined, 96_000],
  [1, 3],
  [0, 3],
  [-5, 3],
  [100.9, 300],
  [32_000, 96_000],
  [32_001, 96_000],
])('%s tokens are %i bytes', (tokens, bytes) => {
  expect(bytesFor(tokens)).toBe(bytes)
})
