import { expect, test } from 'vitest'
import { isNotModified } from './prepared.ts'
import { requestedRange } from './range.ts'

const tag = '"abc"'

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=5-', { start: 5, end: 9 }],
  ['bytes=9-100', { start: 9, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-100', { start: 0, end: 9 }],
  ['Bytes=2-3', { start: 2, end: 3 }],
  [' bytes=2-3 ', { start: 2, end: 3 }],
  ['bytes=, 2-3 ,', { start: 2, end: 3 }],
  ['bytes=2-99999999999999999999', { start: 2, end: 9 }],
  ['bytes=-99999999999999999999', { start: 0, end: 9 }],
  ['bytes=10-', 'beyond'],
  ['bytes=10-11', 'beyond'],
  ['bytes=-0', 'beyond'],
  ['bytes=3-2', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=0-1,3-4', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=2 - 3', 'whole'],
  ['bytes=1 2-', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=,', 'whole'],
  ['bytes=+1-', 'whole'],
  ['bytes=99999999999999999999-', 'beyond'],
  ['bytes=99999999999999999999-99999999999999999999', 'beyond'],
  ['bytes=99999999999999999999-99999999999999999998', 'whole'],
  // As floating-point numbers both would be equal.
  ['bytes=9007199254740993-9007199254740992', 'whole'],
  [`bytes=${'9'.repeat(5_000)}-`, 'beyond'],
])('of ten bytes, %s is %o', (range, part) => {
  expect(requestedRange({ range }, tag, 10)).toEqual(part)
})

test('a part of another version is the whole', () => {
  expect(requestedRange({ range: 'bytes=0-1', 'if-range': tag }, tag, 10)).toEqual({ start: 0, end: 1 })
  for (const version of ['"other"', 'W/"abc"', 'Fri, 24 May 2013 00:00:00 GMT'])
    expect(requestedRange({ range: 'bytes=0-1', 'if-range': version }, tag, 10)).toBe('whole')
})

test('without a tag no version can be asked for', () => {
  expect(requestedRange({ range: 'bytes=0-1', 'if-range': tag }, undefined, 10)).toBe('whole')
  expect(requestedRange({ range: 'bytes=0-1' }, undefined, 10)).toEqual({ start: 0, end: 1 })
})

test('a version is known by its tag, among others, weak, or whatever it is', () => {
  for (const known of [tag, `"x", ${tag}`, `W/${tag}`, '*', ' * '])
    expect(isNotModified({ 'if-none-match': known }, tag), known).toBe(true)
  for (const known of [undefined, '', '"x"', 'abc', '"abcd"'])
    expect(isNotModified({ ...(known !== undefined && { 'if-none-match': known }) }, tag), known).toBe(false)
})
