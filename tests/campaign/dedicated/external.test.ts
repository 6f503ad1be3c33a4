import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DatabaseRecord, DatabaseRole, OpenDatabase } from '#cloud/databases'
import { ExternalProvider } from '#cloud/databases'
import type { Config } from '#platform/config'
import { socketUrl } from '#platform/db'
import { openLog } from '#platform/log'
import { type EmbeddedPostgres, startEmbedded } from '#platform/postgres'
import type { Secrets } from '#platform/secrets'
import { checkDedicated } from '../../../cli/doctor/dedicated.ts'
import { roleName } from '../../../src/cloud/databases/external/statements.ts'
import type { Measurement } from '../../../src/cloud/databases/size.ts'
import { fastRoot } from '../../harness/fast-root.ts'
import { until } from '../../harness/until.ts'

const mebibyte = 1024 * 1024
const log = openLog('silent')
const recordOf = (letter: string): DatabaseRecord => ({
  ...{ accountId: letter, cloudId: letter, ref: letter.repeat(20), provider: 'external', place: 'one' },
  ...{ osUser: null, secretsSealed: `sealed ${letter}` },
})
const [first, second] = [recordOf('a'), recordOf('b')]

let dataDir: string
let server: EmbeddedPostgres
let adminUrl: string
let provider: ExternalProvider
let connectionsOfPackage = 3
const measured: Measurement[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(fastRoot, 'kherad-external-'))
  await chmod(dataDir, 0o711)
  server = await startEmbedded({ dataDir, log, settings: { fsync: 'off', max_notify_queue_pages: '1024' } })
  const password = (await readFile(path.join(dataDir, 'postgres.password'), 'utf8')).trim()
  adminUrl = socketUrl({ ...server.address, user: 'kherad', database: 'postgres', password })
  provider = new ExternalProvider({
    servers: [{ name: 'one', url: adminUrl, limit: 2 }],
    // Sealing is another room's: here it is what was sealed.
    secrets: { open: async (sealed: string) => sealed } as unknown as Secrets,
    idleMs: 60_000,
    sizes: {
      sizeOf: async () => ({ memoryBytes: 0, diskBytes: 40 * mebibyte, connections: connectionsOfPackage }),
      requireTime: async () => {},
      recordMeasurement: (_, measurement) => void measured.push(measurement),
      recordAwakeTime: async () => {},
    },
  })
  // Of two at once one makes it.
  await Promise.all([first, first, second].map((database) => provider.make(database)))
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

const run = (database: DatabaseRecord, role: DatabaseRole, text: string) =>
  provider.use(database, (open) => open.pool(role).query(text))
const codeOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

async function asAdmin<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

test('policies of an app tell its users apart, as in a database of its own', async () => {
  await run(first, 'postgres', `create table notes (owner uuid default auth.uid(), text text)`)
  await run(first, 'postgres', 'alter table notes enable row level security')
  await run(first, 'postgres', 'create policy own on notes using (owner = auth.uid()) with check (true)')
  const as = (open: OpenDatabase, sub: string, text: string) =>
    open
      .pool('authenticator')
      .query(
        `begin; set local role authenticated; select set_config('request.jwt.claims', '{"sub":"${sub}"}', true); ${text}; commit`,
      )
  const [one, two] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const
  await provider.use(first, async (open) => {
    await as(open, one, `insert into notes (text) values ('mine')`)
    const seen = async (sub: string) => {
      const answers = (await as(open, sub, 'select text from notes')) as unknown as pg.QueryResult[]
      return answers[3]!.rows
    }
    expect([await seen(one), await seen(two)]).toEqual([[{ text: 'mine' }], []])
  })
})

test('no role of one app comes into the database of another, or any other of the server', async () => {
  const tries: Record<string, string> = {}
  for (const role of ['postgres', 'authenticator', 'app_reader', 'watcher'] as const)
    for (const database of [`kherad_${second.ref}`, 'postgres', 'template1', server.address.database])
      tries[`${role} ${database}`] = await provider.use(first, async (open) => {
        const { options } = open.pool(role) as unknown as { options: pg.ClientConfig }
        const url = new URL(options.connectionString!)
        url.pathname = `/${database}`
        const client = new pg.Client(url.href)
        const code = await codeOf(client.connect())
        await client.end().catch(() => undefined)
        return code
      })
  expect(new Set(Object.values(tries))).toEqual(new Set(['42501']))
})

test('whoever develops an app changes nothing of the server, of the shared roles or of another app', async () => {
  const other = (role: string) => roleName(second.ref, role)
  const attempts = [
    `alter role ${other('postgres')} password 'x'`,
    `grant ${other('postgres')} to ${roleName(first.ref, 'postgres')}`,
    `grant anon to ${other('postgres')}`,
    'grant service_role to current_user',
    'alter role anon login',
    'set role service_role',
    `set role ${roleName(first.ref, 'auth_admin')}`,
    `alter database kherad_${first.ref} connection limit 1`,
    `grant connect on database kherad_${second.ref} to public`,
    'create role another',
    'create schema more',
    'create extension plpgsql_check',
    'create extension lo',
    `copy (select 1) to program 'id'`,
    `select pg_read_file('/etc/passwd')`,
    'alter event trigger kherad_changes disable',
    'select pg_terminate_backend(pid) from pg_stat_activity where usename is null limit 1',
  ]
  const codes: Record<string, string> = {}
  for (const attempt of attempts) codes[attempt] = await codeOf(run(first, 'postgres', attempt))
  expect(Object.entries(codes).filter(([, code]) => code !== '42501' && code !== '0A000')).toEqual([])
  const { rows } = await asAdmin((client) =>
    client.query(`select has_database_privilege('public', $1, 'connect') as open`, [`kherad_${second.ref}`]),
  )
  expect(rows).toEqual([{ open: false }])
})

test('what one session may take of the server is fixed for each role, and its code changes none of it', async () => {
  const settings = ['temp_file_limit', 'log_min_messages', 'log_min_error_statement']
  const shown = async (role: DatabaseRole) => {
    const values: string[] = []
    for (const name of settings)
      values.push((await run(first, role, `show ${name}`)).rows[0]![name] as string)
    return values
  }
  const attempts = [
    'set temp_file_limit = -1',
    'alter role current_user set temp_file_limit = -1',
    'alter role current_user reset temp_file_limit',
    `alter role current_user in database kherad_${first.ref} set temp_file_limit = -1`,
    `alter database kherad_${first.ref} set temp_file_limit = -1`,
    'alter role current_user connection limit -1',
    `alter role current_user valid until 'infinity'`,
    `set log_min_messages = 'debug5'`,
  ]
  for (const role of ['postgres', 'authenticator', 'app_reader', 'auth_admin', 'storage_admin'] as const) {
    const before = await shown(role)
    expect(before).toEqual(['16MB', 'fatal', 'panic'])
    for (const attempt of attempts)
      expect([attempt, await codeOf(run(first, role, attempt))]).toEqual([
        attempt,
        expect.stringMatching(/^(42501|25006)$/),
      ])
    // It takes away only what the role itself may set.
    await codeOf(run(first, role, 'alter role current_user reset all'))
    expect(await shown(role)).toEqual(before)
  }
  const sorting = `select count(*) from (select repeat(md5(n::text), 10) as t from generate_series(1, 200000) n order by t) s`
  expect(await codeOf(run(first, 'postgres', sorting))).toBe('53400')
})

test('a login has so many connections and no more, whoever knows its password', async () => {
  const { connections, url } = await provider.use(first, async (open) => {
    const { options } = open.pool('app_reader') as unknown as { options: pg.ClientConfig }
    const { rows } = await asAdmin((client) =>
      client.query('select rolconnlimit as n from pg_roles where rolname = $1', [
        roleName(first.ref, 'app_reader'),
      ]),
    )
    return { connections: rows[0].n as number, url: options.connectionString! }
  })
  expect(connections).toBe(8)
  const clients = Array.from({ length: 9 }, () => new pg.Client(url))
  const codes: string[] = []
  for (const client of clients) codes.push(await codeOf(client.connect()))
  expect(codes).toEqual([...Array.from({ length: 8 }, () => 'done'), '53300'])
  // A second later a connection may be free; a header would round up what is longer.
  await expect(run(first, 'app_reader', 'select 1')).rejects.toMatchObject({
    code: 'DATABASE_BUSY',
    more: { retryAfterMs: 1_000 },
  })
  for (const client of clients) await client.end()
  // A larger package has more, from the next opening on.
  connectionsOfPackage = 5
  await provider.stop(first)
  await run(first, 'postgres', 'select 1')
  const { rows } = await asAdmin((client) =>
    client.query('select rolconnlimit as n from pg_roles where rolname = $1', [
      roleName(first.ref, 'authenticator'),
    ]),
  )
  expect(rows).toEqual([{ n: 20 }])
})

test('an app that gives one of its roles another password is served again at the next request', async () => {
  await run(first, 'postgres', `alter role current_user password 'known'`)
  expect(await codeOf(run(first, 'postgres', 'select 1'))).toBe('DATABASE_BUSY')
  expect(await codeOf(run(first, 'postgres', 'select 1'))).toBe('done')
  const url = new URL(adminUrl)
  url.username = roleName(first.ref, 'postgres')
  url.password = 'known'
  url.pathname = `/kherad_${first.ref}`
  expect(await codeOf(new pg.Client(url.href).connect())).toBe('28P01')
})

test('an app that fills the queue of notifications, which all share, loses the session that keeps it full', async () => {
  await provider.use(first, async (open) => {
    const listening = await open.pool('postgres').connect()
    await listening.query('listen x')
    const kept = codeOf(listening.query('begin; select pg_sleep(50)'))
    const flood = `do $$ begin for i in 1..600 loop perform pg_notify('x', i || repeat('x', 7900)); end loop; end $$`
    await run(first, 'postgres', flood)
    expect(await kept).toBe('57P01')
    listening.release(true)
    await until(async () => (await codeOf(run(first, 'postgres', flood))) === 'done')
  })
})

test('code of an app that runs as a role of ours gives its sessions no other search path, now or later', async () => {
  for (const role of ['auth_admin', 'storage_admin'] as const) {
    await run(first, role, 'alter role current_user set search_path = public, pg_catalog')
    await run(first, role, 'set search_path = public, pg_catalog')
    // Another connection, and one that was used before.
    await provider.use(first, async (open) => {
      const clients = await Promise.all([1, 2].map(() => open.pool(role).connect()))
      for (const client of clients) {
        expect((await client.query('show search_path')).rows).toEqual([
          { search_path: 'pg_catalog, pg_temp' },
        ])
        client.release()
      }
    })
  }
})

test('one statement that fills its disk is ended there, too, and its app only reads', async () => {
  await run(first, 'postgres', 'create table filled (data text)')
  const fill = `insert into filled select repeat(md5(n::text), 30) from (select generate_series(1, 3000000) as n) as s`
  expect(await codeOf(run(first, 'postgres', fill))).toBe('57P01')
  await until(() => measured.some(({ isFull }) => isFull))
})

test('the doctor says how many databases a server has of those that it takes', async () => {
  const databases = { local: false, servers: [{ name: 'one', url: adminUrl, limit: 2 }] }
  const [check] = await checkDedicated({ databases, functions: { packages: [] } } as unknown as Config)
  expect(check).toMatchObject({
    name: 'cloud_server one',
    state: 'ok',
    message: { en: expect.stringMatching(/^PostgreSQL 1\d\S*, 2 databases of 2\.$/) },
  })
})

test('there is room for as many as the operator says, and what is removed leaves neither database nor role', async () => {
  expect(await provider.place([])).toEqual({ place: 'one', osUser: null })
  expect(await provider.place([{ place: 'one' }])).toEqual({ place: 'one', osUser: null })
  expect(await provider.place([{ place: 'one' }, { place: 'one' }])).toBeUndefined()
  await run(second, 'postgres', 'create table left_behind (n int)')
  await provider.remove(second)
  await provider.remove(second)
  const { rows } = await asAdmin((client) =>
    client.query(
      `select datname as name from pg_database where datname like $1 union all select rolname from pg_roles where rolname like $1`,
      [`%${second.ref}%`],
    ),
  )
  expect(rows).toEqual([])
  await expect(
    provider.use({ ...first, place: 'gone', ref: 'c'.repeat(20) }, async () => 'in'),
  ).rejects.toMatchObject({
    code: 'DATABASE_ELSEWHERE',
  })
})
