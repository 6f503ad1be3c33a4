import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pidIn } from '#platform/jail'
import { layoutOf } from '../../../src/cloud/databases/local/layout.ts'
import type { LocalContext } from '../../../src/cloud/databases/local/local.ts'
import { makeDatabase } from '../../../src/cloud/databases/local/make.ts'
import { type AwakeDatabase, wake } from '../../../src/cloud/databases/local/wake.ts'
import { databaseOf, openLocalContext } from '../../cloud/dedicated/local-databases.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'

const canRun = await hasJail()
const database = databaseOf('abcdefghijklmnopqrst')

let context: LocalContext & AsyncDisposable

beforeAll(async () => {
  if (!canRun) return
  context = await openLocalContext()
  // Of two at once one wins, and the other uses its result.
  await Promise.all([makeDatabase(context, database), makeDatabase(context, database)])
})
afterAll(async () => {
  if (canRun) await context[Symbol.asyncDispose]()
})

async function withClient<Result>(
  awake: AwakeDatabase,
  role: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { socketFolder, ...address } = awake.address(role)
  const client = new pg.Client({ ...address, host: socketFolder })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const codeOf = (client: pg.Client, text: string): Promise<string> =>
  client.query(text).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

test.runIf(canRun)(
  'two processes that make and wake one database have one server, and the last stops it',
  async () => {
    expect((await readdir(context.root)).filter((name) => name.includes('.'))).toEqual([])
    const [first, second] = await Promise.all([wake(context, database), wake(context, database)])
    const started = (awake: AwakeDatabase) =>
      withClient(awake, 'postgres', async (client) => {
        const { rows } = await client.query('select pg_postmaster_start_time()::text as at')
        return rows[0].at as string
      })
    const at = await started(first)
    expect(await started(second)).toBe(at)
    await first.leave()
    expect(await started(second)).toBe(at)
    await second.leave()
    const pid = await pidIn(layoutOf(context.root, database).infoFile)
    await until(async () => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) === '')
  },
)

test.runIf(canRun)(
  'what was committed is there after its server was killed, and whoever used it learns of the end',
  async () => {
    const awake = await wake(context, database)
    await withClient(awake, 'postgres', async (client) => {
      await client.query('create table kept (n int)')
      await client.query('insert into kept values (1)')
    })
    process.kill((await pidIn(layoutOf(context.root, database).infoFile))!, 'SIGKILL')
    await awake.serverGone
    const again = await wake(context, database)
    const rows = await withClient(again, 'postgres', (client) => client.query('select n from kept'))
    expect(rows.rows).toEqual([{ n: 1 }])
    await again.leave()
  },
)

test.runIf(canRun)('nobody is the superuser, and nothing of the machine is within reach of SQL', async () => {
  const awake = await wake(context, database)
  await expect(withClient(awake, 'kherad', async () => 'in')).rejects.toMatchObject({ code: '28000' })
  const refused = await withClient(awake, 'postgres', async (client) => {
    const attempts = [
      `copy (select 1) to program 'id'`,
      `copy kept from '/etc/passwd'`,
      `select pg_read_file('/etc/passwd')`,
      `select lo_import('/etc/passwd')`,
      'alter role postgres superuser',
      'create role another',
      'alter system set shared_preload_libraries = x',
      `load 'x'`,
      `create function f() returns int language c as 'libc', 'system'`,
      'alter event trigger kherad_changes disable',
      'set session_replication_role = replica',
      'set role auth_admin',
      'alter database postgres connection limit 1',
      'create or replace function auth.uid() returns uuid language sql as $$ select null::uuid $$',
    ]
    const codes: Record<string, string> = {}
    for (const attempt of attempts) codes[attempt] = await codeOf(client, attempt)
    return codes
  })
  expect(Object.entries(refused).filter(([, code]) => code !== '42501')).toEqual([])
  await awake.leave()
})

test.runIf(canRun)(
  'extensions that reach nothing outside are there, and others cannot be created',
  async () => {
    const awake = await wake(context, database)
    const codes = await withClient(awake, 'postgres', async (client) => {
      const found: Record<string, string> = {}
      for (const name of ['pgcrypto', 'uuid-ossp', 'pg_trgm', 'moddatetime'])
        found[name] = await codeOf(client, `create extension if not exists "${name}"`)
      for (const name of ['dblink', 'postgres_fdw', 'file_fdw', 'plperlu', 'pg_walinspect', '../lib/dblink'])
        found[name] = await codeOf(client, `create extension "${name}"`)
      found['drop'] = await codeOf(client, 'drop extension pgcrypto')
      found['move'] = await codeOf(client, 'alter extension pgcrypto set schema public')
      found['used'] = await codeOf(client, `select crypt('x', gen_salt('bf', 4)), similarity('a', 'b')`)
      return found
    })
    expect(codes).toEqual({
      ...{ pgcrypto: 'done', 'uuid-ossp': 'done', pg_trgm: 'done', moddatetime: 'done' },
      ...{
        dblink: '0A000',
        postgres_fdw: '0A000',
        file_fdw: '0A000',
        plperlu: '0A000',
        pg_walinspect: '0A000',
      },
      ...{ '../lib/dblink': '22023', drop: '42501', move: '42501', used: 'done' },
    })
    await awake.leave()
  },
)
