import { expect, test } from 'vitest'
import { isBlank } from './prompt.ts'

test.each([
  ['nothing', ''],
  ['blanks', ' \t\r\n\u00a0\u2003\u3000'],
  ['half spaces', '\u200c'],
  ['spaces of no width', '\u200b\u2060\ufeff'],
  ['marks of direction', '\u200e\u200f\u202b\u202c\u2066\u2069\u061c'],
  ['soft hyphens, joiners and variants', '\u00ad\u200d\ufe0f\u034f'],
  ['fillers and tags', '\u3164\u115f\u{e0041}'],
  ['controls and half pairs', '\u0001\u007f\ud800'],
  ['Braille without a dot, marks of notes', '\u2800\ufff9\ufffb'],
])('%s are nothing to read', (_, text) => {
  expect(isBlank(text)).toBe(true)
  for (const read of ['ا', 'a', '۱', '.', '😀', 'ک\u200c', '\u0600'])
    expect(isBlank(`${text}${read}${text}`), read).toBe(false)
})
