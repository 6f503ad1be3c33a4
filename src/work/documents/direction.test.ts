import { expect, test } from 'vitest'
import fc, { anyCharacter } from '../../../tests/harness/fast-check.ts'
import { directionOf, segmentsOf } from './direction.ts'

test.each([
  ['متن فارسی', 'fa', 'rtl'],
  ['API های machine learning و neural network', 'fa', 'rtl'],
  ['An English quotation.', 'fa', 'ltr'],
  ['۱۲٬۵۰۰', 'fa', 'rtl'],
  ['12.5%', 'fa', 'rtl'],
  ['', 'fa', 'rtl'],
  ['The word «خرد» in English', 'en', 'ltr'],
  ['آیندهٔ حمل‌ونقل در گرو برق است (EV)', 'en', 'rtl'],
  ['12.5%', 'en', 'ltr'],
] as const)('%j in a document in %s runs %s', (text, language, direction) => {
  expect(directionOf(text, language)).toBe(direction)
})

const segments = (text: string, base: 'rtl' | 'ltr') =>
  segmentsOf(text, base).map(({ text: own, direction }) => `${direction}:${own}`)

test('what stands between words of one direction goes with them, at a border the paragraph decides', () => {
  expect(segments('زبان machine learning، است', 'rtl')).toEqual([
    'rtl:زبان ',
    'ltr:machine learning',
    'rtl:، است',
  ])
  expect(segments('می\u200cخواهیم API (v2) را', 'rtl')).toEqual([
    'rtl:می\u200cخواهیم ',
    'ltr:API (v2',
    'rtl:) را',
  ])
  expect(segments('the word «خرد» here', 'ltr')).toEqual(['ltr:the word «', 'rtl:خرد', 'ltr:» here'])
  expect(segments('سال ۱۴۰۵', 'rtl')).toEqual(['rtl:سال ۱۴۰۵'])
})

test('the segments of a text are the text, and neighbours differ', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('rtl' as const, 'ltr' as const),
      (text, base) => {
        const found = segmentsOf(text, base)
        expect(found.map((segment) => segment.text).join('')).toBe(text)
        expect(found.every((segment, place) => segment.direction !== found[place - 1]?.direction)).toBe(true)
      },
    ),
  )
})
