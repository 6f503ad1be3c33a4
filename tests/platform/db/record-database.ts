/**
 * Records a database with work under way, for the tests that upgrade it:
 *
 *   node tests/platform/db/record-database.ts <checkout> <folder>
 *
 * Starts servers of the checkout, asks them by HTTP alone, kills them (kill -9) in the midst of calls, and writes what stands in the
 * database as plain inserts (rows.sql) and everything else that the test has to know (recorded.json): the moment, the answers that must
 * stay as they are, stored bytes, and what the upstream counted.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { Client } from '../../harness/client.ts'
import { freePort } from '../../harness/free-port.ts'
import { startTestPostgres, withDatabase } from '../../harness/postgres.ts'
import { startMs, until } from '../../harness/until.ts'
import { configuration, knownUpstream, prompts } from './half-done.ts'

/** Of nobody: what it opens is a database of sentences written above. */
const secret = `khr_${'recorded'.repeat(5)}`
const version = { 'anthropic-version': '2023-06-01' }
const databaseName = 'recorded'
/** Says where this database lies: whoever takes up its rows has another place, and would be a copy of it. */
const ofThisPlace = ['platform.installation']
/** Has a row from its migration, which the recorded one replaces. */
const filledByMigrations = ['storage.identity']

const [root = '', out = ''] = process.argv.slice(2)
await using stack = new AsyncDisposableStack()
const postgres = stack.use(await startTestPostgres(undefined))
const folder = await mkdtemp(path.join(tmpdir(), 'kherad-recorded-'))
stack.defer(() => rm(folder, { recursive: true, force: true }))
await chmod(folder, 0o711)
const upstream = stack.use(await knownUpstream(true))
await writeFile(path.join(folder, 'config.yaml'), configuration(upstream.url))
const databaseUrl = withDatabase(postgres.adminUrl, databaseName)
await statement(postgres.adminUrl, `create database ${databaseName}`)
stack.defer(() => statement(postgres.adminUrl, `drop database ${databaseName} with (force)`))

const answers: { path: string; text: string }[] = []
const replays: { path: string; headers: Record<string, string>; body: unknown; text: string }[] = []

const db = await asked()
await writeDown(db)

/** Everything that is asked, up to the death of the last process. Answers a connection to what they left. */
async function asked(): Promise<pg.Client> {
  const server = await start({})
  const client = new Client(server.url, secret, '')
  const db = new pg.Client(databaseUrl)
  await db.connect()
  stack.defer(() => db.end())
  await askWhatEnds(client)
  await askWhatStaysOpen(client, db)
  const lock = await uploadBeforeItsRow(client, db)
  await server.kill()
  await lock.release()
  const api = await start({ KHERAD_ROLE: 'api' })
  await askWhatNobodyBegins(new Client(api.url, secret, ''))
  await api.kill()
  return db
}

/** What has ended and must be answered by the same bytes ever after. */
async function askWhatEnds(client: Client): Promise<void> {
  const messages = [{ role: 'user', content: 'A question that is answered.' }]
  await repeatable(client, '/v1/chat/completions', 'chat-1', { messages, max_tokens: 50 })
  const plain = await client.chat({ messages, max_tokens: 50 }, { 'x-customer-id': 'customer-1' })
  const requests = [{ custom_id: 'one', params: { max_tokens: 50, messages } }]
  const batch = await repeatable(client, '/v1/messages/batches', 'batch-1', { requests }, version)
  const run = await repeatable(client, '/v1/work', 'work-1', { kind: 'code', input: prompts.finished })
  const knowledge = await repeatable(client, '/v1/knowledge', 'knowledge-1', { name: 'قوانین' })
  const source = { type: 'text', title: 'ارسال', text: 'ارسال کالا سه تا پنج روز کاری طول می‌کشد.' }
  const added = await repeatable(client, `/v1/knowledge/${knowledge}/sources`, 'source-1', source)
  const file = await repeatable(client, '/v1/files', 'file-1', fileOf('stored.csv'))
  const agent = await repeatable(client, '/v1/agents', 'agent-1', {
    name: 'پشتیبانی',
    instructions: 'کوتاه.',
  })
  await until(async () => (await client.get(`/v1/work/${run}`)).body.ended_at)
  await until(async () => (await client.get(`/v1/messages/batches/${batch}`)).body.ended_at)
  await until(
    async () => (await client.get(`/v1/knowledge/${knowledge}/sources/${added}`)).body.state === 'ready',
  )
  for (const path of [
    `/v1/requests/${plain.headers.get('x-request-id')}`,
    `/v1/work/${run}`,
    `/v1/work/${run}/events`,
    `/v1/work/${run}/files?path=one.txt`,
    `/v1/messages/batches/${batch}`,
    `/v1/messages/batches/${batch}/results`,
    `/v1/knowledge/${knowledge}/sources/${added}`,
    `/v1/files/${file}`,
    `/v1/agents/${agent}`,
  ])
    answers.push({ path, text: succeeded(await client.get(path)) })
}

/** A chat, a row of a batch, and the second step of a run of every kind, all in their calls. */
async function askWhatStaysOpen(client: Client, db: pg.Client): Promise<void> {
  const chat = { messages: [{ role: 'user', content: prompts.chat }], max_tokens: 50 }
  client.chat(chat, { 'idempotency-key': 'open-chat' }).catch(() => {})
  const requests = prompts.rows.map((content, index) => ({
    custom_id: `row-${index}`,
    params: { max_tokens: 50, messages: [{ role: 'user', content }] },
  }))
  await idOf(client, '/v1/messages/batches', { requests }, { 'idempotency-key': 'open-batch', ...version })
  const { body: knowledge } = await client.get('/v1/knowledge')
  for (const kind of ['document', 'code', 'research', 'data'] as const)
    await idOf(
      client,
      '/v1/work',
      { kind, input: prompts[kind], ...(kind === 'research' && { knowledge_id: knowledge.data[0].id }) },
      { 'idempotency-key': `open-${kind}` },
    )
  // One hold each: the chat, a row, a run of every kind.
  await until(async () => (await count(db, 'select from ledger.holds')) === 6)
  await until(async () => (await count(db, `select from work.steps where state = 'started'`)) === 4)
  await until(
    async () => (await count(db, `select from batches.batches where total = 3 and succeeded = 1`)) === 1,
  )
  // Only an answer has tokens.
  const inCall = () => upstream.asked().filter(({ completion_tokens }) => completion_tokens === 0)
  await until(() => inCall().length === 6)
}

/** An upload whose bytes are stored, and whose row waits for the lock of the account's money until its process dies. */
async function uploadBeforeItsRow(client: Client, db: pg.Client): Promise<{ release(): Promise<void> }> {
  await db.query('begin')
  await db.query('select from ledger.balances for update')
  client.post('/v1/files', fileOf('pending.csv'), { 'idempotency-key': 'open-file' }).catch(() => {})
  const other = new pg.Client(databaseUrl)
  await other.connect()
  const [pid] = await until(async () => {
    const { rows } = await other.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and query like '%ledger.record%' and wait_event_type = 'Lock'`,
    )
    return rows.length > 0 ? rows.map((row) => row.pid) : undefined
  })
  return {
    async release() {
      // Its client is dead; it would write the row all the same.
      await other.query('select pg_terminate_backend($1, 5000)', [pid])
      await other.end()
      await db.query('rollback')
    },
  }
}

/** Accepted by a process that does no background work. */
async function askWhatNobodyBegins(client: Client): Promise<void> {
  await idOf(
    client,
    '/v1/work',
    { kind: 'document', input: prompts.queued },
    { 'idempotency-key': 'queued-work' },
  )
  const { body } = await client.get('/v1/knowledge')
  const source = { type: 'text', title: 'بازگشت', text: 'بازگشت کالا تا ده روز ممکن است.' }
  await idOf(client, `/v1/knowledge/${body.data[0].id}/sources`, source, {
    'idempotency-key': 'queued-source',
  })
}

function fileOf(name: string) {
  const data = Buffer.from('city,people\nتهران,9\nشیراز,2\n').toString('base64')
  return { data, name, media_type: 'text/csv' }
}

/** A request whose repetition with its key must have the same answer. */
async function repeatable(
  client: Client,
  at: string,
  key: string,
  body: unknown,
  more: Record<string, string> = {},
): Promise<string> {
  const headers = { 'idempotency-key': key, ...more }
  const reply = await client.post(at, body, headers)
  replays.push({ path: at, headers, body, text: succeeded(reply) })
  return reply.body.id
}

async function idOf(client: Client, at: string, body: unknown, headers: Record<string, string>) {
  const reply = await client.post(at, body, headers)
  succeeded(reply)
  return reply.body.id
}

function succeeded({ status, text }: { status: number; text: string }): string {
  if (status >= 300) throw new Error(text)
  return text
}

async function start(more: Record<string, string>): Promise<{ url: string; kill(): Promise<void> }> {
  const port = String(await freePort())
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      KHERAD_PORT: port,
      KHERAD_APPS_PORT: 'off',
      KHERAD_BASE_URL: 'http://kherad.test',
      KHERAD_DATA: path.join(folder, 'data'),
      KHERAD_CONFIG: path.join(folder, 'config.yaml'),
      KHERAD_BOOTSTRAP_KEY: secret,
      KHERAD_LOG_LEVEL: 'warn',
      OLLAMA_HOST: '',
      DATABASE_URL: databaseUrl,
      ...more,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  stack.defer(() => void child.kill('SIGKILL'))
  const gone = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok, startMs)
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function writeDown(db: pg.Client): Promise<void> {
  await mkdir(out, { recursive: true })
  await writeFile(path.join(out, 'rows.sql'), await inserts(db))
  const recorded = {
    recordedAt: new Date().toISOString(),
    secret,
    answers,
    replays,
    upstream: upstream.asked(),
    files: await storedFiles(path.join(folder, 'data/files')),
  }
  await writeFile(path.join(out, 'recorded.json'), `${JSON.stringify(recorded, null, 1)}\n`)
}

/** Every row as an insert of its own, tables after those that they refer to. */
async function inserts(db: pg.Client): Promise<string> {
  await db.query(`set timezone = 'UTC'; set bytea_output = 'hex'`)
  const { rows: tables } = await db.query<{ name: string; columns: string[] }>(
    `select t.name::text, array(
        select quote_ident(attname) from pg_attribute
        where attrelid = t.name and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
      from (select format('%I.%I', schemaname, tablename)::regclass as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')
          and format('%I.%I', schemaname, tablename) <> all ($1)) t order by 1`,
    [ofThisPlace],
  )
  const { rows: references } = await db.query<{ from: string; to: string }>(
    `select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  )
  const lines = tables
    .filter(({ name }) => filledByMigrations.includes(name))
    .map(({ name }) => `delete from ${name};\n`)
  const done = new Set<string>()
  const write = async (table: { name: string; columns: string[] }): Promise<void> => {
    if (done.has(table.name)) return
    done.add(table.name)
    for (const { to } of references.filter(({ from }) => from === table.name))
      await write(tables.find(({ name }) => name === to)!)
    const values = table.columns.map((column) => `quote_nullable(${column}::text)`).join(` || ', ' || `)
    const { rows } = await db.query<{ row: string }>(`select ${values} as row from ${table.name} order by 1`)
    for (const { row } of rows)
      lines.push(`insert into ${table.name} (${table.columns.join(', ')}) values (${row});\n`)
  }
  for (const table of tables) await write(table)
  return lines.join('')
}

/** By their path under the folder, in base64. */
async function storedFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const place = path.join(entry.parentPath, entry.name)
    files[path.relative(folder, place)] = (await readFile(place)).toString('base64')
  }
  return files
}

async function count(db: pg.Client, query: string): Promise<number> {
  return (await db.query(query)).rowCount ?? 0
}

async function statement(url: string, text: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(text).finally(() => client.end())
}
