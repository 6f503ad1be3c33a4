import { expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import { containsNumbers, containsQuote, folded, numbersOf, relevantPassages } from './evidence.ts'
import { piecesOf } from './sentences.ts'

const read = (markdown: string) =>
  piecesOf(markdown).flatMap((piece) =>
    piece.kind === 'sentence' ? [[piece.text, piece.end, ...piece.numbers]] : [],
  )

test.each([
  [
    'One thing [1]. Another thing [2].',
    [
      ['One thing', '.', 1],
      ['Another thing', '.', 2],
    ],
  ],
  [
    'One thing. [1] Another thing.[2][3]',
    [
      ['One thing', '.', 1],
      ['Another thing', '.', 2, 3],
    ],
  ],
  [
    'یک چیز است [۱، ۳]؟ دیگری نیست [۲]!',
    [
      ['یک چیز است', '؟', 1, 3],
      ['دیگری نیست', '!', 2],
    ],
  ],
  ['It costs 3.5 dollars, e.g. in Rome [1–3].', [['It costs 3.5 dollars, e.g. in Rome', '.', 1, 2, 3]]],
  ['Dr. Smith wrote it 【4†source】.', [['Dr. Smith wrote it', '.', 4]]],
  [
    '- a point [1]\n- **bold.** [^2]',
    [
      ['a point', '', 1],
      ['**bold', '.**', 2],
    ],
  ],
  ['| a | b |\n|---|---|\n| x | 5 [2] |', [['| x | 5', ' |', 2]]],
  ['# A heading [1].\n\n```\ncode [1].\n```\nText.', [['Text', '.']]],
  ['See [1](https://x.example) now.', [['See [1](https://x.example) now', '.']]],
  [
    'He said «no». She left (at last)',
    [
      ['He said «no»', '.'],
      ['She left (at last)', ''],
    ],
  ],
])('%s', (markdown, sentences) => expect(read(markdown)).toEqual(sentences))

test('no text takes long to read, and nothing of it is lost but citations, code and runs', () => {
  for (const sign of ['!', ' ', '[1]', '* ', '- ', '"', '|', '> ', 'e.g. ', '![](', '[a](http:', '1. ', '.'])
    expect(() => piecesOf(sign.repeat(60_000 / sign.length))).not.toThrow()
  fc.assert(
    fc.property(fc.lorem({ maxCount: 20, mode: 'sentences' }), (text) => {
      const joined = piecesOf(text)
        .map((piece) => (piece.kind === 'plain' ? piece.text : piece.text + piece.end))
        .join('')
      expect(joined.trim()).toBe(text.trim())
    }),
  )
})

test('a quotation is found in any spelling, whole or in its pieces, and never for being short', () => {
  const text = folded('در مهر ۱۴۰۳ كتاب‌هاي زيادى خريديم، به بهای 1,250 تومان.')
  expect(containsQuote(text, 'در مهر 1403 کتاب‌های زیادی')).toBe(true)
  expect(containsQuote(text, 'در مهر ۱۴۰۳ … به بهای ۱٬۲۵۰')).toBe(true)
  expect([
    containsQuote(text, 'در مهر'),
    containsQuote(text, 'در آبان ۱۴۰۳ کتاب'),
    containsQuote(text, ''),
  ]).toEqual([false, false, false])
})

test('numbers are the same in any digits and grouping', () => {
  const numbers = numbersOf('۱٬۲۵۰ تومان و 3.50 درصد در ۱۴۰۳/۰۱/۰۵')
  expect(containsNumbers(numbers, 'It was 1250, or 7 times 1,250')).toBe(true)
  expect(containsNumbers(numbers, 'ده سال، ۱۲۵۱')).toBe(false)
})

test('of a long text the passages that speak of the matter are shown, in their order', () => {
  const text = [...Array(50).keys()]
    .map((index) => (index % 20 === 7 ? `solar panels number ${index}` : `other words ${index}`))
    .join('\n\n')
  expect(relevantPassages(text, 'solar panels', 84)).toBe(
    'solar panels number 7\n\nsolar panels number 27\n\nsolar panels number 47',
  )
  expect(relevantPassages('short', 'x', 100)).toBe('short')
})
