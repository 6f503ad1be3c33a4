import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measured, profileOf } from './figures.ts'
import { findGrid } from './find-table.ts'
import { dayOf, decimalOf, measuredOf, percentOf } from './numbers.ts'
import { tableOf } from './table.ts'
import { answerView } from './views.ts'

const read = (text: string) => {
  const found = findGrid(text)
  return found && tableOf(found, (place) => `c${place}`)
}

describe('numbers', () => {
  test.each([
    ['۱۲٬۵۰۰', '12500'],
    ['12,500.50', '12500.5'],
    ['۳٫۱۴', '3.14'],
    ['-7', '-7'],
    ['−۷', '-7'],
    ['(1,200)', '-1200'],
    ['٤٥', '45'],
    ['0.5', '0.5'],
    ['.5', '0.5'],
    ['-0', '0'],
    ['۰۹۱۲۳۴۵۶۷۸۹', undefined],
    ['007', undefined],
    ['6037991234567890', undefined],
    ['1.2.3', undefined],
    ['12,50', undefined],
    ['1e5', undefined],
    ['', undefined],
    ['-', undefined],
    ['=1+1', undefined],
    ['(5', undefined],
  ])('%s is %s', (text, number) => expect(decimalOf(text)).toBe(number))

  test('percentages, units and days are read, and nothing else as them', () => {
    expect([percentOf('۱۲٫۵٪'), percentOf('5 %'), percentOf('%7'), percentOf('5')]).toEqual([
      '12.5',
      '5',
      '7',
      undefined,
    ])
    expect(measuredOf('۱۲٬۵۰۰ تومان')).toEqual({ number: '12500', unit: 'تومان' })
    expect(measuredOf('$12.5')).toEqual({ number: '12.5', unit: '$' })
    expect(dayOf('۱۴۰۳/۱/۵')).toEqual({ day: '1403/01/05', calendar: 'jalali' })
    expect(dayOf('2024-02-29')).toEqual({ day: '2024-02-29', calendar: 'gregorian' })
    expect([dayOf('2023-02-29'), dayOf('1403/13/01'), dayOf('1403/07/31'), dayOf('1403-1/5')]).toEqual(
      Array(4).fill(undefined),
    )
  })

  test('sums and means are those of the decimals as they are written', () => {
    expect(measured('sum', ['0.1', '0.2', '0.3'])).toBe('0.6')
    expect(measured('mean', ['1', '2', '2'])).toBe('1.666667')
    expect(measured('mean', ['-1', '-2', '-2'])).toBe('-1.666667')
    expect(measured('median', ['3', '1', '2', '10'])).toBe('2.5')
    expect(measured('sum', [])).toBeUndefined()
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 50 }), (cents) => {
        const decimals = cents.map((cent) => decimalOf((cent / 100).toFixed(2))!)
        expect(Number(measured('sum', decimals))).toBe(cents.reduce((sum, cent) => sum + cent, 0) / 100)
      }),
    )
  })
})

describe('tables in words', () => {
  const rows = [
    ['a', '1'],
    ['b', '2'],
  ]
  test.each([
    ['CSV among prose', 'Hello, see here:\nname,n\na,1\nb,2\nThanks, bye'],
    ['CSV behind a colon', 'Analyse this: name,n\na,1\nb,2'],
    ['a fence', 'See\n```csv\nname,n\na,1\n\nb,2\n```\nwell, that is it'],
    ['TSV', 'x\nname\tn\na\t1\nb\t2\n'],
    ['semicolons', 'name;n\na;1\nb;2'],
    ['Persian commas', 'name،n\na،۱\nb،۲'],
    ['Markdown', '| name | n |\n|---|---:|\n| a | 1 |\n| b | 2 |'],
    ['a list of objects', 'Data: [{"name":"a","n":1},{"name":"b","n":2}] please'],
    ['an object around a list', '{"ok":true,"rows":[{"name":"a","n":1},{"name":"b","n":2}]}'],
    ['columns', '{"name":["a","b"],"n":[1,2]}'],
    ['lists', '[["name","n"],["a",1],["b",2]]'],
    ['quoted cells', '"name","n"\n"a","1"\n"b","2"'],
  ])('%s is found', (_, text) => {
    const table = read(text)
    expect(table?.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['name', 'text'],
      ['n', 'number'],
    ])
    expect(table?.rows).toEqual(rows)
  })

  test('a quoted cell holds the sign, quotes and ends of lines; repeated rows are counted and kept', () => {
    const table = read('name,note,n\n"a, b","say ""hi""\nthere",1\nc,,2\nc,,2')!
    expect(table.rows).toEqual([
      ['a, b', 'say "hi"\nthere', '1'],
      ['c', null, '2'],
      ['c', null, '2'],
    ])
    expect(table.repeated).toBe(1)
  })

  test('a row with a cell too few or too many is no end of a table: it is filled up, or left out and named', () => {
    const text = 'Sums, please:\nshop,n,note\na,1,x\nb,2\nd,4,x\nc,3,y,z\nf,5,x\ne,1,234,x'
    for (const own of [text, text.replace('Sums, please:\n', '```\n').concat('\n```')]) {
      const table = read(own)!
      expect(table.rows).toEqual([
        ['a', '1', 'x'],
        ['b', '2', null],
        ['d', '4', 'x'],
        ['f', '5', 'x'],
      ])
      expect(table.skipped).toEqual(['c,3,y,z', 'e,1,234,x'])
    }
    // Two of one width that follow each other are another table.
    expect(read('a, b\nc, d\nk,n,m\nx,1,2\ny,3,4')?.rows).toHaveLength(2)
    // Cells that only a sign at the end makes are none.
    expect(read('k,n\na,1,\nb,2')).toMatchObject({
      rows: [
        ['a', '1'],
        ['b', '2'],
      ],
      skipped: [],
    })
  })

  test.each([
    'Please write, kindly, about cats.\nThey are small, furry, and kind.',
    'سیب، موز، گلابی\nانار، انگور، هلو',
    'No table here.',
    '{"a": 1}',
    '[1, 2, 3]',
    '',
    '[[[[[',
    'a,b',
  ])('prose is no table: %s', (text) => expect(read(text)).toBeUndefined())

  test('a column with few cells that are none stays one of numbers, and says which they are', () => {
    const table = read('k,n\na,1\nb,2\nc,3\nd,4\ne,about six')!
    expect(table.columns[1]).toMatchObject({ kind: 'number', unreadable: ['about six'] })
    expect(table.rows[4]).toEqual(['e', null])
    expect(profileOf(table)[1]).toMatchObject({ count: 4, missing: 1, sum: '10' })
  })

  test('years that head columns are names; a table without names gets some', () => {
    expect(read('شهر,1402,1403\nتهران,5,6\nمشهد,7,8')?.columns.map(({ name }) => name)).toEqual([
      'شهر',
      '1402',
      '1403',
    ])
    expect(read('city,n,n\na,1,2\nb,3,4')?.columns.map(({ name }) => name)).toEqual(['city', 'n', 'n (2)'])
    expect(read('```\n1,2\n3,4\n```')?.columns.map(({ name }) => name)).toEqual(['c1', 'c2'])
  })

  test('whatever stands in a text, reading it ends, and what is found is a table', () => {
    const piece = fc.constantFrom(
      'a',
      '1',
      ',',
      '\t',
      '|',
      '"',
      '\n',
      '{',
      '}',
      '[',
      ']',
      ':',
      '```',
      '-',
      '۱',
      '، ',
      '\\',
      '=',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const table = read(pieces.join(''))
        for (const row of table?.rows ?? []) expect(row.length).toBe(table!.columns.length)
      }),
      { numRuns: 500 },
    )
  })

  test('twelve thousand characters of brackets, quotes or signs are read in no time', () => {
    for (const sign of ['[', '{"a":[', '"', ',', '|', '،', '\n,', '"\n', '`'])
      expect(() => read(sign.repeat(12_000 / sign.length))).not.toThrow()
  })
})

describe('views', () => {
  const table = read('ماه,شهر,n\nاسفند,الف,1\nفروردین,ب,5\nمهر,الف,3\nاسفند,ب,')!
  const view = { title: 't', by: 0, column: 2, measure: 'sum', chart: 'bar' } as const

  test('months stand in the order of the year, and a group without numbers has none', () => {
    expect(answerView(table, view, 'other').rows).toEqual([
      { key: 'فروردین', value: '5', count: 1 },
      { key: 'مهر', value: '3', count: 1 },
      { key: 'اسفند', value: '1', count: 2 },
    ])
  })

  test('the rest of many groups is one row, measured as they are', () => {
    const many = read(
      `k,n\n${Array.from({ length: 100 }, (_, index) => `k${index},1\nk${index},2`).join('\n')}`,
    )!
    const { rows, total, share } = answerView(many, { ...view, by: 0, column: 1, measure: 'sum' }, 'other')
    expect(rows).toHaveLength(40)
    expect(rows.at(-1)).toEqual({ key: 'other', value: '183', count: 122 })
    expect({ total, share }).toEqual({ total: '300', share: '61' })
  })
})
