import { expect, test } from 'vitest'
import { ObjectText } from './object-text.ts'

/** What is written of these pieces, one after another, and at the end. */
function written(pieces: readonly string[]): string[] {
  const input = new ObjectText({ isWhole: false })
  const taken = pieces.map((piece) => {
    input.add(piece)
    return input.take()
  })
  return [...taken, input.end()]
}

test('a piece of megabytes passes unchecked, unless the object had ended before it', () => {
  const large = '[],'.repeat(2_000_000)
  expect(written(['{"a":[', large, '{'])).toEqual(['{"a":[', large, '{', ''])
  expect(written(['{"a":1}', large])).toEqual(['{"a":1}', '', ''])
  expect(written(['{a', large])[1]).toBe('')
})
