import { expect, test } from 'vitest'

import { DepthScanner, isDeeper, objectInText, objectOf, readExactly, readObject } from './json.ts'

test.each<[string, unknown]>([
  ['{"a":1}', { a: 1 }],
  [' {"a":1}\n', { a: 1 }],
  ['', {}],
  [' \n', {}],
  ['null', {}],
  ['"{\\"a\\":1}"', { a: 1 }],
  ['"text"', { value: 'text' }],
  ['"[1]"', { value: '[1]' }],
  ['[1]', { value: [1] }],
  ['false', { value: false }],
  [JSON.stringify('['.repeat(20_000)), { value: '['.repeat(20_000) }],
  [
    JSON.stringify(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`),
    { value: `${'{"a":'.repeat(101)}1${'}'.repeat(101)}` },
  ],
  ['{"a":', { INVALID_JSON: '{"a":' }],
  ['text', { INVALID_JSON: 'text' }],
])('the object of %.40s', (text, object) => {
  expect(readObject(text)).toEqual(object)
})

test('a number alone keeps every digit in the object that wraps it', () => {
  for (const text of ['2512292042121000001', '-12345678901234567890.5', '1e400'])
    expect(JSON.stringify(readObject(text))).toBe(`{"value":${text}}`)
  expect(JSON.stringify(objectOf(readExactly('9007199254740993')))).toBe('{"value":9007199254740993}')
})

test('what is nested too deeply to come back in a request stays a text', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  expect(readObject(nested(100))).toHaveProperty('a')
  for (const text of [nested(101), nested(20_000)]) expect(readObject(text)).toEqual({ value: text })
  expect(readObject(JSON.stringify(nested(90)))).toHaveProperty('a')
  for (const text of [nested(91), nested(20_000)]) {
    expect(readObject(JSON.stringify(text))).toEqual({ value: text })
    expect(objectInText(text)).toEqual({ value: text })
  }
  expect(objectOf(undefined)).toEqual({})
})

test('nesting is followed through pieces; what stands in strings does not count', () => {
  const scanner = new DepthScanner(2)
  for (const piece of ['{"[[[', '\\', '"[[[', '":[', ']', ',"b":[]}', '[{}]'])
    expect(scanner.admits(piece)).toBe(true)
  expect(scanner.admits('[[[')).toBe(false)
  expect(isDeeper(`"${'['.repeat(1_000_000)}"`, 100)).toBe(false)
  expect(isDeeper('['.repeat(1_000_000), 100)).toBe(true)
})
