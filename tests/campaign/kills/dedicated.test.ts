/** Dedicated clouds whose processes are killed while they are made, moved and deleted. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { givePackage } from '#cloud/clouds'
import { tablesWith } from '../../cloud/clouds/filled.ts'
import { packagesText } from '../../cloud/dedicated/packages-text.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { openSite, type Person, type Site, severalStartsMs } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import { serverOfDatabase } from '../../harness/end-databases.ts'
import { startMs, until } from '../../harness/until.ts'
import { createDedicated } from '../../harness/world.ts'

const canRun = await hasJail()
const stack = new AsyncDisposableStack()
let site: Site

beforeAll(async () => {
  if (canRun) site = stack.use(await openSite({ settings: `${packagesText}backups:\n  nightly: false\n` }))
})
afterAll(() => stack.disposeAsync())
afterEach(async () => {
  if (canRun) await site.killAll()
})

const run = <Row>(text: string, values: unknown[] = []) => site.db.query<Row>({ text }, values)
const clock = { nowMs: () => Date.now() }
const give = ({ account: accountId }: Person) =>
  givePackage(
    { db: site.db, clock: clock as never },
    { accountId, packageId: undefined, offer: 'small', paidUntil: null },
  )

async function kill(): Promise<void> {
  await site.newest.kill()
  await site.endWaiting()
}

/** Resolves when a statement with these words waits for a lock, with jobs that go on at once. */
const waitsFor = (words: string, again: () => Promise<unknown>): Promise<unknown> => {
  let looks = 0
  return until(async () => {
    if (looks++ % 20 === 0) {
      await again()
      await goOn()
    }
    return site.isWaiting(words)
  }, startMs)
}

/**
 * Jobs do not wait for their time, and their lost processes and failures are forgotten: where the test of the jail does not end as it should on
 * a busy machine, ten failures without the waits between them are over in a second, and the job would be parked.
 */
async function goOn(): Promise<void> {
  await run(
    `update jobs.queue set run_at = now(), vanished = 0, failures = 0 where name like 'clouds.%' and process_id is null and run_at > now()`,
  )
  for (const name of ['provision', 'move', 'delete']) await run(`select pg_notify('jobs', 'clouds.${name}')`)
}

/** Waits at the update of a cloud that makes it so. */
async function waitingAt(condition: string): Promise<void> {
  await run(
    `create or replace function clouds.wait() returns trigger language plpgsql as $$ begin if ${condition} then perform pg_advisory_xact_lock(18); end if; return new; end $$`,
  )
  await run(
    'create or replace trigger wait before update on clouds.clouds for each row execute function clouds.wait()',
  )
}

const folders = () => readdir(path.join(site.dataDir, 'databases')).catch(() => [])
const isThere = async (ref: string) => (await folders()).some((name) => name.startsWith(ref))

/**
 * Killed where a statement waits for a lock, at each of them in turn; `begin` is sent to the first process. What ended two processes is set
 * aside, so it is asked for `again`.
 */
async function killedAt(
  steps: readonly (readonly [lock: string, words: string])[],
  begin: () => Promise<unknown>,
  again: () => Promise<unknown> = async () => undefined,
) {
  let isBegun = false
  for (const [lock, words] of steps) {
    await using _held = await site.holding(lock)
    await site.successor()
    if (!isBegun) await begin()
    isBegun = true
    await waitsFor(words, again)
    await kill()
  }
  await site.successor()
}

test.runIf(canRun)(
  'killed while it is made: its cloud becomes ready with one database, and uses one package',
  { timeout: severalStartsMs },
  async () => {
    const person = await site.person()
    const client = (): Client => site.client(site.newest, person)
    await give(person)
    await waitingAt(`new.state = 'ready'`)
    let made = { id: '', ref: '' }
    await killedAt(
      [
        ['lock table databases.databases in share mode', 'insert into databases.databases'],
        ['select pg_advisory_xact_lock(18)', 'update "clouds"."clouds"'],
      ],
      async () => {
        const asked = await createDedicated(client(), 'killed')
        expect(asked.status, asked.text).toBe(202)
        made = asked.body
      },
    )
    const shown = async () => (await client().get(`/v1/cloud/${made.id}`)).body
    await until(async () => {
      await goOn()
      return (await shown()).status !== 'provisioning'
    }, startMs)
    // Two processes died over it, so it may have been set aside, which a retry ends.
    if ((await shown()).status === 'failed')
      expect((await client().post(`/v1/cloud/${made.id}/retry`, {})).status).toBe(202)
    await until(async () => (await shown()).status === 'ready', startMs)
    expect((await folders()).filter((name) => name.startsWith(made.ref))).toHaveLength(1)
    const { body } = await client().post(`/v1/cloud/${made.id}/database`, { query: 'select 1 as one' })
    expect(body.rows).toEqual([[1]])
    expect(await run('select from clouds.packages where cloud_id = $1', [made.id])).toHaveLength(1)
  },
)

/** Of somebody with one package, on a server of its own. */
async function readyCloud(): Promise<{ client: () => Client; id: string; ref: string }> {
  const person = await site.person()
  const client = (): Client => site.client(site.newest, person)
  await give(person)
  await site.start()
  const made = await createDedicated(client(), 'killed')
  expect(made.status, made.text).toBe(202)
  const { id, ref } = made.body
  await until(async () => (await client().get(`/v1/cloud/${id}`)).body.status === 'ready', startMs)
  return { client, id, ref }
}

test.runIf(canRun)(
  'killed in its deletion, when its database is gone and its record is not: nothing is left, and its package is free',
  { timeout: severalStartsMs },
  async () => {
    const { client, id, ref } = await readyCloud()
    expect(await isThere(ref)).toBe(true)
    await site.killAll()
    await killedAt(
      [['lock table databases.databases in share mode', 'delete from databases.databases']],
      async () => {
        const asked = await client().request(
          'DELETE',
          `/v1/cloud/${id}`,
          JSON.stringify({ confirm: 'killed' }),
        )
        expect(asked.status, asked.text).toBe(200)
      },
    )
    await until(async () => {
      await goOn()
      return (await client().get(`/v1/cloud/${id}`)).status === 404
    }, startMs)
    expect(await tablesWith(site, id)).toEqual([])
    expect(await isThere(ref)).toBe(false)
    const [, small] = (await client().get('/v1/cloud')).body.packages
    expect(small).toMatchObject({ package: 'small', available: true, free: 1 })
  },
)

test.runIf(canRun)(
  'killed in the middle of a backup: it is made all the same, every byte of both attempts is accounted for, and no server is left',
  { timeout: severalStartsMs },
  async () => {
    const { client, id, ref } = await readyCloud()
    const backups = `/v1/cloud/${id}/backups`
    await run(
      `create function databases.wait() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(18); return new; end $$`,
    )
    await run(
      `create trigger wait before update on databases.backups for each row when (new.state = 'ready') execute function databases.wait()`,
    )
    let backupId = ''
    {
      await using _held = await site.holding('select pg_advisory_xact_lock(18)')
      const asked = await client().post(backups, {})
      expect(asked.status, asked.text).toBe(202)
      backupId = asked.body.id
      await site.waitsFor('update "databases"."backups"')
      await kill()
    }
    await site.successor()
    await until(async () => (await client().get(`${backups}/${backupId}`)).body.status === 'ready', startMs)
    const rows = await run<{ key: string; bytes: bigint }>(
      'select storage_key as key, bytes from databases.backups where cloud_id = $1',
      [id],
    )
    const pending = await run<{ key: string }>('select key from storage.pending_blobs')
    const folder = path.join(site.dataDir, 'files')
    const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.parentPath.includes(id))
      .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    expect(rows).toHaveLength(1)
    expect(files.length).toBe(2)
    const known = new Set([...rows, ...pending].map(({ key }) => key))
    expect(files.filter((file) => !known.has(file))).toEqual([])
    const root = path.join(site.dataDir, 'databases')
    await until(async () => (await serverOfDatabase(root, ref)) === undefined, startMs)
  },
)

/** At the freezing, the copying, the switch and the cleaning. */
const moveSteps = [
  ['lock table collections.counts in share mode', 'insert into collections.counts'],
  ['lock table collections.rows in access exclusive mode', 'collections.rows'],
  ['select pg_advisory_xact_lock(18)', 'update "clouds"."clouds"'],
  ['lock table collections.rows in share mode', 'delete from collections.rows'],
] as const

test.runIf(canRun)(
  'killed at each step of a move: every row and user is there once, and nothing is left behind',
  { timeout: severalStartsMs },
  async () => {
    const person = await site.person()
    const client = (): Client => site.client(site.newest, person)
    await give(person)
    await site.start()
    const { id } = (await client().post('/v1/cloud', { name: 'killed', plan: 'starter' })).body
    const act = (json: object) => client().post(`/v1/cloud/${id}/database`, json)
    await act({ action: 'create_collection', name: 'todos' })
    for (const n of [1, 2, 3]) await act({ action: 'insert', table: 'todos', data: { n } })
    await run(
      `insert into app_users.users (account_id, cloud_id, user_id, email, created_at, updated_at)
      values ($1, $2, $2, 'sara@example.com', now(), now())`,
      [person.account, id],
    )
    await site.killAll()
    await waitingAt(`new.plan = 'dedicated'`)
    const move = () => client().post(`/v1/cloud/${id}/move`, {})
    await killedAt(moveSteps, move, move)
    await until(async () => {
      await goOn()
      const { plan, move: state } = (await client().get(`/v1/cloud/${id}`)).body
      // Two processes died over it, so it may have been given up, which leaves the cloud as it was.
      if (state === 'failed') await move()
      return plan === 'dedicated' && (await run('select from clouds.moves')).length === 0
    }, startMs)
    const query = async (text: string) => (await act({ query: text })).body.rows
    expect(await query('select n::int as n from todos order by n')).toEqual([[1], [2], [3]])
    expect(await query('select id, email from auth.users')).toEqual([[id, 'sara@example.com']])
    for (const table of ['collections.rows', 'collections.collections', 'app_users.users'])
      expect(await run(`select from ${table} where cloud_id = $1`, [id]), table).toEqual([])
  },
)
