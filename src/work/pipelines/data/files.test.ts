/** Files of every kind, as tables. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zipSync } from 'fflate'
import { type WriteSheet, writeXlsx } from 'hucre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Note } from './columns/notes.ts'
import { readTables } from './read-table.ts'
import { attribute, XmlReader } from './rows/xlsx/xml.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-data-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
async function inputOf(bytes: string | Uint8Array, name = 'file') {
  files += 1
  const place = path.join(folder, String(files))
  await writeFile(place, bytes)
  return { name, path: place }
}

async function read(bytes: string | Uint8Array, maxRows?: number) {
  const answer = await readTables({
    inputs: [await inputOf(bytes)],
    columnWord: 'c',
    ...(maxRows !== undefined && { maxRows }),
  })
  return { ...answer, columns: answer.found?.spec.table.columns, sample: answer.found?.sample }
}

const noteOf = <Kind extends Note['kind']>(notes: readonly Note[], kind: Kind) =>
  notes.find((note): note is Note & { kind: Kind } => note.kind === kind)

const workbook = (...sheets: WriteSheet[]): Promise<Uint8Array> => writeXlsx({ sheets })

describe('workbooks', () => {
  test('days, percentages and numbers are read by their formats, without the dust of binary fractions', async () => {
    const bytes = await workbook({
      name: 'Sales',
      columns: [{}, { style: { numFmt: 'yyyy-mm-dd' } }, { style: { numFmt: '0.0%' } }, {}],
      rows: [
        ['city', 'day', 'share', 'amount'],
        ['a', new Date('2024-03-24T00:00:00Z'), 0.185, 0.1 + 0.2],
        ['b', new Date('2024-02-29T00:00:00Z'), 0.07, 1_234_567.891],
      ],
    })
    const { found, columns, sample } = await read(bytes)
    expect(columns!.map(({ kind }) => kind)).toEqual(['text', 'date', 'percent', 'number'])
    expect(sample).toEqual([
      ['a', '2024-03-24', '18.5', '0.3'],
      ['b', '2024-02-29', '7', '1234567.891'],
    ])
    // Numbers that the workbook stores as numbers have no separators to guess.
    expect(noteOf(found!.notes, 'decimal')).toBeUndefined()
  })

  test('a title above the table is none of it, and a merged word stands for all of its rows', async () => {
    const bytes = await workbook({
      name: 'Sheet',
      rows: [
        ['Report of the year', null, null],
        [null, null, null],
        ['city', 'month', 'amount'],
        ['Tehran', 'm1', 5],
        [null, 'm2', 7],
        ['Kerman', 'm1', 1],
      ],
      merges: [{ startRow: 3, startCol: 0, endRow: 4, endCol: 0 }],
    })
    const { found, sample } = await read(bytes)
    expect(sample).toEqual([
      ['Tehran', 'm1', '5'],
      ['Tehran', 'm2', '7'],
      ['Kerman', 'm1', '1'],
    ])
    expect(noteOf(found!.notes, 'merged-cells')).toMatchObject({ count: 1 })
  })

  test('sheets with the same columns are one table, and others are named with their rows', async () => {
    const month = (name: string, amounts: number[]): WriteSheet => ({
      name,
      rows: [['city', 'amount'], ...amounts.map((amount, index) => [`c${index}`, amount])],
    })
    const other: WriteSheet = { name: 'People', rows: [['name'], ['x'], ['y']] }
    const { found } = await read(await workbook(month('M1', [1, 2, 3]), month('M2', [4, 5]), other))
    expect(found).toMatchObject({
      rows: 5,
      of: 5,
      unused: [{ name: 'file: People', rows: 2, hidden: false }],
    })
    expect(found!.profile[1]!.sum).toBe('15')
    expect(noteOf(found!.notes, 'used')!.sources).toEqual([
      { name: 'file: M1', rows: 3 },
      { name: 'file: M2', rows: 2 },
    ])
  })

  test('one that unpacks to more than is read, or is none, is refused by its name and nothing breaks', async () => {
    const parts = { 'xl/workbook.xml': Buffer.from('<workbook/>') }
    expect((await read(zipSync(parts))).unread).toEqual([{ name: 'file', why: 'no-table' }])
    expect((await read(zipSync({ 'a.txt': Buffer.from('x') }))).unread).toEqual([
      { name: 'file', why: 'packed' },
    ])
    const texts = Buffer.concat([
      Buffer.from('<sst>'),
      Buffer.alloc(
        120 * 1024 * 1024,
        '<si><t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</t></si>',
      ),
    ])
    const bomb = zipSync({ ...parts, 'xl/sharedStrings.xml': texts }, { level: 1 })
    expect(bomb.length).toBeLessThan(4_000_000)
    expect((await read(bomb)).unread).toEqual([{ name: 'file', why: 'too-large' }])
    const complete = await workbook({
      name: 'S',
      rows: [
        ['a', 'b'],
        [1, 2],
      ],
    })
    expect((await read(complete.subarray(0, complete.length - 60))).unread).toMatchObject([{ name: 'file' }])
    expect((await read(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).unread).toEqual([
      { name: 'file', why: 'old-excel' },
    ])
  })

  test('XML is read the same however its pieces fall', () => {
    const text =
      '<x:row r="1"><c r="A1" t="s"><v>a &amp; b &#x41;</v></c><!-- no > tag --><t><![CDATA[x<y]]></t></x:row>'
    const declaring = (size: number) => {
      const events: string[] = []
      const reader = new XmlReader({
        open: (name, tag) => events.push(`${name} ${attribute(tag, 'r') ?? ''}`),
        close: (name) => events.push(`/${name}`),
      })
      for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size))
      return events
    }
    for (let size = 1; size < text.length; size += 1) expect(declaring(size)).toEqual(declaring(text.length))
    expect(declaring(1_000)).toEqual(['row 1', 'c A1', 'v ', '/v', '/c', 't ', '/t', '/row'])
  })
})

describe('separated values', () => {
  test.each(['\t', ';', '|', ',', '؛'])('are found with %j between them', async (sign) => {
    const text = [
      ['name', 'n'],
      ['a', '1'],
      ['b', '2'],
    ]
      .map((row) => row.join(sign))
      .join('\r\n')
    expect((await read(text)).sample).toEqual([
      ['a', '1'],
      ['b', '2'],
    ])
  })

  test('a quotation holds signs and ends of lines, also where it is never closed', async () => {
    const quoted = await read('k,note,n\na,"x, ""y""\nz",1\nb,,2\nc,5" pipe,3\n')
    expect(quoted.sample).toEqual([
      ['a', 'x, "y"\nz', '1'],
      ['b', null, '2'],
      ['c', '5" pipe', '3'],
    ])
    const open = await read(`k,note,n\na,"open,1\n${'b,x,2\n'.repeat(40_000)}`)
    expect(open.found).toMatchObject({ of: 40_001 })
  })

  test('a bound on rows is reported with the rows that there are', async () => {
    const { found } = await read(`k,n\n${'a,1\n'.repeat(500)}`, 200)
    expect(found).toMatchObject({ rows: 200, of: 500 })
    expect(found!.profile[1]!.sum).toBe('200')
  })

  test('one line without an end, and one of signs alone, are read in bounded memory', async () => {
    expect((await read('a'.repeat(5_000_000))).found).toBeNull()
    await read(','.repeat(3_000_000))
    await read('"'.repeat(3_000_000))
  })

  test('an empty file, a page and a PDF are refused by what they are', async () => {
    expect((await read('')).unread).toEqual([{ name: 'file', why: 'empty' }])
    expect((await read('<!DOCTYPE html><html></html>')).unread).toEqual([{ name: 'file', why: 'page' }])
    expect((await read('%PDF-1.7 x')).unread).toEqual([{ name: 'file', why: 'pdf' }])
  })
})

describe('JSON', () => {
  test('numbers keep the digits that they were written with', async () => {
    const { found } = await read(
      '[{"k":"a","n":0.1},{"k":"b","n":0.2},{"k":"c","n":1e-3},{"k":"d","n":9007199254740.93}]',
    )
    expect(found!.profile[1]).toMatchObject({ kind: 'number', sum: '9007199254741.231' })
  })

  test('columns side by side are a table as well', async () => {
    expect((await read('{"name":["a","b"],"n":[1,2]}')).sample).toEqual([
      ['a', '1'],
      ['b', '2'],
    ])
  })
})
