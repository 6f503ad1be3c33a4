/**
 * `npm run bench:data -- --rows 2000000`: how long the three confined steps of a data run take for a table of two million rows (about 200
 * MB of CSV), and how much this process, in place of the server, grows meanwhile.
 */
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { openConfinement } from '#platform/confined'
import { openLog } from '#platform/log'
import type { StepContext } from '#work/pipelines'
import { computeViews, readTables, writeTables } from '../src/work/pipelines/data/compute.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '2000000' } } })
const rows = Number(values.rows)

const cities = ['تهران', 'كرمان', 'کرمان', 'خرم‌آباد', 'خرم آباد', 'مشهد', 'شیراز']

function* lines(): Generator<string> {
  yield 'ردیف,تاریخ,شهر,مبلغ,تعداد,تخفیف,کد,توضیح\n'
  let state = 1
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  for (let row = 1; row <= rows; row += 1) {
    const month = String(1 + random(12)).padStart(2, '0')
    const day = String(1 + random(29)).padStart(2, '0')
    const amount = random(100_000_000).toLocaleString('en-US')
    yield `${row},1403/${month}/${day},${cities[random(cities.length)]},"${amount}",${random(50)}.${random(90) + 10},${random(40)}%,ORD-${row},سفارش ${random(5000)} مشتری\n`
  }
}

function* pieces(): Generator<string> {
  let piece = ''
  for (const line of lines()) {
    piece += line
    if (piece.length > 1 << 18) {
      yield piece
      piece = ''
    }
  }
  yield piece
}

const folder = await mkdtemp(path.join(tmpdir(), 'kherad-bench-data-'))
const file = path.join(folder, 'data.csv')
await pipeline(pieces, createWriteStream(file))
await chmod(file, 0o444)
const { size } = await stat(file)
console.log(
  `${rows} rows, ${(size / 1e6).toFixed(0)} MB; ${availableParallelism()} × ${cpus()[0]?.model ?? '?'}`,
)

globalThis.gc?.()
const before = process.memoryUsage.rss()
let peak = before
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 50)
const beganMs = performance.now()
let lapMs = beganMs
const lap = (what: string) => {
  console.log(`${what}: ${((performance.now() - lapMs) / 1000).toFixed(1)} s`)
  lapMs = performance.now()
}
const context = {
  accountId: 'bench',
  signal: new AbortController().signal,
  once: <Value>(_: string, compute: () => Promise<Value>) => compute(),
} as unknown as StepContext
const sources = { inputs: [{ name: 'data.csv', path: file }], bytes: size, isSame: true }
const computer = { context, confine: openConfinement(openLog('silent')), sources }
const read = await readTables(computer, 'table', 'ستون')
lap('read, decided and profiled')
const found = read?.found
if (!found) throw new Error('The table was lost.')
const views = [
  { title: 'a', by: 2, column: 3, measure: 'sum' as const, chart: 'bar' as const },
  {
    title: 'b',
    by: 1,
    column: 3,
    measure: 'median' as const,
    bucket: 'month' as const,
    chart: 'line' as const,
  },
]
const answers = await computeViews(computer, found.spec, views, 'other')
lap('two questions answered')
const scratch = { path: path.join(folder, 'out'), bytes: 110_000_000 }
await mkdir(scratch.path)
const written = await writeTables(computer, { spec: found.spec, maxCsvBytes: 46_000_000, scratch })
lap('cleaned.csv written')
clearInterval(timer)
console.log(`all: ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
console.log(`this process grew by ${((peak - before) / 1e6).toFixed(0)} MB at most`)
console.log({ rows: found.rows, of: found.of, total: answers?.[0]?.total, written })
await rm(folder, { recursive: true, force: true })
