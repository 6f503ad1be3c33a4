import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { jalaliText } from '#platform/calendar'
import { latinDigits } from '#platform/words'
import { makeCalls, range } from '../../account/usage-proof.ts'
import { testSeed } from '../../harness/seed.ts'
import { boot } from '../../harness/world.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'

const query = `from=${range.from}&to=${range.to}&interval=day&group_by=customer,model`

test('an export that an office suite opens has the rows of the report, in both formats, and ids in full', async () => {
  await using world = await boot({ credits: 100_000 })
  const { owner } = await makeCalls(world, 2_000, testSeed)
  const report = await owner.get(`/v1/account/usage?${query}&limit=1000`)
  expect(report.body.has_more).toBe(false)
  await using folder = await temporaryFolder()
  for (const format of ['xlsx', 'csv']) {
    const reply = await owner.raw('GET', `/v1/account/usage/export?${query}&format=${format}&language=fa`)
    expect(reply.status).toBe(200)
    const file = path.join(folder.path, `usage.${format}`)
    await writeFile(file, Buffer.from(await reply.arrayBuffer()))
    const opened = await openedByOffice(folder.path, file)
    const rows = parse(opened.csv, { columns: true }) as Record<string, string>[]
    expect(rows).toHaveLength(report.body.data.length)
    // A CSV marks a text that a program would mistake.
    const plain = (text: string) => text.replace(/^'/, '')
    for (const [at, row] of report.body.data.entries()) {
      const shown = rows[at]!
      const texts = ['روز', 'روز (میلادی)', 'مشتری', 'مدل'].map((title) => plain(shown[title]!))
      const numbers = ['درخواست‌ها', 'اعتبار', 'توکن‌های ورودی'].map((title) => numberIn(shown[title]!))
      expect([...texts, ...numbers]).toEqual([
        ...[jalaliText(row.from), row.from, row.customer_id ?? '', row.model ?? ''],
        ...[row.requests, Number(row.microcredits) / 1e6, row.tokens.input],
      ])
    }
    if (format === 'xlsx') expect(opened.fods).toContain('style:writing-mode="rl-tb"')
    // Nothing was calculated, and nineteen digits are all there.
    expect(opened.fods).not.toContain('table:formula')
    expect(opened.csv).toContain('1234567890123456789')
  }
}, 300_000)

test('a table of 200,000 rows is written while the event loop goes on', async () => {
  await using world = await boot()
  const key = await world.key()
  await world.app.db.query(
    {
      text: `insert into ledger.usage_days select $1, $2, '2026-01-01'::date + n % 200, $3, '/v1/chat/completions', 'vendor/model', 'customer-' || n, '',
        1, 0, 1234567, 10, 1, 5, 2 from generate_series(1, 200000) n`,
    },
    [world.account, world.project, key.keyId],
  )
  // Rows without receipts break the invariants, which the end of the world checks.
  await using _rows = {
    [Symbol.asyncDispose]: async () => {
      await world.app.db.query({ text: 'truncate ledger.usage_days' }, [])
    },
  }
  for (const [format, least] of [
    ['csv', 10_000_000],
    ['xlsx', 500_000],
  ] as const) {
    const delays = monitorEventLoopDelay({ resolution: 5 })
    delays.enable()
    const reply = await key.raw(
      'GET',
      `/v1/account/usage/export?from=2026-01-01&to=2026-12-31&interval=day&group_by=customer&format=${format}`,
    )
    const bytes = (await reply.arrayBuffer()).byteLength
    delays.disable()
    expect([reply.status, bytes > least]).toEqual([200, true])
    console.log(
      format,
      bytes,
      'bytes; the event loop waited at most',
      delays.max / 1e6,
      'ms, 99.9 %',
      delays.percentile(99.9) / 1e6,
    )
  }
}, 300_000)

/** A number as a Persian sheet shows it: with Persian digits and signs. */
const numberIn = (text: string): number => Number(latinDigits(text).replaceAll(/[٬,]/g, '').replace('٫', '.'))

/** The sheet as the office suite reads it: as a file of its own format, and as CSV of plain values. */
async function openedByOffice(folder: string, file: string): Promise<{ fods: string; csv: string }> {
  const run = (to: string, out: string, input: string) =>
    promisify(execFile)('soffice', [
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      // UTF-8, which its window for imports chooses by the mark of the encoding.
      ...(input.endsWith('.csv') ? ['--infilter=CSV:44,34,76,1'] : []),
      ...['--convert-to', to, '--outdir', path.join(folder, out)],
      input,
    ])
  await run('fods', 'own', file)
  const fods = path.join(folder, 'own', 'usage.fods')
  await run('csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,false,false', 'plain', fods)
  return {
    fods: await readFile(fods, 'utf8'),
    csv: (await readFile(path.join(folder, 'plain', 'usage.csv'), 'utf8')).replace(/^\ufeff/, ''),
  }
}
