import { describe, expect, test } from 'vitest'
import { offencesIn } from '../../scripts/patterns/offences.ts'

const offences = (code: string, pattern?: string) =>
  offencesIn([{ file: 'src/a.ts', code }], pattern ? [{ file: 'src/a.ts', pattern, reason: 'a test' }] : [])

describe('the check of regular expressions refuses what is super-linear', () => {
  test.each([
    ['a run looked for at the end', String.raw`text.replace(/\s+$/, '')`],
    ['a tag that opens at every character', 'text.replace(/<[^>]*>/g, " ")'],
    ['a comment that opens again and again and never ends', String.raw`text.replace(/<!--[\s\S]*?-->/g, '')`],
    ['a string whose quotes are escaped', String.raw`text.match(/"(?:[^"\\]|\\.)*"/g)`],
    ['two runs that exchange characters', String.raw`/^(#{1,6})\s+(.+?)\s*$/.exec(text)`],
    ['a group that repeats its own run', 'const bad = /^(?:a+)+$/'],
    ['a long bounded count', 'const bad = /^ {0,2000} {0,2000}x/'],
    [
      'one inside a type assertion of TypeScript',
      String.raw`const bad = (text as string).replace(/\/+$/, '') satisfies string`,
    ],
  ])('%s', (_name, code) => {
    expect(offences(code)).toHaveLength(1)
    expect(offences(code)[0]).toContain('src/a.ts:1')
  })

  test('one that is made of a string, which nothing can judge', () => {
    expect(offences('new RegExp(name + end)')).toEqual([expect.stringContaining('made of a string')])
    expect(offences('RegExp(name)')).toHaveLength(1)
  })
})

test('the check of regular expressions lets linear ones be', () => {
  const code = String.raw`
    text.replace(/(?<!\s)\s+$/, '').replace(/<[^<>]*>/g, ' ').replace(/\n{3,}/g, '\n\n').split(/\n\s*\n/)
    const path = /^[\w.-]+(\/[\w.-]+)*$/`
  expect(offences(code)).toEqual([])
})

test('a reviewed exception excuses its own pattern only, and one that excuses nothing is refused', () => {
  expect(offences(String.raw`text.replace(/\s+$/, '')`, String.raw`\s+$`)).toEqual([])
  expect(offences('const good = /a/', String.raw`\s+$`)).toEqual([expect.stringContaining('delete it')])
})
