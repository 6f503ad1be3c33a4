/** The meaning of tables that people write in their own ways. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Note } from './columns/notes.ts'
import { type TableStore, TextColumn } from './columns/store.ts'
import { readTables, storeOf } from './read-table.ts'

async function read(...texts: string[]) {
  const { found } = await readTables({
    inputs: texts.map((text, place) => ({ name: `${place}`, text })),
    columnWord: 'c',
  })
  return found!
}

async function readFile(text: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-meant-'))
  try {
    const place = path.join(folder, 'file')
    await writeFile(place, text)
    return (await readTables({ inputs: [{ name: 'file', path: place }], columnWord: 'c' })).found!
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function stored(text: string) {
  const found = await read(text)
  return { found, store: await storeOf([{ name: '0', text }], found.spec) }
}

/** The number of occurrences of each text in a column. */
function groupsOf({ columns }: TableStore, place: number): Record<string, number> {
  const column = columns[place]
  if (!(column instanceof TextColumn)) throw new Error('no texts')
  return Object.fromEntries(column.displayTexts.map((text, word) => [text, column.counts[word]!]))
}

const noteOf = <Kind extends Note['kind']>(notes: readonly Note[], kind: Kind) =>
  notes.find((note): note is Note & { kind: Kind } => note.kind === kind)

describe('numbers of a column', () => {
  test('commas before three digits separate thousands where no cell proves a decimal comma', async () => {
    const { profile, notes } = await read('کالا;قیمت\nالف;250,000\nب;180,000\nپ;95000\nت;320,000')
    expect(profile[1]).toMatchObject({ kind: 'number', sum: '845000' })
    expect(noteOf(notes, 'decimal')).toMatchObject({ sign: '.', guess: true, read: '250000' })
    const proven = await read('کالا;قیمت\nالف;250,000\nب;180,5\nپ;95000')
    expect(proven.profile[1]).toMatchObject({ sum: '95430.5' })
  })

  test('a slash behind digits that commas group is a decimal sign', async () => {
    const { profile, notes } = await read('کالا;قیمت\nالف;1,250/75\nب;2,300/5\nپ;180')
    expect(profile[1]).toMatchObject({ kind: 'number', sum: '3731.25' })
    expect(noteOf(notes, 'slash')).toMatchObject({ written: '1,250/75', read: '1250.75' })
  })

  test('numbers without a unit have the one that the name says, and the others are converted', async () => {
    const { profile, notes } = await read(
      'ردیف;مبلغ (ریال)\nالف;1000000\nب;2000000\nپ;3000000\nت;50000 تومان',
    )
    expect(profile[1]).toMatchObject({ kind: 'number', unit: 'ریال', sum: '6500000' })
    expect(noteOf(notes, 'other-unit')).toMatchObject({ count: 1, from: 'تومان', to: 'ریال' })
    expect(noteOf(notes, 'bare-unit')).toMatchObject({ count: 3, unit: 'ریال', guess: false })
  })

  test('a unit of few cells is not that of bare numbers; where half of them have it, it is a named guess', async () => {
    const bare = ['10', '20', '30', '40', '50', '60'].map((cell) => `x;${cell}`).join('\n')
    const few = await read(`کالا;تعداد\n${bare}\ny;120 برگشتی`)
    expect(few.profile[1]).toMatchObject({ kind: 'number', sum: '210' })
    expect(few.profile[1]!.unit).toBeFalsy()
    expect(noteOf(few.notes, 'unreadable')).toMatchObject({ count: 1, examples: ['120 برگشتی'] })
    const half = await read('کالا;قیمت\nالف;100 تومان\nب;200 تومان\nپ;300')
    expect(half.profile[1]).toMatchObject({ unit: 'تومان', sum: '600' })
    expect(noteOf(half.notes, 'bare-unit')).toMatchObject({ count: 1, unit: 'تومان', guess: true })
  })
})

describe('days of a column', () => {
  test('days that are written with dots are days; chapters and versions are not', async () => {
    const jalali = await read('روز\tn\n1403.01.15\t1\n۱۴۰۳.۰۲.۲۰\t2')
    expect(jalali.profile[0]).toMatchObject({ kind: 'date' })
    expect(jalali.sample.map(([day]) => day)).toEqual(['1403/01/15', '1403/02/20'])
    const gregorian = await read('day\tn\n31.12.2024\t1\n05.01.2025\t2')
    expect(gregorian.sample.map(([day]) => day)).toEqual(['2024-12-31', '2025-01-05'])
    expect((await read('version\tn\n10.12.1\t1\n11.10.2\t2')).profile[0]).toMatchObject({ kind: 'text' })
  })
})

describe('texts of a column', () => {
  test('a column that is called a code stays text where a cell begins with zero', async () => {
    const rows = ['0012', '1045', '1046', '1047', '1048', '1049'].map((code, at) => `${code},${at + 1}`)
    const { profile, notes, sample } = await read(`کد پرسنلی,n\n${rows.join('\n')}`)
    expect(profile[0]).toMatchObject({ kind: 'text', distinct: 6, missing: 0 })
    expect(sample[0]).toEqual(['0012', '1'])
    expect(noteOf(notes, 'codes')).toMatchObject({ column: 'کد پرسنلی', examples: ['0012'] })
    // Numbers stay numbers, whatever their column is called.
    expect((await read('شماره,n\n1,5\n2,6\n3,7')).profile[0]).toMatchObject({ kind: 'number' })
  })

  test('«ندارد» is an answer among texts, and a missing value among numbers', async () => {
    const { found, store } = await stored(
      'واحد,پارکینگ,متراژ\n1,دارد,80\n2,ندارد,ندارد\n3,ندارد,90\n4,دارد,100\n5,ندارد,110',
    )
    expect(found.profile[1]).toMatchObject({ kind: 'text', distinct: 2, missing: 0 })
    expect(found.profile[2]).toMatchObject({ kind: 'number', missing: 1, sum: '380' })
    expect(groupsOf(store, 1)).toEqual({ دارد: 2, ندارد: 3 })
    const all = await read('واحد,انباری\n1,ندارد\n2,ندارد')
    expect(all.profile[1]).toMatchObject({ distinct: 1, missing: 0 })
    expect(noteOf(all.notes, 'empty')).toBeUndefined()
  })
})

describe('names of columns', () => {
  test('a name may begin with a number, and a value with a unit is none', async () => {
    const { spec, profile, rows } = await read('شعبه,3 ماهه,6 ماهه\nتهران,100,200\nکرج,50,80\nقم,70,90')
    expect(rows).toBe(3)
    expect(spec.table.columns.map(({ name }) => name)).toEqual(['شعبه', '3 ماهه', '6 ماهه'])
    expect(profile.map(({ sum }) => sum)).toEqual([undefined, '220', '370'])
    expect((await read('الف,3 عدد\nب,5 بسته\nپ,7 عدد\nت,4 عدد')).rows).toBe(4)
    expect((await read('الف,300 تومان\nب,500\nپ,700\nت,400')).rows).toBe(4)
  })
})

describe('signs between columns', () => {
  const grouped = 'نام⇥مبلغ\nعلی⇥1,250,000\nرضا⇥2,300,000\nسارا⇥4,100,000\nمینا⇥3,000,000'
  test.each(['\t', ';', '|'])(
    'commas that group digits are none beside %j, in a text and a file',
    async (sign) => {
      const text = grouped.replaceAll('⇥', sign)
      for (const { spec, profile } of [await read(text), await readFile(text)]) {
        expect(spec.table.columns.map(({ name }) => name)).toEqual(['نام', 'مبلغ'])
        expect(profile[1]).toMatchObject({ kind: 'number', count: 4, sum: '10650000' })
      }
    },
  )

  test('commas between values of three digits separate columns where no other sign does', async () => {
    const text = 'a,b,c\n100,200,300\n400,500,600\n700,800,900'
    for (const { profile } of [await read(text), await readFile(text)])
      expect(profile.map(({ sum }) => sum)).toEqual(['1200', '1500', '1800'])
  })
})
