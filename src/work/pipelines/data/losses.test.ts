/** Nothing may be lost, or counted twice, on the way from files to figures. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type WriteSheet, writeXlsx } from 'hucre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleaningLines } from './cleaning/blocks.ts'
import type { Note } from './columns/notes.ts'
import { readTables } from './read-table.ts'
import { formatOf } from './rows/xlsx/styles.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-losses-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
async function inputOf(bytes: string | Uint8Array) {
  files += 1
  const place = path.join(folder, String(files))
  await writeFile(place, bytes)
  return { name: `f${files}`, path: place }
}

async function read(...each: (string | Uint8Array)[]) {
  const inputs = await Promise.all(each.map(inputOf))
  return (await readTables({ inputs, columnWord: 'c' })).found!
}

const noteOf = <Kind extends Note['kind']>(notes: readonly Note[], kind: Kind) =>
  notes.find((note): note is Note & { kind: Kind } => note.kind === kind)

describe('totals', () => {
  test('a total at the end of each of several files is summed in none of them', async () => {
    const found = await read('نام,مبلغ\nالف,10\nب,20\nجمع,30\n', 'نام,مبلغ\nالف,1\nب,2\nجمع,3\n')
    expect(found).toMatchObject({ rows: 4, of: 4 })
    expect(found.profile[1]!.sum).toBe('33')
    expect(found.profile[0]!.distinct).toBe(2)
    expect(noteOf(found.notes, 'totals')).toMatchObject({ count: 2, agree: 'yes' })
    expect(noteOf(found.notes, 'used')!.sources.map(({ rows }) => rows)).toEqual([2, 2])
  })

  test('a total at the end of each of several sheets is summed in none of them', async () => {
    const sheet = (name: string, a: number, b: number): WriteSheet => ({
      name,
      rows: [
        ['نام', 'مبلغ'],
        ['الف', a],
        ['ب', b],
        ['جمع', a + b],
      ],
    })
    const found = await read(await writeXlsx({ sheets: [sheet('یک', 10, 20), sheet('دو', 1, 2)] }))
    expect(found).toMatchObject({ rows: 4, of: 4 })
    expect(found.profile[1]!.sum).toBe('33')
  })

  test('a total that a remark follows is summed as little as one at the end', async () => {
    const found = await read('نام,مبلغ\nالف,10\nب,20\nجمع,30\nتهیه‌کننده: واحد مالی,\n')
    expect(found.profile[1]!.sum).toBe('30')
    expect(noteOf(found.notes, 'totals')).toMatchObject({ count: 1, agree: 'yes' })
  })

  test('a row among others that only bears the name of a total stays data', async () => {
    const found = await read('نام,مبلغ\nالف,10\nجمع,30\nب,20\n')
    expect(found).toMatchObject({ rows: 3, of: 3 })
    expect(found.profile[1]!.sum).toBe('60')
  })
})

describe('durations of workbooks', () => {
  test.each(['[h]:mm', '[h]:mm:ss', '[hh]:mm'])('of the format %s are hours and no days', async (numFmt) => {
    const days = (hours: number) => hours / 24
    const bytes = await writeXlsx({
      sheets: [
        {
          name: 'کارکرد',
          columns: [{}, { style: { numFmt } }],
          rows: [
            ['نام', 'کارکرد'],
            ['الف', days(176.5)],
            ['ب', days(8.25)],
            ['پ', days(160)],
          ],
        },
      ],
    })
    const found = await read(bytes)
    expect(found.spec.table.columns[1]).toMatchObject({ kind: 'number' })
    expect(found.sample.map(([, hours]) => hours)).toEqual(['176.5', '8.25', '160'])
    expect(found.profile[1]!.sum).toBe('344.75')
    expect(noteOf(found.notes, 'durations')).toMatchObject({ count: 3 })
    for (const language of ['fa', 'en'] as const)
      expect(cleaningLines(found.notes, language).join('\n')).toMatch(/30[.]25|۳۰٫۲۵/)
  })

  test('of the number that the format has by itself are hours, and times of the day stay times', () => {
    expect(formatOf(46, undefined)).toBe('duration')
    expect(formatOf(20, undefined)).toBe('time')
    expect(formatOf(164, 'h:mm')).toBe('time')
    expect(formatOf(164, '[mm]:ss')).toBe('duration')
    expect(formatOf(164, '[Red]0.0')).toBe('number')
  })
})

describe('bounds of workbooks', () => {
  const sheetOf = (name: string, rows: WriteSheet['rows']): WriteSheet => ({ name, rows: rows! })

  test('columns of a sheet beyond those that are read are said', async () => {
    const numbers = Array.from({ length: 300 }, (_, place) => place)
    const rows = [numbers.map((place) => `ستون ${place}`), numbers, numbers]
    const found = await read(await writeXlsx({ sheets: [sheetOf('پهن', rows)] }))
    expect(found.spec.table.columns).toHaveLength(256)
    expect(noteOf(found.notes, 'columns-cut')).toEqual({ kind: 'columns-cut', read: 256, of: 300 })
  })

  test('a title above the table of a sheet is said to be none of its data', async () => {
    const rows = [
      ['گزارش سال', null],
      ['شهر', 'مبلغ'],
      ['قم', 1],
      ['یزد', 2],
    ]
    const found = await read(await writeXlsx({ sheets: [sheetOf('برگه', rows)] }))
    expect(found.profile[1]!.sum).toBe('3')
    expect(noteOf(found.notes, 'before')).toEqual({ kind: 'before', count: 1 })
  })

  test('sheets beyond those that are read are said', async () => {
    const rows = [
      ['شهر', 'مبلغ'],
      ['قم', 1],
    ]
    // Only few sheets have rows, since the file is read again for each of them.
    const hasRows = (place: number): boolean => place % 20 === 0 || place >= 199
    const sheets = Array.from({ length: 203 }, (_, place) =>
      sheetOf(`برگه ${place}`, hasRows(place) ? rows : []),
    )
    const found = await read(await writeXlsx({ sheets }))
    expect(found.of).toBe(11)
    expect(noteOf(found.notes, 'sheets-cut')).toEqual({ kind: 'sheets-cut', count: 3 })
  })
})

describe('records of JSON', () => {
  test('with numbers that are none, as Python writes them, are rows without that value', async () => {
    const found = await read(
      '[{"نام":"الف NaN","مبلغ":NaN},{"نام":"ب","مبلغ":-Infinity},{"نام":"پ \\" NaN","مبلغ":5}]',
    )
    expect(found.sample).toEqual([
      ['الف NaN', null],
      ['ب', null],
      ['پ " NaN', '5'],
    ])
    expect(noteOf(found.notes, 'unparsed')).toBeUndefined()
    const lines = await read('{"نام":"الف","مبلغ":NaN}\n{"نام":"ب","مبلغ":7}\n')
    expect(lines.of).toBe(2)
    expect((await read('{"نام":["الف","ب"],"مبلغ":[NaN,3]}')).profile[1]!.sum).toBe('3')
  })

  test('that are no JSON or have no end are counted and said', async () => {
    const found = await read('[{"k":"a","n":1},{"k":"b","n":undefined},{"k":"c","n":4},{"k":"d","n":')
    expect(found.profile[1]!.sum).toBe('5')
    expect(noteOf(found.notes, 'unparsed')).toMatchObject({
      count: 2,
      examples: ['{"k":"b","n":undefined}', '{"k":"d","n":'],
    })
    const lines = await read('{"k":"a","n":1}\n{"k":"b","n":\n\n{"k":"c","n":4}\n')
    expect(lines.profile[1]!.sum).toBe('5')
    expect(noteOf(lines.notes, 'unparsed')).toEqual({
      kind: 'unparsed',
      count: 1,
      examples: ['{"k":"b","n":'],
    })
  })

  test.each([
    ['[', ',', ']'],
    ['', '\n', '\n'],
  ])(
    'longer than the bound end no reading: they are said, and those behind them are read (%j)',
    async (start, between, end) => {
      const long = `{"k":"long \\" }","n":2,"x":"${'x'.repeat(2_000_000)}"}`
      const found = await read(
        start + ['{"k":"a","n":1}', long, '{"k":"b","n":4}', '{"k":"c","n":8}'].join(between) + end,
      )
      expect(found).toMatchObject({ rows: 3, of: 3 })
      expect(found.profile[1]!.sum).toBe('13')
      expect(noteOf(found.notes, 'unparsed')).toMatchObject({ count: 1, examples: [long.slice(0, 60)] })
      expect(cleaningLines(found.notes, 'en').join('\n')).toContain('none of the numbers: 1')
    },
  )
})

describe('bounds of texts', () => {
  const inText = async (text: string) =>
    (await readTables({ inputs: [{ name: '', text }], columnWord: 'c' })).found!

  test('rows of columns side by side beyond those that are read are said', async () => {
    const numbers = Array.from({ length: 6_000 }, () => 1)
    const found = await read(JSON.stringify({ a: numbers, b: numbers }))
    expect(found).toMatchObject({ rows: 5_000, of: 6_000 })
    expect(found.profile[0]!.sum).toBe('5000')
    expect(await inText(JSON.stringify(numbers.map((n) => ({ n, m: n }))))).toMatchObject({ of: 6_000 })
  })

  test('lines beyond those that are read are said', async () => {
    const found = await inText(`k,n\n${'a,1\n'.repeat(6_000)}`)
    expect(found).toMatchObject({ rows: 5_000, of: 6_000 })
  })

  test('columns beyond those that are read are said', async () => {
    const names = Array.from({ length: 70 }, (_, place) => `c${place}`)
    const csv = [names, names.map(() => 1), names.map(() => 2)].map((row) => row.join(',')).join('\n')
    const json = JSON.stringify(Object.fromEntries(names.map((name) => [name, [1, 2]])))
    for (const text of [csv, json]) {
      const found = await inText(text)
      expect(found.spec.table.columns).toHaveLength(60)
      expect(noteOf(found.notes, 'columns-cut')).toEqual({ kind: 'columns-cut', read: 60, of: 70 })
    }
  })

  test('characters beyond those that are read are said, and no number is read by half', async () => {
    const text = `k,n\n${`${'a'.repeat(70)},1234567\n`.repeat(3_000)}`
    const found = await inText(text)
    const rows = Math.floor((200_000 - 4) / 79)
    expect(found.of).toBe(rows)
    expect(found.profile[1]!.sum).toBe(String(rows * 1_234_567))
    expect(noteOf(found.notes, 'text-cut')).toEqual({
      kind: 'text-cut',
      read: 4 + rows * 79,
      of: text.length,
    })
    expect(cleaningLines(found.notes, 'fa').join()).toContain('کاراکتر')
  })
})
