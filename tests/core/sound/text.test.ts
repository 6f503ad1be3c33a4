/** Text becomes pieces that a voice can say: nothing is lost, and no cut is heard that need not be. */
import { expect, test } from 'vitest'
import { isSpeakable, splitForSpeech } from '#core/sound'
import fc from '../../harness/fast-check.ts'

const persian =
  'این نخستین جمله است. دومی کمی بلندتر است، چون دو بند دارد؛ آن را می‌شود برید! آیا سومی پرسش است؟ بله.\nسطر تازه‌ای که نقطه ندارد\nو سطری دیگر.'
const english =
  'Dr. Smith paid $1,234.56 on p. 7, i.e. a lot. He left at 5 p.m. and never came back! "Why?" she asked. Nobody knows; some guess, others do not.'
const any = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(...persian.split(' '), ...english.split(' '), '👨‍👩‍👧', 'é', '۱۲۳٬۴۵۶', '\n', '…', '.'),
      { maxLength: 80 },
    )
    .map((words) => words.join(' ')),
)

test('the pieces put together are the text, none is empty, and none is too long', () => {
  fc.assert(
    fc.property(any, fc.integer({ min: 16, max: 120 }), (text, max) => {
      const pieces = splitForSpeech(text, max)
      expect(pieces.join('')).toBe(text)
      expect(pieces.every(({ length }) => length > 0 && length <= max)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('no cut falls within a character of a reader, and within a word only where it is longer than a piece', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  fc.assert(
    fc.property(any, fc.integer({ min: 30, max: 120 }), (text, max) => {
      const starts = new Set(Array.from(segmenter.segment(text), ({ index }) => index))
      const words = new Set(Array.from(text.matchAll(/\S+/g), ({ index }) => index))
      const isShort = text.split(/\s+/).every(({ length }) => length <= max - 10)
      let at = 0
      for (const piece of splitForSpeech(text, max)) {
        if (at > 0) expect(starts.has(at), JSON.stringify([text, max, at])).toBe(true)
        if (at > 0 && isShort && !/\s{8}/.test(text))
          expect(words.has(at), JSON.stringify([text, max, at])).toBe(true)
        at += piece.length
      }
    }),
    { numRuns: 500 },
  )
})

test('sentences stay whole where they fit, Persian and English', () => {
  expect(splitForSpeech(persian, 60)).toEqual([
    'این نخستین جمله است. ',
    'دومی کمی بلندتر است، چون دو بند دارد؛ آن را می‌شود برید! ',
    'آیا سومی پرسش است؟ بله.\nسطر تازه‌ای که نقطه ندارد\n',
    'و سطری دیگر.',
  ])
  expect(splitForSpeech(english, 80)).toEqual([
    'Dr. Smith paid $1,234.56 on p. 7, i.e. a lot. ',
    'He left at 5 p.m. and never came back! "Why?" she asked. ',
    'Nobody knows; some guess, others do not.',
  ])
  expect(splitForSpeech(english, 12_000)).toEqual([english])
})

test('a sentence that is too long is cut at a clause, and one without clauses at a word', () => {
  expect(splitForSpeech('The first clause is here, the second one follows it', 40)).toEqual([
    'The first clause is here, ',
    'the second one follows it',
  ])
  expect(splitForSpeech('این جمله هیچ نشانه‌ای ندارد و همین‌طور ادامه پیدا می‌کند', 30)).toEqual([
    'این جمله هیچ نشانه‌ای ندارد و ',
    'همین‌طور ادامه پیدا می‌کند',
  ])
})

test('a word longer than a piece is cut, but not within a number, a pair or a family', () => {
  const number = `${'x'.repeat(25)}1234567890${'y'.repeat(25)}`
  expect(splitForSpeech(number, 30)[0]).toBe('x'.repeat(25))
  expect(splitForSpeech('😀'.repeat(40), 17).every((piece) => piece.isWellFormed())).toBe(true)
  for (const piece of splitForSpeech('👨‍👩‍👧'.repeat(30), 20)) expect(piece.replaceAll('👨‍👩‍👧', '')).toBe('')
})

test('a number that is written in groups stays whole', () => {
  expect(splitForSpeech('شمارهٔ تلفن من ۰۹۱۲ ۱۲۳ ۴۵۶۷ است', 26)).toEqual([
    'شمارهٔ تلفن من ',
    '۰۹۱۲ ۱۲۳ ۴۵۶۷ است',
  ])
  expect(splitForSpeech('1 '.repeat(100), 20).every(({ length }) => length <= 20)).toBe(true)
})

test('marks and spaces alone are not speakable', () => {
  expect(['…', ' \n', '؟!', '👍'].map(isSpeakable)).toEqual([false, false, false, false])
  expect(['۵', 'a.', 'ی'].map(isSpeakable)).toEqual([true, true, true])
})
