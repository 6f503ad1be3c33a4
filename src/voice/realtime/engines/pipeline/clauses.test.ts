import { expect, test } from 'vitest'
import fc from '../../../../../tests/harness/fast-check.ts'
import { Clauses, spokenForm } from './clauses.ts'

function cut(deltas: readonly string[]): { during: string[]; end: string[] } {
  const clauses = new Clauses()
  const during = deltas.flatMap((delta) => clauses.write(delta))
  return { during, end: clauses.end() }
}

test('the first clause of 20 characters is spoken before its sentence is there', () => {
  expect(cut(['سلام، حال شما امروز چطور است، ', 'من خوبم']).during).toEqual([
    'سلام، حال شما امروز چطور است، ',
  ])
  // These are 19 characters and their space: one character more makes the difference.
  expect(cut(['سلام دوست خوب من ها، بعد ']).during).toEqual(['سلام دوست خوب من ها، '])
  expect(cut(['سلام دوست خوب من، بعد']).during).toEqual([])
})

test('a mark is an end only when it is known what follows: 3.14 is no sentence', () => {
  const clauses = new Clauses()
  expect(clauses.write('The number that we know as pi is 3.')).toEqual([])
  expect(clauses.write('14 and more. ')).toEqual([])
  expect(clauses.write('Yes')).toEqual(['The number that we know as pi is 3.14 and more. '])
})

test('without any mark the first piece ends between words, within 60 characters', () => {
  const words = 'کلمه '.repeat(13)
  expect(cut([words.slice(0, 60)]).during).toEqual([])
  expect(cut([words]).during).toEqual(['کلمه '.repeat(12)])
})

test('what follows the first piece is spoken in sentences of at most 200 characters', () => {
  const sentence = `${'کلمه '.repeat(12)}است. `
  const { during, end } = cut(['این نخستین جملهٔ پاسخ من است. ', sentence, sentence, 'پایان.'])
  expect(during).toEqual(['این نخستین جملهٔ پاسخ من است. ', sentence, sentence])
  expect(end).toEqual(['پایان.'])
  const long = cut([
    'این نخستین جملهٔ پاسخ من است. ',
    `${'کلمه '.repeat(30)}و بعد، ${'کلمه '.repeat(30)}`,
  ]).during
  expect(long[1]).toBe(`${'کلمه '.repeat(30)}و بعد، `)
})

test('however an answer comes, its pieces are its text, and none is longer than 200 characters', () => {
  const text = fc.stringMatching(/^[آ-ی a-c0-9.،؟!\n]{0,900}$/)
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }), (whole, lengths) => {
      const deltas: string[] = []
      let at = 0
      for (const length of lengths) {
        deltas.push(whole.slice(at, at + length))
        at += length
      }
      deltas.push(whole.slice(at))
      const { during, end } = cut(deltas)
      const pieces = [...during, ...end]
      expect(pieces.join('')).toBe(whole)
      expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(200)
    }),
    { numRuns: 300 },
  )
})

test('marks of Markdown are not spoken', () => {
  expect(spokenForm('## **سلام** `x` ')).toBe('سلام x')
})
