/**
 * `node bench/clouds/sleeping.ts [sleeping] [busy] [seconds]`: one server with many dedicated clouds that sleep, of which now and then one is woken,
 * beside a few that are read and written all the time. Every answer has to be good. `BENCH_FOLDER` keeps the data and finds it the next time.
 */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { machine, temporaryFolder } from '../stage.ts'
import { row, table } from '../table.ts'
import { at, type Cloud, startClouds } from './server.ts'

const [sleeping = 100, busy = 5, seconds = 60] = process.argv.slice(2).map(Number)
const connectionsOfEach = 4
const schema = `create table if not exists notes (id bigint generated always as identity primary key, title text);
insert into notes (title) select 'یادداشت' where not exists (select from notes)`

await using stack = new AsyncDisposableStack()
const kept = process.env['BENCH_FOLDER']
if (kept) await mkdir(path.resolve(kept), { recursive: true })
const folder = kept ? path.resolve(kept) : await temporaryFolder(stack)
const server = stack.use(await startClouds(folder))
const clouds = await allClouds()
const awake = clouds.slice(0, busy)
const asleep = clouds.slice(busy)
const answers: Record<'read' | 'write' | 'woken', number[]> = { read: [], write: [], woken: [] }
const errors: string[] = []
for (const cloud of awake) await sql(cloud, schema, true)

const deadline = performance.now() + seconds * 1_000
const isOver = (): boolean => performance.now() >= deadline
await Promise.all([
  ...awake.flatMap((cloud) => Array.from({ length: connectionsOfEach }, (_, nth) => keepBusy(cloud, nth))),
  wakeInTurn(),
])
report()

async function allClouds(): Promise<Cloud[]> {
  const there: { id: string; ref: string; plan: string }[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page = await server.call(`/v1/cloud?limit=100${after && `&after_id=${after}`}`)
    there.push(...(page['data'] as typeof there).filter(({ plan }) => plan === 'dedicated'))
    after = page['has_more'] ? String(page['last_id']) : null
  }
  const found = await Promise.all(
    there.slice(0, sleeping + busy).map(async ({ id, ref }) => {
      const { public_key: publicKey } = await server.call(`/v1/cloud/${id}/connection`)
      return { id, ref, publicKey: String(publicKey) }
    }),
  )
  let missing = sleeping + busy - found.length
  const make = async (): Promise<void> => {
    while (missing > 0) found.push(await server.createDedicated(`bench ${missing--}`))
  }
  await Promise.all([make(), make(), make()])
  return found
}

function sql({ id }: Cloud, query: string, writes = false): Promise<unknown> {
  const more = writes ? { read_only: false, confirm_write: true } : {}
  return server.call(`/v1/cloud/${id}/database`, { query, ...more })
}

/** Three of them read as apps do, one writes as developers do. */
async function keepBusy(cloud: Cloud, nth: number): Promise<void> {
  const url = `http://127.0.0.1:${server.appsPort}/_cloud/${cloud.ref}/rest/v1/notes?limit=20`
  const read = async (): Promise<void> => {
    const reply = await fetch(url, { headers: { apikey: cloud.publicKey } })
    const text = await reply.text()
    if (!reply.ok) throw new Error(text)
  }
  while (!isOver())
    if (nth > 0) await timed('read', read)
    else await timed('write', () => sql(cloud, "update notes set title = 'یادداشت' where id = 1", true))
}

async function wakeInTurn(): Promise<void> {
  for (let turn = 0; !isOver() && asleep.length > 0; turn++) {
    await timed('woken', () => sql(asleep[turn % asleep.length]!, 'select 1'))
    await pause(200)
  }
}

async function timed(kind: keyof typeof answers, work: () => Promise<unknown>): Promise<void> {
  const beganMs = performance.now()
  try {
    await work()
    answers[kind].push(performance.now() - beganMs)
  } catch (error) {
    errors.push(String(error))
  }
}

function report(): void {
  console.log(machine())
  const half = (values: number[]): string =>
    `${at(values, 0.5).toFixed(0)}, ${at(values, 0.95).toFixed(0)} ms`
  table([`${sleeping} sleeping and ${busy} busy clouds, ${seconds} s`, 'how many', 'p50, p95'])
  row(['20 rows of a busy one', String(answers.read.length), half(answers.read)])
  row(['writing scripts of a busy one', String(answers.write.length), half(answers.write)])
  row(['first answers of the others, one after the other', String(answers.woken.length), half(answers.woken)])
  row(['errors', String(errors.length), errors.length === 0 ? 'none: met' : 'missed'])
  for (const error of new Set(errors)) console.error(error)
  if (errors.length > 0) process.exitCode = 1
}
