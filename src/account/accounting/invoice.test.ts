import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { type InvoiceColumns, InvoiceError, readInvoice } from './invoice.ts'
import { addDecimals } from './reconcile.ts'

async function* of(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks
}

const read = (text: string, columns?: InvoiceColumns) => Array.fromAsync(readInvoice(of(text), columns))

test('quotes, separators and lines within cells are read as RFC 4180 has them', async () => {
  const rows = await read('\uFEFFid;model;input_tokens\r\n"a;""b""";"two\nlines";"1,234"\r\n\r\nc;m;5')
  expect(rows).toEqual([
    { line: 2, upstreamId: 'a;"b"', model: 'two\nlines', inputTokens: 1234n },
    { line: 5, upstreamId: 'c', model: 'm', inputTokens: 5n },
  ])
})

test('however a file is cut into pieces, its rows are the same', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'ب', '"', ',', '\n', '\r', ' ', '😀'),
    minLength: 1,
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      async (cells, size) => {
        const text = `id,model\n${cells.map((one) => `x,"${one.replaceAll('"', '""')}"\r\n`).join('')}`
        const pieces = [...text].flatMap((_, at, all) =>
          at % size === 0 ? [all.slice(at, at + size).join('')] : [],
        )
        const rows = await Array.fromAsync(readInvoice(of(...pieces)))
        expect(rows.map(({ model }) => model ?? '')).toEqual(cells.map((one) => one.trim()))
      },
    ),
  )
})

test('what is no CSV is refused with the line on which its row begins, and within bounded memory', async () => {
  const refusal = (text: string) =>
    read(text).then(
      () => undefined,
      (error: unknown) => error,
    )
  const head = 'id,model\r\na,"two\r\nlines"\r\n\r\n'
  for (const [row, shown] of [
    ['b,"m\n', 'a quote is not closed'],
    ['b,"m"m', 'text follows a closed quote'],
    ['b,m"m"', 'a quote stands in the middle of a cell'],
    [`b,${'m'.repeat(100_001)}`, 'a cell is too long'],
    [`b,"${'m,\n'.repeat(1_000_000)}`, 'a row is too long'],
  ])
    expect(await refusal(head + row)).toMatchObject({ why: 'csv', line: 5, shown })
})

test('times, tokens and amounts are read in every spelling in use, and nothing else is', async () => {
  const one = async (field: string, value: unknown) =>
    (await read(JSON.stringify({ id: 'a', [field]: value })))[0] as unknown as Record<string, unknown>
  const noon = new Date('2026-11-20T12:00:00Z')
  for (const time of [
    '2026-11-20T12:00:00Z',
    '2026-11-20 12:00:00',
    '2026-11-20T15:30:00+0330',
    1795176000,
    '1795176000000',
  ])
    expect([time, (await one('time', time))['at']]).toEqual([time, noon])
  expect((await one('date', '2026-11-20'))['at']).toEqual(new Date('2026-11-20T00:00:00Z'))
  for (const usd of ['0.00012', '$0.00012', '1.2e-4', '-0.5', '1,234.5', 3])
    expect(String((await one('cost', usd))['usd'])).toMatch(/^-?[\d.]+(e-\d+)?$/)
  expect((await one('cost', '$1,234.5'))['usd']).toBe('1234.5')
  const [exact] = await read('{"id":2512292042121000001,"cost":0.123456789012345678}')
  expect(exact).toMatchObject({ upstreamId: '2512292042121000001', usd: '0.123456789012345678' })
  for (const [field, value] of [
    ['time', 'noon'],
    ['time', '2026-13-40'],
    ['input_tokens', '-1'],
    ['input_tokens', '1.5'],
    ['cost', 'free'],
    ['cost', '1.2.3'],
  ])
    await expect(one(field!, value)).rejects.toBeInstanceOf(InvoiceError)
})

test('decimals of any length add up exactly', () => {
  expect(addDecimals(['0.1', '0.2', '-0.05', '3'])).toBe('3.25')
  expect(addDecimals(['-0.5', '0.25'])).toBe('-0.25')
  expect(addDecimals([])).toBe('0')
  expect(addDecimals(['0.000000000000000001', '999999999999'])).toBe('999999999999.000000000000000001')
})
