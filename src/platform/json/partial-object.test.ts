import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PartialObject } from './json.ts'

/** What is passed on of the pieces, and what closes it. */
function passed(pieces: readonly string[]): { text: string; closing: string; isComplete: boolean } {
  const object = new PartialObject()
  const text = pieces.map((piece) => object.take(piece)).join('')
  return { text, closing: object.closing('"!":1'), isComplete: object.isComplete }
}

const objects = fc
  .dictionary(
    fc.string({ unit: 'binary' }).filter((name) => name !== '!'),
    fc.jsonValue({ maxDepth: 4 }),
  )
  .map((value) => JSON.stringify(value, null, 1))

test('an object passes unchanged, in whatever pieces it comes, and nothing but blanks after it', () => {
  fc.assert(
    fc.property(objects, fc.nat(), fc.constantFrom('', ' \n', '{"b":2}', 'x', '\u00a0'), (json, at, more) => {
      const cut = at % (json.length + 1)
      const { text, closing, isComplete } = passed([json.slice(0, cut), json.slice(cut), more])
      expect(text).toBe(json + (more.trim() === '' && more !== '\u00a0' ? more : ''))
      expect({ closing, isComplete }).toEqual({ closing: '', isComplete: true })
    }),
    { numRuns: 60 },
  )
})

test('the beginning of an object is closed as one, without the member in which it ends', () => {
  fc.assert(
    fc.property(objects, fc.nat(), (json, at) => {
      const begun = json.slice(0, at % json.length)
      const { text, closing } = passed([begun])
      expect(text).toBe(begun)
      const { '!': mark, ...members } = JSON.parse(text + closing)
      expect(mark).toBe(1)
      const whole = JSON.parse(json)
      const others = Object.entries(members).filter(([name, value]) => !isDeepStrictEqual(value, whole[name]))
      expect(others.length).toBeLessThan(2)
      for (const [, value] of others) expect(value).toBe(null)
    }),
    { numRuns: 120 },
  )
})

test.each([
  ['{"a":1', '{"a":1,"a":null,"!":1}'],
  ['{"a":1}{"b":2}', '{"a":1}'],
  ['{"a":1} trailing', '{"a":1} '],
  ['{"a":01}', '{"a":0,"a":null,"!":1}'],
  ['{a:1}', '{"!":1}'],
  ['{"a":"x\ny"}', '{"a":"x","a":null,"!":1}'],
  ['{"a":true,}', '{"a":true,"!":1}'],
  ['{"a":[1,{"b":"\\u00', '{"a":[1,{"b":"\\u0000"}],"a":null,"!":1}'],
  ['{"a":{"b":1,', '{"a":{"b":1,"":null},"a":null,"!":1}'],
  ['{"a":{"b', '{"a":{"b":null},"a":null,"!":1}'],
  ['{"a\\', '{"a\\\\":null,"a\\\\":null,"!":1}'],
  ['{"a":-', '{"a":-0,"a":null,"!":1}'],
  ['{"a":tru', '{"a":true,"a":null,"!":1}'],
  ['{"a":[1]]', '{"a":[1],"!":1}'],
  ['[1]', '{"!":1}'],
])('%s ends as an object', (json, object) => {
  const { text, closing } = passed([...json])
  expect(text + closing).toBe(object)
  expect(passed([json])).toEqual(passed([...json]))
  expect(() => JSON.parse(object)).not.toThrow()
})

test('a megabyte of the slowest text is checked within the time of a test', () => {
  const slow = `{"a":[${'[],'.repeat(330_000)}`
  expect(passed([slow]).text).toBe(slow)
  expect(passed([`{"${'a'.repeat(1_000_000)}`]).closing).toHaveLength(1_000_000 + 21)
})
