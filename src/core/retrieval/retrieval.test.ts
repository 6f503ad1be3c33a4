import { describe, expect, test } from 'vitest'
import { costOf, expectLinear } from '../../../tests/cost/cost.ts'
import fc from '../../../tests/harness/fast-check.ts'
import { quotationsOf } from './query.ts'
import { indexPassage, normalise, passagesOf, readQuery } from './retrieval.ts'

const termsOf = (text: string): string[] =>
  [...indexPassage('', text, 'm').terms.matchAll(/'([^']+)':/g)].map(([, term]) => term!)
const meets = (asked: string, text: string): boolean => {
  const terms = new Set(termsOf(text))
  return readQuery(asked).groups.every((group) => group.some((term) => terms.has(term)))
}

test.each([
  ['كتاب علي', 'کتاب علی'],
  ['مسألة', 'مساله'],
  ['مسئله', 'مسیله'],
  ['خانهٔ', 'خانه'],
  ['خانۀ', 'خانه'],
  ['کِتابِ', 'کتاب'],
  ['کـــتاب', 'کتاب'],
  ['آب', 'اب'],
  ['ﻻﻟﻪ', 'لاله'],
  ['۱۴۰۵ ١٤٠٥ 1405', '1405 1405 1405'],
  ['۱٬۲۵۰ 1,250', '1250 1250'],
  ['۳٫۱۴', '3.14'],
  ['Café ＡＢＣ', 'cafe abc'],
  ['سال۱۴۰۵', 'سال 1405'],
])('%s is spelled %s', (text, spelled) => {
  expect(normalise(text)).toBe(spelled)
})

describe('one word is found in all its spellings', () => {
  const ways = [
    ['می‌خواهم', 'میخواهم', 'می خواهم', 'مي‌خواهم'],
    ['نمی‌شناسند', 'نمیشناسند', 'نمی شناسند'],
    ['کتاب‌ها', 'کتابها', 'کتاب ها', 'كتابها'],
    ['کتاب‌های', 'کتابهای', 'کتاب های'],
    ['بزرگ‌ترین', 'بزرگترین', 'بزرگ ترین'],
    ['بزرگ‌تر', 'بزرگتر', 'بزرگ تر'],
    ['۱۲۵۰', '1250', '١٢٥٠', '۱٬۲۵۰', '1,250'],
    ['books', 'Books', 'ＢＯＯＫＳ'],
  ]
  for (const spellings of ways)
    for (const asked of spellings)
      for (const written of spellings)
        test(`${asked} in ${written}`, () => expect(meets(asked, `متن ${written} دارد`)).toBe(true))
})

test.each([
  ['کتاب', 'کتاب‌هایشان را بردند'],
  ['کتاب‌ها', 'یک کتاب خرید'],
  ['نیم فاصله', 'نیم‌فاصله'],
  ['نیم فاصله', 'نیمفاصله'],
  ['نیم‌فاصله', 'نیم فاصله'],
  ['خانه', 'خانه‌ی ما'],
  ['policies', 'the policy'],
  ['invoice', 'all Invoices'],
])('%s finds %s', (asked, written) => {
  expect(meets(asked, written)).toBe(true)
})

test.each([
  ['تن', 'تنها'],
  ['انت', 'انتها'],
  ['کتاب', 'کتابت'],
  ['12', '1250'],
])('%s does not find %s', (asked, written) => {
  expect(meets(asked, written)).toBe(false)
})

test('words of every question do not count, unless there are no others', () => {
  expect(readQuery('هزینهٔ ارسال چقدر است؟').groups.map(([term]) => term)).toEqual(['هزینه', 'ارسال'])
  expect(readQuery('what is this?').groups.length).toBe(3)
  expect(readQuery(' ؟! ').groups).toEqual([])
})

test('a phrase is what stands in quotation marks of either language', () => {
  expect(
    readQuery('«حق فسخ» و "right of return"').phrases.map((phrase) => phrase.map(([term]) => term)),
  ).toEqual([
    ['حق', 'فسخ'],
    ['right', 'of', 'return'],
  ])
})

test('quotations are those that the pattern of old found, in any mix of marks', () => {
  const pattern = /"([^"]{1,300})"|«([^»]{1,300})»|“([^”]{1,300})”/g
  const piece = fc.oneof(
    fc.constantFrom('"', '«', '»', '“', '”', 'a ', '""', 'x'.repeat(299), 'y'.repeat(300)),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const expected = [...text.matchAll(pattern)].map(([, one, two, three]) => one ?? two ?? three)
      expect(quotationsOf(text)).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('many marks that nothing closes are read in a time that grows as their number', async () => {
  const cost = (length: number) => costOf(() => expect(quotationsOf('«'.repeat(length))).toEqual([]))
  await expectLinear('«', cost, { from: 50_000, to: 400_000 })
})

describe('passages', () => {
  const sentence = (n: number) => `این جملهٔ شمارهٔ ${n} است و چند کلمهٔ دیگر هم دارد.`

  test('are cut at headings, which stay with them', () => {
    expect(passagesOf('آغاز\n\n# یک\nمتن یک\n## دو\nمتن دو\n# سه\n\nمتن سه')).toEqual([
      { heading: undefined, text: 'آغاز' },
      { heading: 'یک', text: 'متن یک' },
      { heading: 'یک › دو', text: 'متن دو' },
      { heading: 'سه', text: 'متن سه' },
    ])
  })

  test('of a long text have 1,000 to 1,500 characters, overlap, and hold every sentence whole', () => {
    const all = Array.from({ length: 200 }, (_, n) => sentence(n))
    const passages = passagesOf(all.join(' '))
    expect(passages.length).toBeGreaterThan(5)
    for (const { text } of passages.slice(0, -1)) {
      expect(text.length).toBeGreaterThanOrEqual(1_000)
      expect(text.length).toBeLessThanOrEqual(1_500)
    }
    for (const each of all) expect(passages.some(({ text }) => text.includes(each))).toBe(true)
    const shared = passages.slice(1).filter(({ text }, at) => {
      const first = text.split('\n\n')[0]!
      return passages[at]!.text.endsWith(first)
    })
    expect(shared.length).toBe(passages.length - 1)
  })

  test('of what has no sentences, no spaces and no end are cut all the same', () => {
    const passages = passagesOf('😀'.repeat(2_000))
    expect(passages.every(({ text }) => text.length <= 1_500 && text.isWellFormed())).toBe(true)
    expect(
      passages
        .map(({ text }) => text)
        .join('')
        .replaceAll('\n', '').length,
    ).toBeGreaterThanOrEqual(4_000)
    expect(passagesOf(' \n\n ')).toEqual([])
  })

  test('of two million characters take no time to speak of', () => {
    for (const text of [
      'a.'.repeat(1_000_000),
      'ا '.repeat(1_000_000),
      `x${' '.repeat(1_999_998)}x`,
      '\n'.repeat(2_000_000),
    ])
      expect(passagesOf(text).length).toBeLessThan(2_000)
  })
})

test('a passage is indexed by its words with their places, those of its heading with weight', () => {
  const { terms, words } = indexPassage('قیمت', "it's نیم‌فاصله", 'k/1')
  expect(words).toBe(3)
  expect(terms).toBe("'k/1' 'قیمت':1A 'it':6 's':7 'نیمفاصله':8 'نیم':8 'فاصله':9")
})
