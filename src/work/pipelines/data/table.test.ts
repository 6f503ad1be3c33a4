import { describe, expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import { cleaningLines } from './cleaning/blocks.ts'
import type { Note } from './columns/notes.ts'
import { type Profile, profileOf } from './figures.ts'
import { readTables, storeOf } from './read-table.ts'
import { dayText, isLeapJalali } from './values/calendar.ts'
import { momentsOf, timeOf } from './values/dates.ts'
import { foldKey } from './values/fold.ts'
import { decimalOf, numeralOf, numeralToDecimal, percentOf } from './values/numerals.ts'
import { answerView } from './views.ts'

const inputsOf = (text: string) => [{ name: '', text }]

async function read(text: string) {
  const { found } = await readTables({ inputs: inputsOf(text), columnWord: 'c' })
  return found
    ? {
        columns: found.spec.table.columns,
        rows: found.sample,
        notes: found.notes,
        profile: found.profile,
        found,
      }
    : undefined
}

const noteOf = <Kind extends Note['kind']>(notes: readonly Note[], kind: Kind) =>
  notes.find((note): note is Note & { kind: Kind } => note.kind === kind)

/** The profile of a column of these cells. */
async function column(...cells: string[]): Promise<Profile & { notes: Note[]; values: (string | null)[] }> {
  const found = (await read(`k\tv\n${cells.map((cell, at) => `x${at}\t${cell}`).join('\n')}`))!
  return { ...found.profile[1]!, notes: found.notes, values: found.rows.map((row) => row[1] ?? null) }
}

describe('numbers', () => {
  test.each([
    ['۱۲٬۵۰۰', '12500'],
    ['12,500.50', '12500.5'],
    ['۳٫۱۴', '3.14'],
    ['-7', '-7'],
    ['−۷', '-7'],
    ['–7', '-7'],
    ['7-', '-7'],
    ['۷−', '-7'],
    ['\u200e-۷', '-7'],
    ['\u200f۷\u061c', '7'],
    ['(1,200)', '-1200'],
    ['٤٥', '45'],
    ['1۲٣', '123'],
    ['0.5', '0.5'],
    ['.5', '0.5'],
    ['-0', '0'],
    ["1'234'567", '1234567'],
    ['1 234 567', '1234567'],
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
    ['+989121234567', undefined],
  ])('%s is %s', (text, number) => expect(decimalOf(text)).toBe(number))

  test.each([
    ['۱٫۵ میلیارد', '1500000000'],
    ['۱٫۵ میلیارد تومان', '1500000000'],
    ['۲ میلیون و ۵۰۰ هزار', '2500000'],
    ['-۳ هزار', '-3000'],
    ['$1.2 million', '1200000'],
    ['1.5E+05', '150000'],
  ])('%s is %s', (text, number) => {
    const numeral = numeralOf(text)!
    expect(numeralToDecimal(numeral, '.')).toBe(number)
  })

  test('percentages, units and days are read, and nothing else as them', () => {
    expect(['۱۲٫۵٪', '5 %', '%7', '۳ درصد', '5'].map(percentOf)).toEqual(['12.5', '5', '7', '3', undefined])
    expect(numeralOf('۱۲٬۵۰۰ تومان')).toMatchObject({ body: '12٬500', unit: 'تومان' })
    expect(numeralOf('۱۲٬۵۰۰ ريال')).toMatchObject({ unit: 'ریال' })
    expect(numeralOf('$12.5')).toMatchObject({ body: '12.5', unit: '$' })
  })

  test.each([
    ['۱۴۰۳/۱/۵', '1403/01/05'],
    ['۵ فروردین ۱۴۰۳', '1403/01/05'],
    ['شنبه ۱۵ آبان ۱۴۰۳', '1403/08/15'],
    ['سه‌شنبه، 5 مهر 1403', '1403/07/05'],
    ['1403/12/30', '1403/12/30'],
    ['1404/12/30', undefined],
    ['1403/07/31', undefined],
    ['2024-02-29', '2024-02-29'],
    ['2023-02-29', undefined],
    ['March 5, 2024', '2024-03-05'],
    ['۵ مارس ۲۰۲۴', '2024-03-05'],
    ['2024-03-24T10:00:00Z', '2024-03-24'],
    ['۱۴۰۳/۰۱/۰۵ ساعت ۱۴:۳۰', '1403/01/05'],
    ['13/01/2024', '2024-01-13'],
    ['1403/13/01', undefined],
    ['1403-1/5', undefined],
  ])('the day of %s is %s', (text, day) => {
    const [moment] = momentsOf(text)
    expect(moment && dayText(moment.calendar, Math.floor(moment.seconds / 86_400))).toBe(day)
  })

  test('times of the day are read', () => {
    expect(['۱۴:۳۰', '2:30 PM', '۲:۳۰ ب.ظ', '08:05:09', '24:00', '12'].map(timeOf)).toEqual([
      52_200,
      52_200,
      52_200,
      29_109,
      undefined,
      undefined,
    ])
  })

  test('leap years and days of the Jalali calendar are those of ICU from 1200 to 1500', () => {
    const persian = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
      timeZone: 'UTC',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    const shown = (day: number) => {
      const parts = persian.formatToParts(day * 86_400_000)
      return ['year', 'month', 'day'].map((type) => parts.find((part) => part.type === type)!.value).join('/')
    }
    const first = momentsOf('1200/01/01')[0]!.seconds / 86_400
    for (let day = first; day < first + 300 * 365.2422; day += 97)
      expect(dayText('jalali', Math.floor(day))).toBe(shown(Math.floor(day)))
    expect([1399, 1403, 1404, 1408].map(isLeapJalali)).toEqual([true, true, false, true])
  })

  test('sums are those of the decimals as they are written, whatever binary fractions make of them', async () => {
    expect((await column('0.1', '0.2', '0.3')).sum).toBe('0.6')
    expect(await column('1', '2', '2')).toMatchObject({ mean: '1.666667', median: '2' })
    expect((await column('-1', '-2', '-2')).mean).toBe('-1.666667')
    expect((await column('3', '1', '2', '10')).median).toBe('2.5')
    expect((await column('0.30000000000000004', '0.1', '7')).sum).toBe('7.40000000000000004')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 2, maxLength: 40 }),
        async (cents) => {
          const { sum } = await column(...cents.map((cent) => (cent / 100).toFixed(2)))
          expect(Number(sum)).toBe(cents.reduce((all, cent) => all + cent, 0) / 100)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('columns', () => {
  test('European and English separators are distinguished by the column, and a guess is named', async () => {
    const european = await column('1.234,56', '99,5', '1.000')
    expect(european).toMatchObject({ kind: 'number', sum: '2334.06' })
    expect(noteOf(european.notes, 'decimal')).toMatchObject({ sign: ',', guess: false })
    const english = await column('1,234.56', '99.5', '1,000')
    expect(english.sum).toBe('2334.06')
    expect(noteOf(english.notes, 'decimal')).toBeUndefined()
    const guessed = await column('1.234', '5.678')
    expect(guessed.sum).toBe('6.912')
    expect(noteOf(guessed.notes, 'decimal')).toMatchObject({ guess: true, written: '1.234', read: '1.234' })
    // If no number has four digits without a separator, the point separates thousands.
    expect((await column('1.234', '950', '12')).sum).toBe('2196')
  })

  test('a slash is a decimal sign where no day can be meant, and the guess is named', async () => {
    const found = await column('۱۸/۵', '۲۰', '۱۷/۲۵')
    expect(found).toMatchObject({ kind: 'number', sum: '55.75' })
    expect(noteOf(found.notes, 'slash')).toMatchObject({ written: '۱۸/۵', read: '18.5' })
    expect((await column('۱۴۰۳/۰۱', '۱۴۰۳/۰۲')).kind).toBe('text')
  })

  test('Rials and Tomans of one column are one currency', async () => {
    const found = await column('۱۰٬۰۰۰ ریال', '۲٬۰۰۰ تومان', '۵٬۰۰۰ ریال')
    expect(found).toMatchObject({ unit: 'ریال', sum: '35000' })
    expect(noteOf(found.notes, 'other-unit')).toMatchObject({ count: 1, from: 'تومان', to: 'ریال' })
  })

  test('the order of days and months is decided by the column; where both are possible it is a named guess', async () => {
    const dayFirst = await column('05/01/2024', '13/01/2024')
    expect(dayFirst.values).toEqual(['2024-01-05', '2024-01-13'])
    expect(noteOf(dayFirst.notes, 'order')).toMatchObject({ dayFirst: true, guess: false })
    const monthFirst = await column('05/01/2024', '01/13/2024')
    expect(monthFirst.values).toEqual(['2024-05-01', '2024-01-13'])
    expect(noteOf(monthFirst.notes, 'order')).toMatchObject({ dayFirst: false, guess: false })
    expect(noteOf((await column('05/01/2024', '06/02/2024')).notes, 'order')).toMatchObject({ guess: true })
  })

  test('two digits of a year are a named guess; days of spreadsheets are days where the column is called so', async () => {
    const short = (await read('تاریخ,n\n۹۸/۱۲/۲۹,1\n۰۳/۰۱/۰۵,2'))!
    expect(short.rows.map(([day]) => day)).toEqual(['1398/12/29', '1403/01/05'])
    expect(noteOf(short.notes, 'century')).toBeDefined()
    const serial = (await read('date,n\n45375,1\n45376.5,2'))!
    expect(serial.rows.map(([day]) => day?.slice(0, 10))).toEqual(['2024-03-24', '2024-03-25'])
    expect(noteOf(serial.notes, 'serial')).toBeDefined()
    expect((await read('price,n\n45375,1\n45376,2'))!.columns[0]!.kind).toBe('number')
  })

  test('days of both calendars in one column are days of the more frequent one', async () => {
    const found = await column('1403/01/05', '1403/01/06', '2024-03-26')
    expect(found.values).toEqual(['1403/01/05', '1403/01/06', '1403/01/07'])
    expect(noteOf(found.notes, 'other-calendar')).toMatchObject({ count: 1, calendar: 'jalali' })
  })

  test('spellings of one word are one, and each of them is named', async () => {
    const found = (await read(
      'شهر,n\nكرمان,1\nکرمان,2\nکرمان,4\nخرم‌آباد,8\nخرم آباد,16\nکد 1 23,32\nکد 12 3,64',
    ))!
    expect(found.profile[0]).toMatchObject({ distinct: 4 })
    expect(noteOf(found.notes, 'merged')).toMatchObject({
      column: 'شهر',
      shown: 'کرمان',
      spellings: [
        { text: 'کرمان', count: 2 },
        { text: 'كرمان', count: 1 },
      ],
    })
    // A reader sees two spellings, not one of them twice.
    const line = cleaningLines(found.notes, 'fa').find((line) => line.includes('كرمان'))
    expect(line).toContain('کرمان')
    expect(['شيراز', 'ﺷﯿﺮﺍﺯ', 'شیـراز', 'شیراز\u200f'].map(foldKey)).toEqual(Array(4).fill('شیراز'))
  })

  test('rows of totals are not summed again, and are held against the sum', async () => {
    const found = (await read('شهر,استان,n\nالف,x,1\nب,y,5\nجمع کل,,6'))!
    expect(found.profile[2]).toMatchObject({ sum: '6', count: 2 })
    expect(noteOf(found.notes, 'totals')).toMatchObject({ count: 1, labels: ['جمع کل'], agree: 'yes' })
    const wrong = (await read('city,n\na,1\nb,5\nTotal:,7'))!
    expect(wrong.profile[1]!.sum).toBe('6')
    expect(noteOf(wrong.notes, 'totals')).toMatchObject({ agree: 'no' })
    // Here `Total` is the name of a shop and not the label of a total.
    expect((await read('shop,n\nTotal,1\nShell,5'))!.profile[1]!.sum).toBe('6')
  })

  test('codes stay text and are named; columns that hold too few values of one kind are, too', async () => {
    const codes = await column('0012', '0034', '0056')
    expect(codes.kind).toBe('text')
    expect(noteOf(codes.notes, 'codes')).toMatchObject({ examples: ['0012', '0034', '0056'] })
    const mixed = await column('1', '2', 'three', 'four')
    expect(noteOf(mixed.notes, 'stayed-text')).toMatchObject({
      values: 2,
      of: 4,
      examples: ['three', 'four'],
    })
    expect(noteOf(mixed.notes, 'texts')).toMatchObject({ columns: ['k', 'v'] })
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
  ])('%s is found', async (_, text) => {
    const table = await read(text)
    expect(table?.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['name', 'text'],
      ['n', 'number'],
    ])
    expect(table?.rows).toEqual(rows)
  })

  test('a quoted cell holds the sign, quotes and ends of lines; repeated rows are counted and kept', async () => {
    const table = (await read('name,note,n\n"a, b","say ""hi""\nthere",1\nc,,2\nc,,2'))!
    expect(table.rows).toEqual([
      ['a, b', 'say "hi"\nthere', '1'],
      ['c', null, '2'],
      ['c', null, '2'],
    ])
    expect(noteOf(table.notes, 'repeated')).toMatchObject({ count: 1 })
  })

  test('a row with a cell too few or too many is no end of a table: it is filled up, or left out and named', async () => {
    const text = 'Sums, please:\nshop,n,note\na,1,x\nb,2\nd,4,x\nc,3,y,z\nf,5,x\ne,1,234,x'
    for (const own of [text, text.replace('Sums, please:\n', '```\n').concat('\n```')]) {
      const table = (await read(own))!
      expect(table.rows).toEqual([
        ['a', '1', 'x'],
        ['b', '2', null],
        ['d', '4', 'x'],
        ['f', '5', 'x'],
      ])
      expect(noteOf(table.notes, 'skipped')).toMatchObject({ count: 2, examples: ['c,3,y,z', 'e,1,234,x'] })
    }
    // Two consecutive rows of another width are another table.
    expect((await read('a, b\nc, d\nk,n,m\nx,1,2\ny,3,4'))?.rows).toHaveLength(2)
    // A separator at the end of a line makes no cell.
    const spare = (await read('k,n\na,1,\nb,2'))!
    expect(spare.rows).toEqual([
      ['a', '1'],
      ['b', '2'],
    ])
    expect(noteOf(spare.notes, 'skipped')).toBeUndefined()
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
  ])('prose is no table: %s', async (text) => expect(await read(text)).toBeUndefined())

  test('a column with few cells that are none stays one of numbers, and says which they are', async () => {
    const table = (await read('k,n\na,1\nb,2\nc,3\nd,4\ne,about six'))!
    expect(table.columns[1]).toMatchObject({ kind: 'number' })
    expect(noteOf(table.notes, 'unreadable')).toMatchObject({ count: 1, examples: ['about six'] })
    expect(table.rows[4]).toEqual(['e', null])
    expect(table.profile[1]).toMatchObject({ count: 4, missing: 1, sum: '10' })
  })

  test('years that head columns are names; a table without names gets some', async () => {
    expect((await read('شهر,1402,1403\nتهران,5,6\nمشهد,7,8'))?.columns.map(({ name }) => name)).toEqual([
      'شهر',
      '1402',
      '1403',
    ])
    expect((await read('city,n,n\na,1,2\nb,3,4'))?.columns.map(({ name }) => name)).toEqual([
      'city',
      'n',
      'n (2)',
    ])
    expect((await read('```\n1,2\n3,4\n```'))?.columns.map(({ name }) => name)).toEqual(['c 1', 'c 2'])
  })

  test('whatever stands in a text, reading it ends, and what is found is a table', async () => {
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
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 300 }), async (pieces) => {
        const table = await read(pieces.join(''))
        for (const row of table?.rows ?? []) expect(row.length).toBe(table!.columns.length)
      }),
      { numRuns: 500 },
    )
  })

  test('twelve thousand characters of brackets, quotes or signs are read in no time', async () => {
    for (const sign of ['[', '{"a":[', '"', ',', '|', '،', '\n,', '"\n', '`'])
      await read(sign.repeat(12_000 / sign.length))
  })
})

describe('views', () => {
  const view = { title: 't', by: 0, column: 2, measure: 'sum', chart: 'bar' } as const
  const store = async (text: string) => {
    const { found } = (await read(text))!
    return storeOf(inputsOf(text), found.spec)
  }
  const months = 'ماه,شهر,n\nاسفند,الف,1\nفروردین,ب,5\nمهر,الف,3\nاسفند,ب,'
  const many = `k,n\n${Array.from({ length: 100 }, (_, index) => `k${index},1\nk${index},2`).join('\n')}`

  test('months stand in the order of the year, and a group without numbers has none', async () => {
    expect(answerView(await store(months), view, 'other').rows).toEqual([
      { key: 'فروردین', value: '5', count: 1 },
      { key: 'مهر', value: '3', count: 1 },
      { key: 'اسفند', value: '1', count: 2 },
    ])
  })

  test('the rest of many groups is one row, measured as they are', async () => {
    const { rows, total, share, groups } = answerView(await store(many), { ...view, column: 1 }, 'other')
    expect(rows).toHaveLength(40)
    expect(rows.at(-1)).toEqual({ key: 'other', value: '183', count: 122 })
    expect({ total, share, groups }).toEqual({ total: '300', share: '61', groups: 100 })
  })

  test('the largest groups alone are kept where so many are wanted', async () => {
    const table = await store('k,n\na,1\nb,5\nc,3\nd,2\na,9')
    expect(answerView(table, { ...view, column: 1, top: 2 }, 'other').rows).toEqual([
      { key: 'a', value: '10', count: 2 },
      { key: 'b', value: '5', count: 1 },
      { key: 'other', value: '5', count: 2 },
    ])
  })

  test('every measure is that of its group', async () => {
    const table = await store('k,n\na,1\na,2.5\na,2.5\nb,7\nb,')
    const of = (measure: 'mean' | 'median' | 'min' | 'max' | 'count' | 'distinct') =>
      answerView(table, { ...view, column: 1, measure }, 'other').rows.find(({ key }) => key === 'a')!.value
    expect((['mean', 'median', 'min', 'max', 'count', 'distinct'] as const).map(of)).toEqual([
      '2',
      '2.5',
      '1',
      '2.5',
      '3',
      '2',
    ])
  })

  test('days are grouped by days, months and years of their calendar', async () => {
    const table = await store('d,n\n1403/01/31,1\n1403/01/05,2\n1403/02/01,4\n1404/01/01,8')
    const keys = (bucket?: 'month' | 'year') =>
      answerView(table, { ...view, by: 0, column: 1, ...(bucket && { bucket }) }, 'other').rows.map(
        ({ key, value }) => `${key}=${value}`,
      )
    expect(keys()).toEqual(['1403/01/05=2', '1403/01/31=1', '1403/02/01=4', '1404/01/01=8'])
    expect(keys('month')).toEqual(['1403/01=3', '1403/02=4', '1404/01=8'])
    expect(keys('year')).toEqual(['1403=7', '1404=8'])
  })

  test('what is known of columns is the same as of their values one by one', async () => {
    const table = await store(many)
    expect(profileOf(table)[1]).toMatchObject({
      count: 200,
      sum: '300',
      mean: '1.5',
      median: '1.5',
      distinct: 2,
    })
  })
})
