import { expect, test } from 'vitest'
import type { Db } from '#platform/db'
import type { Spool } from '#platform/spool'
import { csvBytes, type Sheet, type SheetValue, sheetAnswer, xlsxBytes } from './sheets.ts'

const sheet: Sheet = {
  name: 'مصرف [1405/09]',
  language: 'fa',
  columns: [
    { title: 'مشتری', kind: 'text' },
    { title: 'درخواست‌ها', kind: 'integer' },
    { title: 'اعتبار', kind: 'decimal' },
    { title: 'روز', kind: 'day' },
    { title: 'زمان', kind: 'moment' },
  ],
}

async function* rowsOf(...rows: SheetValue[][]) {
  yield* rows
}

const textOf = async (bytes: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(bytes)).toString()

const customers = (...texts: string[]) => rowsOf(...texts.map((text) => [text]))

test('CSV has the mark of its encoding, CR LF, and numbers that every program reads', async () => {
  const text = await textOf(
    csvBytes(
      sheet,
      rowsOf(
        ['کتابخانهٔ «الف»', 12, '0.000001', '2026-11-30', '2026-11-30 00:00:01'],
        [null, 0n, null, null, null],
      ),
    ),
  )
  expect(text).toBe(
    '\ufeffمشتری,درخواست‌ها,اعتبار,روز,زمان\r\nکتابخانهٔ «الف»,12,0.000001,2026-11-30,2026-11-30 00:00:01\r\n,0,,,\r\n',
  )
})

test('no text of a CSV is calculated, or read as a number or a date that it is not', async () => {
  const risky = [
    '=1+1',
    '+1',
    '-2',
    '@SUM(A1)',
    '\t=1',
    ' =1',
    '\u200f=1',
    '＝1',
    '1234567890123456789',
    '007',
    '۰۰۷',
    '1E5',
    '1-2',
    '2026-11',
    '12:30',
    '5%',
    '1,000',
    'MAR1',
    '1-Sep',
  ]
  const plain = ['1234', 'customer-7', 'علی', 'March', 'gpt-5', '12a', 'TRUE', '999999999999999']
  const [, ...lines] = (
    await textOf(csvBytes({ ...sheet, columns: sheet.columns.slice(0, 1) }, customers(...risky, ...plain)))
  ).split('\r\n')
  expect(lines).toEqual([
    ...risky.map((text) => (/[,\t]/.test(text) ? `"'${text}"` : `'${text}`)),
    ...plain,
    '',
  ])
  expect(
    await textOf(
      csvBytes(
        { ...sheet, columns: sheet.columns.slice(0, 1) },
        customers('a"b', 'a;b', 'a\nb', 'a\0b\ud800'),
      ),
    ),
  ).toBe('\ufeffمشتری\r\n"a""b"\r\n"a;b"\r\n"a\nb"\r\nab\ufffd\r\n')
})

test('a failure while rows are read ends the workbook with it', async () => {
  async function* failing() {
    yield ['a']
    throw new Error('the rows ended')
  }
  for (const write of [csvBytes, xlsxBytes])
    await expect(textOf(write(sheet, failing()))).rejects.toThrow('the rows ended')
})

test('others have their turns while rows that are in memory are written', async () => {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  // It takes the bytes without waiting for a disk, so that only the rows can give a turn.
  const spool = {
    async write(source: AsyncIterable<Uint8Array>) {
      for await (const _ of source) if (isDone) break
      throw new Error('written')
    },
  } as unknown as Spool
  const db = { tx: (work: (tx: unknown) => unknown) => work({}) } as unknown as Db
  const rows = rowsOf(...Array.from({ length: 100_000 }, (_, at) => [`customer ${at}`, at]))
  const source = {
    fileName: 'x',
    format: 'csv',
    accountId: 'a',
    open: async () => ({ sheet, rows }),
  } as const
  setImmediate(count)
  await expect(sheetAnswer({ db, spool }, source).spec.open(undefined)).rejects.toThrow('written')
  isDone = true
  expect(turns).toBeGreaterThan(2)
})
