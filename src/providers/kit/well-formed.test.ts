import { expect, test } from 'vitest'
import { wellFormedArguments, wellFormedJson } from './well-formed.ts'

test('half a character is U+FFFD in values and names; whole ones and what only looks like an escape stay', () => {
  const value = { 'a\ud83d': ['\ude00\ud83d', '😀', '\\ud83d', 1, null], b: { c: '\\\ud83d"' } }
  expect(JSON.parse(wellFormedJson(value))).toEqual({
    'a\ufffd': ['\ufffd\ufffd', '😀', '\\ud83d', 1, null],
    b: { c: '\\\ufffd"' },
  })
  const sound = { a: '😀 \\ud83d', b: [undefined, 1e21] }
  expect(wellFormedJson(sound)).toBe(JSON.stringify(sound))
})

test('megabytes of nothing but halves and backslashes are replaced within the time of a test', () => {
  for (const text of [
    '\ud83d'.repeat(700_000),
    `${'\\'.repeat(2_000_000)}\ud83d`,
    '\\\ud83d'.repeat(500_000),
    '\ud83d\ud83d'.repeat(300_000),
  ]) {
    expect(JSON.parse(wellFormedJson({ text }))).toEqual({ text: text.toWellFormed() })
  }
  const halves = '\\ud83d'.repeat(160_000)
  expect(wellFormedArguments(halves)).toBe(halves.replaceAll('ud83d', 'ufffd'))
})

test('escapes of half a character inside the arguments of a call are mended, whole pairs and escaped backslashes stay', () => {
  const city = 'a\ud83d \ude00\ud83d 😀 \\ud83d \\\ude00'
  expect(JSON.parse(wellFormedArguments(JSON.stringify({ city })))).toEqual({ city: city.toWellFormed() })
  for (const text of [String.raw`{"a":"\uD83D\ude00 \\ud83d \u0041 \ud7ff"}`, '{"a":', '\\ud8', 'سه'])
    expect(wellFormedArguments(text)).toBe(text)
  expect(wellFormedArguments(String.raw`"\uDBFF\\udc00 \udc00"`)).toBe(String.raw`"\ufffd\\udc00 \ufffd"`)
})
