import { expect, test } from 'vitest'
import fc from '../../../../../tests/harness/fast-check.ts'
import { StableWords } from './stable-words.ts'

test('a word is told once it was understood twice alike, and the rest at the end', () => {
  const words = new StableWords()
  expect(words.partial('سلام')).toBe('')
  expect(words.partial('سلام دن')).toBe('سلام')
  expect(words.partial('سلام دنیای')).toBe('')
  expect(words.partial('سلام دنیای من')).toBe(' دنیای')
  expect(words.whole('سلام دنیای من و تو')).toBe(' من و تو')
})

test('words that were told and are understood otherwise later are not told again', () => {
  const words = new StableWords()
  words.partial('من می‌روم')
  expect(words.partial('من می‌روم')).toBe('من می‌روم')
  expect(words.partial('ما می‌رویم خانه')).toBe('')
  expect(words.whole('ما می‌رویم خانه')).toBe('')
})

test('whatever is understood, what was told is always a beginning of it in whole words, or of what was told before', () => {
  const text = fc
    .array(fc.constantFrom('یک', 'یکی', 'دو', 'سه'), { maxLength: 6 })
    .map((one) => one.join(' '))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (partials) => {
      const words = new StableWords()
      let told = ''
      for (const partial of partials) {
        const more = words.partial(partial)
        if (more !== '') expect(`${partial} `.startsWith(`${told + more} `)).toBe(true)
        told += more
      }
    }),
  )
})
