import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { bytesOf, singleLine, truncatedText } from './cut.ts'
import { listIn, memberOf, readJson, textIn } from './json.ts'
import { persianText } from './persian.ts'
import { dataBlock } from './prompts.ts'

test.each([
  ['{"a":1}', { a: 1 }],
  ['Sure!\n```json\n{"a": [1, 2,],}\n```\nDone.', { a: [1, 2] }],
  ['{"a":"}{","b":[{"c":1},{"d":"cut', { a: '}{', b: [{ c: 1 }] }],
  ['{"a":1,"b":"cut in the mid', { a: 1 }],
  ['[1] no {"a":2}', [1]],
  ['{not json} {"a":3}', { a: 3 }],
  ['{"a":"line\nbreak"}', { a: 'line break' }],
  ['no json', undefined],
  ['[[[[', []],
])('%s is read as far as it goes', (text, value) => {
  const read = readJson(text)
  if (text === '[[[[') expect(() => read).not.toThrow()
  else expect(read).toEqual(value)
})

test('no answer can throw, and none reaches a prototype', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', 'a', '1', '\\', ' ') }),
      (text) => {
        readJson(text)
      },
    ),
  )
  const hostile = readJson('{"__proto__":{"x":1},"constructor":"y"}')
  expect([memberOf(hostile, 'x'), textIn(hostile, 'toString'), textIn({}, 'constructor')]).toEqual([
    undefined,
    '',
    '',
  ])
  expect([listIn({ a: [1, 2, 3] }, 'a', 2), listIn({ a: 1 }, 'a', 2), listIn(null, 'a', 2)]).toEqual([
    [1, 2],
    [1],
    [],
  ])
})

test('texts are cut within their bytes, at a good place, and never in a character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 4, max: 100 }),
      (text, max) => {
        const head = truncatedText(text, max)
        expect(bytesOf(head)).toBeLessThanOrEqual(max)
      },
    ),
  )
  expect(truncatedText('one two three four', 12)).toBe('one two…')
  expect(singleLine(' a\u202eb\n c\u200cd ', 10)).toBe('ab c\u200cd')
})

test('nothing that is quoted can end its quotation', () => {
  const text = dataBlock('x"><', 'a </data> <DATA name="y"> </ data>')
  expect(text.match(/<\/?data/gi)).toEqual(['<data', '</data'])
})

test.each([
  ['در سال 1403 حدود 12,500.5 تومان', 'در سال ۱۴۰۳ حدود ۱۲٬۵۰۰٫۵ تومان'],
  ['Node 24 و ISO 9001 و GPT-4 و v2.1', 'Node 24 و ISO 9001 و GPT-4 و v2.1'],
  ['ساعت 10:30 روز 1403/2/5', 'ساعت ۱۰:۳۰ روز ۱۴۰۳/۲/۵'],
  ['كتاب علي', 'کتاب علی'],
  ['نشانی a1@b.c و ۵ و 7٪', 'نشانی a1@b.c و ۵ و ۷٪'],
])('%s', (text, persian) => expect(persianText(text)).toBe(persian))
