/**
 * Today's program takes over the database of an earlier release with work under way. The databases in fixtures were recorded from real servers that
 * were killed during calls (record-database.ts; tests/README.md says how): of two commits before the first release, and of every release.
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { type Db, migrate, openDb } from '#platform/db'
import { loadConfig } from '#settings'
import { type Kherad, startKherad } from '../../../src/server.ts'
import { Client } from '../../harness/client.ts'
import { emptyDatabase } from '../../harness/postgres.ts'
import { startMs, until } from '../../harness/until.ts'
import { MovableClock, quietEnvironment } from '../../harness/world.ts'
import { temporaryFolder } from './cluster-world.ts'
import { configuration, costOf, type KnownUpstream, knownUpstream, prompts } from './half-done.ts'

interface Recorded {
  recordedAt: string
  secret: string
  answers: { path: string; text: string }[]
  replays: { path: string; headers: Record<string, string>; body: unknown; text: string }[]
  upstream: { what: string; prompt_tokens: number; completion_tokens: number }[]
  files: Record<string, string>
}

const migrations = path.resolve(import.meta.dirname, '../../../migrations')

let open: AsyncDisposableStack
let fixture: string
let lastMigration: number
let recorded: Recorded
let db: Db
let before: Books
let upstream: KnownUpstream
let dataDir: string
let clock: MovableClock
let kherad: Kherad
let client: Client

/** Databases by the folder that has them, with the last migration that their program knew. */
const databases = [
  ['upgrade-0018', 18],
  ['upgrade-0022', 22],
  ['release-0.2.0', 37],
] as const

async function takeOver(name: string, last: number): Promise<void> {
  open = new AsyncDisposableStack()
  lastMigration = last
  fixture = path.join(import.meta.dirname, 'fixtures', name)
  recorded = JSON.parse(await readFile(path.join(fixture, 'recorded.json'), 'utf8'))
  const database = open.use(await emptyDatabase())
  const folder = open.use(await temporaryFolder())
  db = open.use(await openDb({ url: database.url }))
  dataDir = path.join(folder.path, 'data')
  await load(path.join(folder.path, 'migrations'))
  before = await booksOf(db)
  upstream = open.use(await knownUpstream(false))
  clock = new MovableClock(Date.parse(recorded.recordedAt) + 60_000)
  const env = readEnv({
    ...quietEnvironment,
    KHERAD_PORT: '0',
    KHERAD_DATA: dataDir,
    KHERAD_BASE_URL: 'http://kherad.test',
    KHERAD_LEASE_MS: '4000',
    DATABASE_URL: database.url,
    OLLAMA_HOST: '',
  })
  kherad = open.use(
    await startKherad({ config: loadConfig(env, configuration(upstream.url)), clock, log: silent }),
  )
  client = new Client(kherad.server.url, recorded.secret, '')
  await until(async () => (await rows('select from ledger.holds')).length === 0, startMs)
  await until(async () => (await rows('select from work.runs where ended_at is null')).length === 0)
  await until(async () => (await rows('select from batches.batches where ended_at is null')).length === 0)
}

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

/** The migrations of that release as the product applies them, then its rows and its stored bytes. */
async function load(folder: string): Promise<void> {
  await mkdir(folder)
  for (const name of await readdir(migrations))
    if (Number(name.slice(0, 4)) <= lastMigration)
      await copyFile(path.join(migrations, name), path.join(folder, name))
  expect(await migrate(db, folder)).toHaveLength(lastMigration)
  // The recorded rows have those of its own migrations: their hashes say that the files are the same today.
  await db.pool.query(
    `delete from platform.migrations; ${await readFile(path.join(fixture, 'rows.sql'), 'utf8')}`,
  )
  // Jobs and processes go by the clock of the database, which may stand before the recording.
  await db.pool.query(`
    update ledger.processes set beat_at = least(beat_at, now() - interval '1 hour');
    update jobs.queue set run_at = least(run_at, now())`)
  for (const [key, base64] of Object.entries(recorded.files)) {
    const place = path.join(dataDir, 'files', key)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, Buffer.from(base64, 'base64'))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
const rows = <Row = any>(text: string, values: unknown[] = []): Promise<Row[]> => db.query({ text }, values)

interface Books {
  granted: bigint
  holds: { receipt_id: string; amount: bigint; endpoint: string }[]
  ended: { receipt_id: string; row: unknown }[]
  steps: { run_id: string; step: string; state: string; worst: bigint }[]
  /** Of the batch that is half done. */
  rows: { batch_id: string; custom_id: string; state: 'succeeded' | 'running' | 'waiting' }[]
}

/** What stands in the rows, in the names of the release that wrote them. */
async function booksOf(db: Db): Promise<Books> {
  const [granted] = await db.query<{ sum: bigint }>(
    {
      text: `select sum(amount)::bigint as sum from ledger.entries where book = 'credits' and reason <> 'charge'`,
    },
    [],
  )
  return {
    granted: granted!.sum,
    holds: await rows(
      'select receipt_id, h.amount, r.endpoint from ledger.holds h join ledger.receipts r using (account_id, receipt_id)',
    ),
    ended: await rows(
      `select receipt_id, to_jsonb(r) - 'quantities' as row from ledger.receipts r where state <> 'running' order by 1`,
    ),
    steps: await rows('select run_id, step, state, worst from work.steps order by 1, 2'),
    rows: await rows(
      `select batch_id, custom_id, state from batches.rows join batches.batches using (account_id, batch_id) where total = 3 order by position`,
    ),
  }
}

const openHold = (endpoint: string) => before.holds.find((hold) => hold.endpoint === endpoint)!
const runOf = async (input: string) => {
  const [run] = await rows('select * from work.runs where input = $1', [input])
  return run
}

/** What the runs were to ask, in its order, and how often they ask it after the upgrade. */
const half = {
  document: { 'Plan this document': 0, 'Write the section «Alpha»': 0, 'Write the section «Beta»': 1 },
  code: {
    'Plan this project': 0,
    'Write the file one.txt': 0,
    'Write the file two.txt': 1,
    'Write README.md': 1,
  },
  research: {
    'Plan the research': 0,
    'Note what this source says': 0,
    'Plan the report': 1,
    'Write the section «زمان»': 1,
    'Judge each sentence': 2,
    'Write «': 1,
  },
  data: { 'Say what is to be computed': 0, 'Write what these figures mean': 0 },
} as const

test('a database of every release is taken over', async () => {
  const changelog = await readFile(path.join(migrations, '../CHANGELOG.md'), 'utf8')
  const released = Array.from(
    changelog.matchAll(/^## (\d+\.\d+\.\d+) \(/gm),
    ([, version]) => `release-${version}`,
  )
  expect(released.length).toBeGreaterThan(0)
  expect(databases.map(([name]) => name)).toEqual(expect.arrayContaining(released))
})

describe.each(databases)('of %s', (name, last) => {
  beforeAll(() => takeOver(name, last))
  afterAll(() => open.disposeAsync())

  test.each(Object.entries(half))(
    'a run of %s goes on from its journal: nothing is asked twice, and only the call that was lost is missing',
    async (kind, orders) => {
      const prompt = prompts[kind as keyof typeof half]
      const run = await runOf(prompt)
      expect(run).toMatchObject({ status: 'succeeded', partial: true, error_code: null })
      const asked = upstream.asked().filter(({ what }) => !what.startsWith(prompts.queued))
      for (const [order, calls] of Object.entries(orders))
        expect(
          asked.filter(({ what }) => what.endsWith(order)),
          order,
        ).toHaveLength(calls)
      const { body } = await client.get(`/v1/work/${run.run_id}`)
      expect(body).toMatchObject({ status: 'succeeded', is_partial: true })
      expect(body.files.length).toBeGreaterThan(0)
    },
  )

  test('a run that nobody had begun is done whole', async () => {
    expect(await runOf(prompts.queued)).toMatchObject({ status: 'succeeded', partial: false })
    const orders = upstream
      .asked()
      .flatMap(({ what }) => (what.startsWith(prompts.queued) ? [what.slice(prompts.queued.length + 1)] : []))
    expect(orders).toEqual(Object.keys(half.document))
  })

  test('step keys of earlier journals are those of today', async () => {
    for (const { run_id, step, state } of before.steps) {
      const [now] = await rows('select state, cost, worst from work.steps where run_id = $1 and step = $2', [
        run_id,
        step,
      ])
      expect(now.state, step).toBe(state === 'started' ? 'lost' : state)
      if (state === 'started') expect(now.cost).toBe(now.worst)
    }
    const keys = await rows<{ step: string }>('select distinct step from work.steps order by 1')
    expect(keys.map(({ step }) => step)).toEqual([
      'check/1',
      'check/summary',
      'draft/1',
      'draft/summary',
      'figures',
      'file/1',
      'file/2',
      'notes/1',
      'outline',
      'plan',
      'questions',
      'readme',
      'recall',
      'recall/1',
      'recall/task',
      'search/1',
      'section/1',
      'section/2',
      'summary',
      'table',
    ])
  })

  test('a call whose process died is charged at its hold, said to be ambiguous, and never made again', async () => {
    const { receipt_id: id, amount } = openHold('/v1/chat/completions')
    const [receipt] = await rows(
      'select state, ambiguous, charged from ledger.receipts where receipt_id = $1',
      [id],
    )
    expect(receipt).toEqual({ state: 'failed', ambiguous: true, charged: amount })
    const again = await client.chat(
      { messages: [{ role: 'user', content: prompts.chat }], max_tokens: 50 },
      { 'idempotency-key': 'open-chat' },
    )
    expect(again.status, again.text).toBe(409)
    expect(again.body.error).toMatchObject({ code: 'REQUEST_ALREADY_ACCEPTED', receipt_id: id })
    expect(upstream.asked().filter(({ what }) => what === prompts.chat)).toEqual([])
  })

  test('a batch goes on: the row that was answered stays, the one in its call is ambiguous, the waiting one is asked once', async () => {
    const ends = { succeeded: ['succeeded', 0], running: ['errored', 0], waiting: ['succeeded', 1] } as const
    expect(before.rows.map(({ state }) => state).sort()).toEqual(['running', 'succeeded', 'waiting'])
    const id = `msgbatch_${before.rows[0]!.batch_id.replaceAll('-', '')}`
    const { text } = await client.get(`/v1/messages/batches/${id}/results`)
    for (const [index, { custom_id, state }] of before.rows.entries()) {
      const [how, calls] = ends[state]
      const { result } = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .find((line) => line.custom_id === custom_id)
      expect(result.type, custom_id).toBe(how)
      if (how === 'errored') expect(result.error.error.code).toBe('AMBIGUOUS_RESULT')
      expect(upstream.asked().filter(({ what }) => what === prompts.rows[index])).toHaveLength(calls)
    }
  })

  test('the balance is what the upstreams produced, and what the lost calls could have cost at most', async () => {
    const produced = [...recorded.upstream, ...upstream.asked()].reduce((sum, call) => sum + costOf(call), 0n)
    const lostSteps = before.steps.filter(({ state }) => state === 'started')
    expect(lostSteps).toHaveLength(4)
    const lost = [openHold('/v1/chat/completions'), openHold('/v1/messages/batches')].map(
      ({ amount }) => amount,
    )
    const charged = [...lost, ...lostSteps.map(({ worst }) => worst)].reduce(
      (sum, cost) => sum + cost,
      produced,
    )
    expect(await rows('select balance, held from ledger.balances')).toEqual([
      { balance: before.granted - charged, held: 0n },
    ])
    const [receipts] = await rows('select sum(charged)::bigint as sum from ledger.receipts')
    expect(receipts.sum).toBe(charged)
    expect(await rows('select * from ledger.violations')).toEqual([])
  })

  test('receipts that had ended are the same to the byte', async () => {
    const after = (await booksOf(db)).ended
    for (const { receipt_id, row } of before.ended)
      expect(after.find((one) => one.receipt_id === receipt_id)?.row).toEqual(row)
  })

  test.each(['answers', 'replays'] as const)(
    '%s of the earlier release are given by the same bytes',
    async (which) => {
      if (which === 'answers')
        for (const { path: at, text } of recorded.answers)
          expect(withoutLaterMembers((await client.get(at)).text), at).toBe(text)
      else
        for (const { path: at, headers, body, text } of recorded.replays) {
          const again = await client.post(at, body, headers)
          expect(again.text, at).toBe(text)
          expect(again.headers.get('idempotent-replayed'), at).toBe('true')
        }
    },
  )

  test('a source that nobody had read is read, and both are found', async () => {
    const [{ knowledge_id: id }] = await rows('select distinct knowledge_id from knowledge.sources')
    await until(async () => (await rows(`select from knowledge.sources where state = 'ready'`)).length === 2)
    for (const [query, title] of [
      ['ارسال', 'ارسال'],
      ['بازگشت', 'بازگشت'],
    ]) {
      const { body } = await client.post(`/v1/knowledge/${id}/search`, { query })
      expect(body.data[0]?.source.title, query).toBe(title)
    }
  })

  test('bytes whose row was never written are deleted under the new name of their list, and their upload can be repeated', async () => {
    const [pending, none] = await rows<{ key: string }>('select key from storage.pending_blobs')
    expect(none).toBeUndefined()
    const place = path.join(dataDir, 'files', pending!.key)
    expect((await readFile(place)).length).toBeGreaterThan(0)
    clock.moveMs(2 * 60 * 60 * 1000)
    await until(async () => (await rows('select from storage.pending_blobs')).length === 0)
    await expect(readFile(place)).rejects.toThrow('ENOENT')
    const body = { data: 'YSxiCjEsMgo=', name: 'pending.csv', media_type: 'text/csv' }
    const again = await client.post('/v1/files', body, { 'idempotency-key': 'open-file' })
    expect(again.status, again.text).toBe(201)
  })
})

/** Members of a receipt's report that no release before 0.3 had. The rest is the same to the byte. */
function withoutLaterMembers(text: string): string {
  if (!text.startsWith('{"object":"request",')) return text
  const {
    project_id: _project,
    key_id: _key,
    key_name: _name,
    management_key: _management,
    charge,
    ...earlier
  } = JSON.parse(text)
  // What an earlier release did not record is not made up.
  expect(charge).toBeNull()
  return JSON.stringify(earlier)
}
