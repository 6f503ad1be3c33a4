/** The time of leases: `now()` in every installation, and what a test makes of it in its own database. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { migrate, openDb } from '#platform/db'
import { Client } from '../../harness/client.ts'
import { cloneDatabase, emptyDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { endLeases, passTime } from '../../harness/time.ts'

/** 120 heartbeats. */
const tenMinutesMs = 600_000

test('in an installation it is now(), which the planner puts in its place, so that indexes serve and no call is made', async () => {
  await using database = await emptyDatabase()
  await using db = await openDb({ url: database.url })
  await migrate(db, path.resolve(import.meta.dirname, '../../../migrations'))
  const text = 'select platform.now() = now() as same'
  expect(await db.query({ text }, [])).toEqual([{ same: true }])
  for (const statement of [
    `select from ledger.processes where beat_at > platform.now() - interval '20 s'`,
    `select from jobs.queue where name = 'a' and account_id = gen_random_uuid() and process_id is null and parked_at is null and run_at <= platform.now()`,
  ]) {
    const client = await db.pool.connect()
    await client.query('set enable_seqscan = off')
    const { rows } = await client.query(`explain (verbose) ${statement}`)
    client.release(true)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('now()')
    expect(plan).not.toContain('platform.now')
    if (statement.includes('run_at')) expect(plan).toMatch(/Index Cond: .*run_at <= now\(\)/)
  }
})

test('a test lets time pass in its own database alone', async () => {
  await using one = await cloneDatabase()
  await using other = await cloneDatabase()
  await passTime(one.url, [], { ms: tenMinutesMs, stepMs: tenMinutesMs / 4 })
  for (const [{ url }, movedMs] of [
    [one, tenMinutesMs],
    [other, 0],
  ] as const) {
    await using db = await openDb({ url })
    const text = 'select extract(epoch from platform.now() - now())::int * 1000 as moved'
    expect(await db.query({ text }, [])).toEqual([{ moved: movedMs }])
  }
})

test('it passes for a server and its database together, and for one that is started afterwards', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const bootstrapKey = 'khr_0123456789012345678901234567890123456789'
  const start = () => startProcess({ databaseUrl: database.url, bootstrapKey })
  await using server = await start()
  await server.control.moveMs(tenMinutesMs)
  const text = 'select extract(epoch from max(beat_at) - now())::int as ahead from ledger.processes'
  const [beat] = await db.query<{ ahead: number }>({ text }, [])
  expect(beat!.ahead).toBeGreaterThan(500)
  await using later = await start()
  for (const { url } of [server, later]) {
    const reply = await new Client(url, bootstrapKey, '').chat({ model: 'sandbox/fast', max_tokens: 5 })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.created - Date.now() / 1000).toBeGreaterThan(500)
  }
})

test('of two servers only the one whose lease is over has its holds swept, within a lease of ten minutes', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  const start = () => startProcess({ databaseUrl: database.url, env: { KHERAD_LEASE_MS: '600000' } })
  await using dead = await start()
  const alive = async (): Promise<string[]> => {
    const text = `select process_id from ledger.processes where ledger.lives(process_id, interval '10 minutes')`
    return (await db.query<{ process_id: string }>({ text }, [])).map(({ process_id }) => process_id)
  }
  const [first] = await alive()
  await using living = await start()
  const take = `insert into jobs.queue (account_id, job_id, name, data, run_at, process_id, fence)
    select gen_random_uuid(), gen_random_uuid(), 'test.' || process_id, 'null', now(), process_id, 1 from ledger.processes`
  await db.query({ text: take }, [])
  await dead.kill()
  await endLeases(database.url, [living], 600_000)
  const left = await alive()
  expect(left).toHaveLength(1)
  expect(left).not.toContain(first)
  const claims = await db.query<{ process_id: string | null; vanished: number }>(
    { text: `select process_id, vanished from jobs.queue where name like 'test.%' order by vanished` },
    [],
  )
  expect(claims).toEqual([
    { process_id: left[0], vanished: 0 },
    { process_id: null, vanished: 1 },
  ])
})
