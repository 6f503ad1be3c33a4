import { expect, test } from 'vitest'
import fc, { anyCharacter } from '../../../../tests/harness/fast-check.ts'
import { cellValue, dateIn, kindOf, looksLikeFormula, numberIn, percentIn } from './cells.ts'
import { toCsv } from './csv.ts'
import { sheetNames } from './names.ts'
import { checkWorkbook, type Sheet, type Value } from './workbook.ts'

test.each([
  ['12,500', 12_500],
  ['۱۲٬۵۰۰', 12_500],
  ['۱۸٫۵', 18.5],
  ['-3', -3],
  ['−۳', -3],
  ['0', 0],
  ['0.5', 0.5],
  ['007', undefined],
  ['۰۹۱۲۳۴۵۶۷۸۹', undefined],
  ['+98', undefined],
  ['6037991234567890', undefined],
  ['1,23', undefined],
  ['1e5', undefined],
  ['', undefined],
  ['دو', undefined],
])('%j is the number %j', (text, number) => {
  expect(numberIn(text)).toBe(number)
})

test('percentages are parts of one, exactly', () => {
  expect([percentIn('18.5%'), percentIn('۶۲٫۴٪'), percentIn('7'), percentIn('%')]).toEqual([
    0.185,
    0.624,
    undefined,
    undefined,
  ])
})

test('only days that exist are dates', () => {
  expect(dateIn('2026-02-28')?.toISOString()).toBe('2026-02-28T00:00:00.000Z')
  expect([dateIn('2026-02-30'), dateIn('۱۴۰۵-۰۸-۲۹')?.getUTCFullYear(), dateIn('2026')]).toEqual([
    undefined,
    1405,
    undefined,
  ])
})

test.each<[Value[], string]>([
  [[1, '۲', null, ''], 'number'],
  [['1%', '۲٪'], 'percent'],
  [['1%', 2], 'text'],
  [['2026-11-20', null], 'date'],
  [[true, false], 'yes-no'],
  [['007', 1], 'text'],
  [[null], 'text'],
  [[], 'text'],
])('the kind of %j is %s', (values, kind) => {
  expect(kindOf({ title: '' }, values)).toBe(kind)
})

test('what does not fit its column stays as it was', () => {
  expect(cellValue('نامعلوم', 'number')).toBe('نامعلوم')
  expect(cellValue(Number.NaN, 'number')).toBeNull()
})

const sheet = (titles: string[], rows: Value[][]): Sheet => ({
  name: 'a',
  columns: titles.map((title) => ({ title })),
  rows,
})

test('CSV has its mark, its quotes, its line ends, and numbers in Latin digits', () => {
  const rows = [
    ['تهران', '۷٬۸۰۰', '۶۲٫۴٪', 'a "b", c'],
    ['مشهد', 1950.5, '3%', 'd\ne'],
  ]
  expect(toCsv(sheet(['شهر', 'خودرو', 'سهم', 'x'], rows))).toBe(
    '\ufeffشهر,خودرو,سهم,x\r\nتهران,7800,62.4%,"a ""b"", c"\r\nمشهد,1950.5,3%,"d\ne"\r\n',
  )
})

test.each(['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://x")', '＝1+1'])(
  'a text cell that begins as %j is not calculated',
  (text) => {
    const [, line] = toCsv(sheet(['a'], [[text], ['x']])).split('\r\n')
    expect(line!.replace(/^"/, '')).toMatch(/^'/)
  },
)

/** Parses CSV strictly by RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const row: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const found = field.exec(text)
    if (!found) throw new Error('not CSV')
    row.push(found[1]?.replaceAll('""', '"') ?? found[2]!)
    if (found[3] === '\r\n') rows.push(row.splice(0))
  }
  return rows
}

test('any text comes through CSV', () => {
  const texts = fc.array(fc.string({ unit: anyCharacter }), { minLength: 2, maxLength: 2 })
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 5 }), (rows) => {
      const columns = [
        { title: 'a', kind: 'text' as const },
        { title: 'b', kind: 'text' as const },
      ]
      const csv = toCsv({ name: '', columns, rows })
      const held = rows.map((row) =>
        row.map((text) => {
          const printed = text.toWellFormed().replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
          return looksLikeFormula(printed) && numberIn(printed) === undefined ? `'${printed}` : printed
        }),
      )
      expect(parseCsv(csv.slice(1))).toEqual([['a', 'b'], ...held])
    }),
  )
})

test('sheets get names that spreadsheets accept, each once', () => {
  const names = ['شهرها/۱', 'شهرها ۱', "'a'", '', 'History', 'x'.repeat(40), 'X'.repeat(40)]
  expect(sheetNames(names, 'fa')).toEqual([
    'شهرها ۱',
    'شهرها ۱ (۲)',
    'a',
    'برگهٔ ۴',
    'History (۲)',
    'x'.repeat(31),
    `${'X'.repeat(27)} (۲)`,
  ])
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter }), { maxLength: 8 }), (given) => {
      const found = sheetNames(given, 'en')
      expect(new Set(found.map((name) => name.toLowerCase())).size).toBe(given.length)
      for (const name of found) expect(name).toMatch(/^(?!')[^\][:*?/\\\p{Cc}]{1,31}(?<!')$/u)
    }),
  )
})

test('more than a person opens is refused', () => {
  const many = { language: 'fa' as const, sheets: [{ name: '', columns: [], rows: [] }] }
  expect(() => checkWorkbook({ ...many, sheets: [] })).toThrow(RangeError)
  expect(() => checkWorkbook({ ...many, sheets: Array(51).fill(many.sheets[0]) })).toThrow(RangeError)
  const columns = Array.from({ length: 500 }, () => ({ title: '' }))
  expect(() =>
    checkWorkbook({ ...many, sheets: [{ name: '', columns, rows: Array(2_000).fill([]) }] }),
  ).toThrow(RangeError)
})
