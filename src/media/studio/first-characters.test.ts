import { expect, test } from 'vitest'
import { firstCharacters } from './first-characters.ts'

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['😀😀😀', 3, '😀😀😀'],
  ['😀😀😀', 2, '😀😀'],
  ['a😀b', 2, 'a😀'],
  ['\ud83d😀x', 2, '\ud83d😀'],
  ['a😀', 0, ''],
])('of %j the first %i are %j', (text, max, first) => {
  expect(firstCharacters(text, max)).toBe(first)
})
