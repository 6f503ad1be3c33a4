import { expect, test } from 'vitest'
import { foldPersian, isFolded } from './fold.ts'

test('Arabic letters and digits of a Persian text become Persian, sign by sign', () => {
  expect(foldPersian('كتاب‌هاي علي ١٢٣، 456 و على')).toBe('کتاب‌های علی ۱۲۳، 456 و علی')
  expect(foldPersian('٠٩ ۰۹')).toBe('۰۹ ۰۹')
})

test('what else is in a text stays: half-spaces, hamza, and what is said in other letters', () => {
  const text = 'می‌رود، مسئله، رأی، خانۀ ة GPT-4\n'
  expect(foldPersian(text)).toBe(text)
})

test('a text folded in pieces is the text folded whole', () => {
  const text = 'يك كتاب ٢'
  expect([...text].map(foldPersian).join('')).toBe(foldPersian(text))
})

test.each([
  [undefined, true, 'fa', true],
  [undefined, true, 'ar', false],
  [undefined, true, undefined, false],
  [undefined, false, 'fa', false],
  [true, false, 'fa', true],
  [true, false, 'ar', false],
  [true, false, undefined, true],
  [false, true, 'fa', false],
] as const)('wanted %s, usual %s, language %s: folded %s', (isWanted, isUsual, language, is) => {
  expect(isFolded({ isWanted, isUsual }, language)).toBe(is)
})
