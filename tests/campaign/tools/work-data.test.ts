/** Data analyses over HTTP: complete files behind links, compared with known results. */
import { Buffer } from 'node:buffer'
import { readXlsx } from 'hucre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootWithTools, type ToolsWorld } from '../../text/tools-world.ts'
import { cancel, create, ended, fileOf } from '../../work/work-world.ts'
import { messyTable, type Truth } from './messy.ts'

let at: ToolsWorld
const files = new Map<string, { bytes: Uint8Array; type: string }>()
beforeAll(async () => {
  at = await bootWithTools('chat', {
    credits: 100_000,
    serve(request, response) {
      const file = files.get(request.url ?? '')
      if (!file) return false
      response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
      return true
    },
  })
})
afterAll(() => at[Symbol.asyncDispose]())

const plan = JSON.stringify({
  title: 'فروش',
  views: [
    { title: 'فروش هر شهر', by: 'شهر', measure: 'sum', column: 'مبلغ', chart: 'bar' },
    { title: 'روند ماهانه', by: 'تاریخ', bucket: 'month', measure: 'sum', column: 'مبلغ', chart: 'line' },
  ],
})

interface Made {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  run: any
  text(path: string): Promise<string>
  bytes(path: string): Promise<Uint8Array>
}

async function analysed(input: string, planned = plan): Promise<Made> {
  at.answers({ text: planned }, { text: 'کل فروش {{f1}} ردیف دارد.' })
  const { body } = await create(at.key, { kind: 'data', input })
  const run = await ended(at.key, body.id)
  const bytes = async (path: string) =>
    Buffer.from(await (await fileOf(at.key, body.id, `path=${encodeURIComponent(path)}`)).arrayBuffer())
  return { run, bytes, text: async (path) => (await bytes(path)).toString() }
}

const serve = (path: string, bytes: Uint8Array | string, type = 'text/csv'): string => {
  files.set(path, { bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes, type })
  return `${at.pages}${path}`
}

const units = (cents: bigint): number => Number(cents) / 100

/** The rows of a sheet by the cell that begins them. */
async function sheetOf(workbook: Uint8Array, name: string): Promise<Map<string, unknown[]>> {
  const { sheets } = await readXlsx(workbook)
  const sheet = sheets.find((each) => each.name === name)!
  return new Map(sheet.rows.map((row) => [String(row[0]), [...row]]))
}

const latin = (text: string): string =>
  text.replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf)).replaceAll('ي', 'ی')

async function holdAgainst({ run, bytes, text }: Made, truth: Truth): Promise<void> {
  expect(run).toMatchObject({ status: 'succeeded', error: null })
  const workbook = await bytes('workbook.xlsx')
  const columns = await sheetOf(workbook, 'ستون‌ها')
  // name, kind, count, missing, distinct, sum, mean, median, min, max
  const amount = columns.get('مبلغ')!
  expect(amount.slice(2, 4)).toEqual([truth.rows, 0])
  expect(amount[5]).toBe(units(truth.sum))
  expect(amount[7]).toBe(Number(truth.median))
  expect(amount.slice(8, 10)).toEqual([units(truth.min), units(truth.max)])
  expect(columns.get('وزن')![5]).toBe(Number(truth.weights) / 10)
  expect(columns.get('تخفیف')![5]).toBe(Number(truth.discounts))
  expect(columns.get('شهر')![4]).toBe(truth.byCity.size)
  expect(columns.get('مشتری')![4]).toBe(truth.customers)
  const cities = await sheetOf(workbook, 'فروش هر شهر')
  const byCity = [...cities.entries()].filter(([key]) => key !== 'شهر' && key !== 'کل')
  const plain = (key: string) => key.replaceAll('\u200c', '').replaceAll(' ', '')
  expect(Object.fromEntries(byCity.map(([key, row]) => [plain(key), row[1]]))).toEqual(
    Object.fromEntries([...truth.byCity].map(([city, cents]) => [plain(city), units(cents)])),
  )
  const trend = await sheetOf(workbook, 'روند ماهانه')
  for (const [month, cents] of truth.byMonth)
    expect([...trend].find(([key]) => latin(key) === month)?.[1][1], month).toBe(units(cents))
  await holdCleaned(await text('cleaned.csv'), truth)
}

/** The cleaned table, summed up by plain code. */
async function holdCleaned(csv: string, truth: Truth): Promise<void> {
  const rows = csv.slice(1).split('\r\n').slice(1, -1)
  expect(rows).toHaveLength(truth.rows)
  const cents = rows.map((row) => {
    const [, , amount = ''] = row.split(',')
    const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
    return BigInt(whole + fraction.padEnd(2, '0')) * (amount.startsWith('-') ? -1n : 1n)
  })
  expect(cents.reduce((sum, each) => sum + each, 0n)).toBe(truth.sum)
}

describe('figures are those of an independent calculation over a messy file', () => {
  test.each([10, 6_000, 100_000])(
    'of %i rows behind a link, read whole',
    async (rows) => {
      const { lines, truth } = messyTable(rows)
      const link = serve(`/sales-${rows}.csv`, lines.join('\n'))
      const made = await analysed(`فروش این فایل را تحلیل کن: ${link} و بگو کدام شهر بهتر است.`)
      await holdAgainst(made, truth)
      expect(made.run.is_partial).toBe(false)
      const summary = await made.text('summary.md')
      expect(summary).toContain('پاک‌سازی')
      for (const told of [
        'این نوشته‌ها یکی شمرده شدند («کرمان»)',
        'خط کج نشان اعشار',
        'ردیف جمع («جمع کل»)',
        'متن ماندند',
      ])
        expect(summary, told).toContain(told)
      expect(summary).toContain('با جمع ردیف‌ها می‌خواند')
    },
    400_000,
  )

  test.each([
    ['windows-1256', (text: string) => windows1256(text)],
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ])('in %s', async (name, encoded) => {
    const { lines, truth } = messyTable(300)
    // The old encoding has neither Persian digits nor the minus sign.
    const old = (text: string) => latin(text).replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    const plain = old(lines.join('\r\n'))
      .replaceAll('−', '-')
      .replaceAll('٬', '')
      .replaceAll('٫', '.')
      .replaceAll('٪', '%')
    const text = name === 'UTF-16' ? lines.join('\r\n') : plain
    const link = serve(`/${name}.csv`, encoded(text))
    await holdAgainst(await analysed(`فروش این فایل را تحلیل کن: ${link}`), truth)
  })
})

/** Only letters that the encoding has. */
function windows1256(text: string): Buffer {
  const decoder = new TextDecoder('windows-1256')
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]))
  codes.set('ی', codes.get('ي') ?? codes.get('ى')!)
  return Buffer.from([...text].map((letter) => codes.get(letter) ?? 63))
}

test('lines of JSON and a list in the depth of a document are read whole', async () => {
  const records = Array.from({ length: 3_000 }, (_, index) => ({
    city: ['a', 'b'][index % 2],
    sale: { amount: index + 0.25 },
  }))
  const view = { title: 'By city', by: 'city', measure: 'sum', column: 'sale.amount', chart: 'bar' }
  const planned = JSON.stringify({ title: 'Sales', views: [view] })
  const sum = records.reduce((all, { sale }) => all + sale.amount, 0)
  for (const [path, text] of [
    ['/lines.ndjson', records.map((record) => JSON.stringify(record)).join('\n')],
    ['/deep.json', JSON.stringify({ ok: true, data: { items: records, other: [{ x: 1 }] } })],
  ] as const) {
    const link = serve(path, text, 'application/json')
    const { run, bytes } = await analysed(`Analyse the sales of ${link} please.`, planned)
    expect(run).toMatchObject({ status: 'succeeded', is_partial: false })
    const cities = await sheetOf(await bytes('workbook.xlsx'), 'By city')
    expect(cities.get('Total')![1]).toBe(sum)
  }
})

test('an http link is read over https where its host has that, and otherwise refused in words', async () => {
  const refused = await analysed('Analyse http://pages.example.test:1/sales.csv please.')
  expect(refused.run).toMatchObject({ status: 'succeeded', is_partial: true })
  expect(refused.run.progress.message).toContain('only https addresses are read')
  expect(await refused.text('summary.md')).toContain('only https addresses are read')
})

describe('research', () => {
  const input = 'Write about the sun and its light, please.'

  test('goes as deep as max_credits pays, and a budget that does not pay the least is refused with what it needs', async () => {
    // A world of its own: its runs go on, and would take what other tests have the model answer.
    await using own = await bootWithTools('chat', { credits: 100_000 })
    own.answers({ text: 'nothing' })
    const reserved = async (more: object): Promise<number> => {
      const { body } = await create(own.key, { kind: 'research', input, ...more })
      // What it would write nobody reads.
      expect((await cancel(own.key, body.id)).status).toBe(200)
      return body.reserved_credits
    }
    const usual = await reserved({})
    const deep = await reserved({ max_credits: 90_000 })
    expect(deep).toBeGreaterThan(3 * usual)
    expect(await reserved({ max_credits: usual })).toBe(usual)
    expect(await reserved({ max_credits: deep - 1 })).toBeLessThan(deep)
    const { status, body } = await create(own.key, { kind: 'research', input, max_credits: usual - 1 })
    expect({ status, code: body.error.code, param: body.error.param }).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'max_credits',
    })
    expect(body.error.message).toContain(usual.toLocaleString('en-US'))
  })

  test('by a model that cannot be reached is failed, and hands over nothing', async () => {
    // A world of its own: a refused key keeps its deployment away for a while.
    await using own = await bootWithTools('chat', { credits: 100_000 })
    own.upstream.reply(() => ({ kind: 'json', status: 401, body: { error: 'no' }, headers: {} }))
    const { body } = await create(own.key, { kind: 'research', input: `${input} See ${own.pages}/report.` })
    const run = await ended(own.key, body.id)
    expect(run).toMatchObject({ status: 'failed', is_partial: false })
    expect(run.error.code).toMatch(/^UPSTREAM_/)
    expect(run.files.map(({ path }: { path: string }) => path)).toEqual(['manifest.json'])
  })
})
