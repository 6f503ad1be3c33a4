import { expect, test } from 'vitest'
import { wellFormedJson } from './well-formed.ts'

test('half a character is U+FFFD in values and names; whole ones and what only looks like an escape stay', () => {
  const value = { 'a\ud83d': ['\ude00\ud83d', '😀', '\\ud83d', 1, null], b: { c: '\\\ud83d"' } }
  expect(JSON.parse(wellFormedJson(value))).toEqual({
    'a\ufffd': ['\ufffd\ufffd', '😀', '\\ud83d', 1, null],
    b: { c: '\\\ufffd"' },
  })
  const sound = { a: '😀 \\ud83d', b: [undefined, 1e21] }
  expect(wellFormedJson(sound)).toBe(JSON.stringify(sound))
})

test('megabytes of nothing but halves and backslashes are mended within the time of a test', () => {
  for (const text of [
    '\ud83d'.repeat(700_000),
    `${'\\'.repeat(2_000_000)}\ud83d`,
    '\\\ud83d'.repeat(500_000),
    '\ud83d\ud83d'.repeat(300_000),
  ]) {
    expect(JSON.parse(wellFormedJson({ text }))).toEqual({ text: text.toWellFormed() })
  }
})
