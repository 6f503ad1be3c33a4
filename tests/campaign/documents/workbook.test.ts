import { strFromU8, unzipSync } from 'fflate'
import { readXlsx } from 'hucre'
import { expect, test } from 'vitest'
import { openLog } from '#platform/log'
import { openDocuments, type Value, type Workbook } from '#work/documents'
import { writeWorkbook } from '../../../src/work/documents/workbook/write-workbook.ts'
import fc, { anyCharacter } from '../../harness/fast-check.ts'
import { officeOpens, openedInOffice } from '../../work/documents/office.ts'
import { hostile } from './sample.ts'

const documents = openDocuments(openLog('silent'))
const partsOf = (file: Uint8Array) =>
  Object.fromEntries(Object.entries(unzipSync(file)).map(([name, bytes]) => [name, strFromU8(bytes)]))

const cities: Workbook = {
  language: 'fa',
  title: 'شهرها',
  dateMs: Date.UTC(2026, 10, 20),
  sheets: [
    {
      name: 'شهرها',
      columns: ['شهر', 'خودرو', 'سهم', 'روز', 'کد', 'شرح'].map((title) => ({ title })),
      rows: [
        ['تهران', '۷٬۸۰۰', '۶۲٫۴٪', '2026-11-20', '007', '=1+1'],
        ['Tabriz (تبریز)', 450, '3.6%', '2026-11-21', '021', '@SUM(1)'],
      ],
    },
  ],
}

test('a Persian sheet runs from the right, with a header that stays and numbers that are numbers', async () => {
  const parts = partsOf(await writeWorkbook(cities))
  const sheet = parts['xl/worksheets/sheet1.xml']!
  expect(sheet).toContain('rightToLeft="1"')
  expect(sheet).toContain('ySplit="1"')
  expect(sheet).toContain('<autoFilter ref="A1:F3"/>')
  expect(
    [...sheet.matchAll(/<c r="(\w+)" s="\d+"><v>([^<]*)<\/v>/g)].map(([, cell, value]) => [cell, value]),
  ).toEqual([
    ['B2', '7800'],
    ['C2', '0.624'],
    ['D2', '46346'],
    ['B3', '450'],
    ['C3', '0.036'],
    ['D3', '46347'],
  ])
  const formats = [...parts['xl/styles.xml']!.matchAll(/formatCode="([^"]*)"/g)].map(([, format]) => format)
  expect(formats).toEqual(
    expect.arrayContaining(['[$-3000429]#,##0', '[$-3000429]0.0%', '[$-3160429]yyyy/mm/dd', '@']),
  )
})

test('texts have the direction of their sheet, and those wholly of the other script their own', async () => {
  const orders = async (language: 'fa' | 'en', texts: string[]) => {
    const rows = texts.map((text) => [text])
    const sheets = [{ name: 'a', columns: [{ title: language === 'fa' ? 'شرح' : 'Note' }], rows }]
    const parts = partsOf(await writeWorkbook({ language, dateMs: cities.dateMs!, sheets }))
    const styles = [
      .../<cellXfs.*<\/cellXfs>/s
        .exec(parts['xl/styles.xml']!)![0]
        .matchAll(/<xf [^>]*?(?:\/>|>.*?<\/xf>)/gs),
    ].map(([style]) => /readingOrder="(\d)"/.exec(style)?.[1])
    const cells = parts['xl/worksheets/sheet1.xml']!.matchAll(/<c r="A\d+" t="s" s="(\d+)"/g)
    return [...cells].map(([, style]) => styles[Number(style)])
  }
  const [leftToRight, rightToLeft] = ['1', '2']
  // After the header: first of all what begins with a name or a sign of the other script.
  const persian = ['API بانک‌ها (نسخهٔ ۲).', '@شیراز', 'متن', 'Node.js (v24).']
  expect(await orders('fa', persian)).toEqual([...Array(4).fill(rightToLeft), leftToRight])
  expect(await orders('en', ['خرد is a name.', 'متن فارسی.'])).toEqual([
    leftToRight,
    leftToRight,
    rightToLeft,
  ])
})

test('an English sheet runs from the left, with Latin digits', async () => {
  const parts = partsOf(await writeWorkbook({ ...cities, language: 'en' }))
  expect(parts['xl/worksheets/sheet1.xml']).not.toContain('rightToLeft')
  expect(parts['xl/styles.xml']).not.toContain('[$-')
})

test('what looks like a formula is text, also when it is edited', async () => {
  const texts = ['=1+1', '+1-1x', '-a', '@SUM(A1)', '\tx', '=HYPERLINK("http://x.ir")', "=cmd|' /C calc'!A0"]
  const sheet = { name: 'a', columns: [{ title: '=x' }], rows: texts.map((text) => [text]) }
  const parts = partsOf(await writeWorkbook({ language: 'en', sheets: [sheet] }))
  const xml = parts['xl/worksheets/sheet1.xml']!
  expect(xml).not.toContain('<f')
  expect(Object.keys(parts).filter((name) => /externalLink|connections|vba/.test(name))).toEqual([])
  const styles = [...parts['xl/styles.xml']!.matchAll(/<xf numFmtId="(\d+)"/g)].slice(1).map(([, id]) => id)
  const text = /numFmtId="(\d+)" formatCode="@"/.exec(parts['xl/styles.xml']!)![1]
  for (const [, style] of xml.matchAll(/<c r="A\d+" t="s" s="(\d+)"/g))
    expect(styles[Number(style)]).toBe(text)
  expect(
    (await readXlsx(await writeWorkbook({ language: 'en', sheets: [sheet] }))).sheets[0]!.rows.slice(1),
  ).toEqual(texts.map((own) => [own]))
})

test('any value comes through, and breaks nothing', async () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(...hostile, '_x0041_', 'a_x005F_'),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  )
  const columns = [
    { title: 'a', kind: 'text' as const },
    { title: 'b', kind: 'text' as const },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 6 }), async (rows) => {
      const file = await writeWorkbook({ language: 'fa', sheets: [{ name: 'x', columns, rows }] })
      const found = (await readXlsx(file)).sheets[0]!.rows.slice(1)
      const stored = (own: Value) => {
        // Zero has no sign in a sheet.
        if (typeof own === 'number') return Number.isFinite(own) ? own + 0 : null
        if (typeof own !== 'string') return own
        const printed = own
          .toWellFormed()
          .replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
          .replace(/\r\n?/g, '\n')
        return printed === '' ? null : printed
      }
      for (const [place, row] of rows.entries())
        for (const [column, own] of row.entries()) {
          // An empty text is an empty cell.
          const cell = found[place]?.[column]
          expect(cell === '' ? null : (cell ?? null)).toEqual(stored(own))
        }
    }),
    { numRuns: 80 },
  )
})

test('a text longer than a cell holds is cut, and says so', async () => {
  const long = '😀'.repeat(20_000)
  const sheet = { name: 'a', columns: [{ title: 'a' }], rows: [[long]] }
  const cell = (await readXlsx(await writeWorkbook({ language: 'en', sheets: [sheet] }))).sheets[0]!
    .rows[1]![0] as string
  expect(cell.length).toBeLessThanOrEqual(32_767)
  expect(cell).toMatch(/^(😀)+\ufffd?…$/u)
})

test('the same workbook is the same file', async () => {
  const [first, second] = await Promise.all([documents.toWorkbook(cities), documents.toWorkbook(cities)])
  expect(first.equals(second)).toBe(true)
})

test('more than a person opens is refused before anything is made', async () => {
  await expect(documents.toWorkbook({ language: 'fa', sheets: [] })).rejects.toThrow(RangeError)
})

test.runIf(officeOpens('xlsx'))(
  'an office suite shows numbers in Persian digits and formulas as text',
  async () => {
    const page = (await openedInOffice(await documents.toWorkbook(cities), 'xlsx', 'html')).toString('utf8')
    const cells = [...page.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) =>
      cell!.replace(/<[^>]*>/g, ''),
    )
    for (const shown of ['۷٬۸۰۰', '۶۲٫۴%', '۲۰۲۶/۱۱/۲۰', '007', '=1+1', '@SUM(1)'])
      expect(cells).toContain(shown)
  },
)
