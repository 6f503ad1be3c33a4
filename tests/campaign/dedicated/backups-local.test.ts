import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseBackup } from '../../../src/cloud/databases/local/base-backup.ts'
import { layoutOf } from '../../../src/cloud/databases/local/layout.ts'
import { makeDatabase } from '../../../src/cloud/databases/local/make.ts'
import { endRestore, restoreDatabase } from '../../../src/cloud/databases/local/restore.ts'
import { stop, wake } from '../../../src/cloud/databases/local/wake.ts'
import {
  awakeFor,
  databaseOf,
  databasesIn,
  localContext,
  openLocalContext,
  processesOfUser,
  query,
} from '../../cloud/dedicated/local-databases.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { fillDisk, smallDisk } from '../../harness/small-disk.ts'
import { until } from '../../harness/until.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const database = databaseOf('backupsbackupsbackup')
let context: Awaited<ReturnType<typeof openLocalContext>>
/** Of `database`, with a table `kept` of 1,000 rows. */
let tar: Buffer[]
const maxBytes = 200_000_000

beforeAll(async () => {
  if (!canRun) return
  context = await openLocalContext()
  await makeDatabase(context, database)
  await query(context, database, 'create table kept as select generate_series(1, 1000) as n')
  tar = await backUp()
})
afterAll(async () => {
  await context?.[Symbol.asyncDispose]()
})

const backUp = () =>
  awakeFor(context, database, async (awake) => {
    const parts: Buffer[] = []
    for await (const part of baseBackup(awake.address('backup'))) parts.push(part)
    return parts
  })

const sum = async () => (await query(context, database, 'select sum(n)::int as sum from kept'))[0]!['sum']

/** Of the write-ahead log. */
async function logBytes(): Promise<number> {
  const folder = path.join(layoutOf(context.root, database).data, 'pg_wal')
  const sizes = (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

async function* from(parts: readonly Buffer[], failing?: Error) {
  yield* parts
  if (failing) throw failing
}

const isWanted = async () => true
const restore = (parts: readonly Buffer[], id: string, failing?: Error) =>
  restoreDatabase(context, database, { id, maxBytes, isWanted, tar: () => from(parts, failing) })

it('a restore that was completed keeps what was written since, however often it is run again', async () => {
  expect(await restore(tar, 'againagainag')).toBe(true)
  await query(context, database, 'update kept set n = 3')
  expect(await restore(tar, 'againagainag')).toBe(true)
  expect(await sum()).toBe(3_000)
})

it('a restored database has what it had when its backup was taken, and whoever used it meanwhile learns of the end', async () => {
  await query(context, database, 'update kept set n = 0')
  const awake = await wake(context, database)
  expect(await restore(tar, 'aaaaaaaaaaaa')).toBe(true)
  await awake.serverGone
  await awake.leave()
  expect(await sum()).toBe(500_500)
  expect(await databasesIn(context.root)).toEqual([database.ref])
})

it('a backup that is cut or is not what was stored leaves the database as it is', async () => {
  await query(context, database, 'update kept set n = 1')
  await expect(restore(tar.slice(0, -40), 'bbbbbbbbbbbb')).rejects.toThrow('cut')
  await expect(restore(tar, 'bbbbbbbbbbbb', new Error('another hash'))).rejects.toThrow('another hash')
  const named = Buffer.concat(tar)
  named.write('../../outside\0')
  await expect(restore([named], 'bbbbbbbbbbbb')).rejects.toThrow('damaged')
  expect(await sum()).toBe(1000)
  expect(await databasesIn(context.root)).toEqual([database.ref])
})

it('a restore whose disk is filled meanwhile says so and leaves the old data, and once there is room it succeeds', async ({
  skip,
}) => {
  await using disk = await smallDisk('256m')
  if (!disk) return skip('this user may mount no disk')
  const small = await localContext(disk.path)
  await using _claims = small.claims
  await makeDatabase(small, database)
  await query(small, database, 'create table kept as select 7 as n')
  const filling = path.join(disk.path, 'awake-filling')
  const put = (copy: () => AsyncIterable<Buffer>) =>
    restoreDatabase(small, database, { id: 'fullfullfull', maxBytes, isWanted, tar: copy })
  // At its first part, and where all of it is unpacked and PostgreSQL is to start from it.
  for (const nth of [1, tar.length]) {
    const filled = async function* () {
      yield* tar.slice(0, nth)
      await fillDisk(filling)
      yield* tar.slice(nth)
    }
    await expect(put(filled)).rejects.toMatchObject({ code: 'DATABASE_NO_ROOM' })
    await rm(filling)
    // PostgreSQL 18 does not end where it could not recover.
    const { user } = database
    // All databases here run as one user, and one that has just slept may still write its checkpoint.
    if (user !== undefined) await until(async () => (await processesOfUser(user)).length === 0)
    expect(await databasesIn(disk.path)).toEqual([database.ref])
    expect(await query(small, database, 'select n from kept')).toEqual([{ n: 7 }])
  }
  expect(await put(() => from(tar))).toBe(true)
  expect(await query(small, database, 'select sum(n)::int as sum from kept')).toEqual([{ sum: 500_500 }])
  await stop(small, database)
})

it('a database whose disk was lost comes back from its backup, and one that is deleted meanwhile does not', async () => {
  const { folder } = layoutOf(context.root, database)
  await stop(context, database)
  await rm(folder, { recursive: true })
  const options = { id: 'lostlostlost', maxBytes, tar: () => from(tar), isWanted: async () => false }
  expect(await restoreDatabase(context, database, options)).toBe(false)
  expect(existsSync(folder)).toBe(false)
  await expect(restore(tar.slice(0, -40), 'lostlostlost')).rejects.toThrow('cut')
  expect(await restore(tar, 'lostlostlost')).toBe(true)
  expect(await sum()).toBe(500_500)
  expect(await databasesIn(context.root)).toEqual([database.ref])
})

it('what is written during a backup is in it or not, a row as a whole, and none of it disturbs the copy', async () => {
  await query(
    context,
    database,
    'create table grown (a int, b int)',
    'create table changed (n int, filler text storage plain)',
  )
  const awake = await wake(context, database)
  const copy = baseBackup(awake.address('backup'))
  const first = await copy.next()
  await query(
    context,
    database,
    ...Array.from(
      { length: 4 },
      (_, n) => `insert into grown select ${n}, ${n} from generate_series(1, 1600)`,
    ),
    // 96 MB of log, more than PostgreSQL would keep of it by itself, and next to no data.
    `insert into changed select i, repeat(md5(i::text), 230) from generate_series(1, 12500) i`,
    'truncate changed',
    'update grown set b = a',
  )
  const parts = [first.value!]
  for await (const part of copy) parts.push(part)
  await awake.leave()
  await restoreDatabase(context, database, {
    id: 'cccccccccccc',
    maxBytes: 1e9,
    isWanted,
    tar: () => from(parts),
  })
  const [row] = await query(
    context,
    database,
    'select count(*)::int % 1600 as partly, count(*) filter (where a <> b)::int as torn from grown',
  )
  expect(row).toEqual({ partly: 0, torn: 0 })
  await query(context, database, 'drop table grown, changed')
})

it('while a backup takes the place of the data, nobody wakes the database', async () => {
  const { restoringFile } = layoutOf(context.root, database)
  await writeFile(restoringFile, '')
  await expect(wake(context, database)).rejects.toMatchObject({ code: 'CLOUD_RESTORING' })
  // What a killed process left is ended by the next run.
  await restore(tar, 'dddddddddddd')
  expect(await sum()).toBe(500_500)
})

/** In the order in which a restoring makes them. */
const moments: Record<string, (id: string) => string> = {
  unpacked: (id) => path.join(context.root, `restore.${id}`, 'data', 'global'),
  'seen to start': () => layoutOf(context.root, database).restoringFile,
  'on its way': () => layoutOf(context.root, database).dataBefore,
  'in its place': (id) => path.join(context.root, `restore.${id}`, 'before'),
}

test.runIf(canRun).each(Object.entries(moments))(
  'killed once the backup is %s, it leaves one whole database or the other, and the next run ends what it began',
  async (moment, place) => {
    const id = `killed${String(Object.keys(moments).indexOf(moment)).padStart(6, '0')}`
    const file = path.join(context.root, 'archive')
    await writeFile(file, Buffer.concat(tar))
    await query(context, database, 'update kept set n = 2')
    const main = path.join(import.meta.dirname, '../../cloud/dedicated/restore-main.ts')
    const args = [main, context.root, database.ref, String(database.user ?? ''), file, id]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (!existsSync(place(id)) && child.exitCode === null) await nextTurn()
    child.kill('SIGKILL')
    await ended
    // On a busy machine it may have gone on meanwhile: what is there says how far it was.
    const { restoringFile, restoredFile, dataBefore } = layoutOf(context.root, database)
    const isOver = (await readFile(restoredFile, 'utf8').catch(() => '')) === id && !existsSync(dataBefore)
    expect(child.exitCode ?? 0).toBe(0)
    if (moment === 'in its place') expect(isOver).toBe(true)
    if (existsSync(restoringFile))
      await expect(wake(context, database)).rejects.toMatchObject({ code: 'CLOUD_RESTORING' })
    else expect(await sum()).toBe(isOver ? 500_500 : 2_000)
    await endRestore(context, database, id)
    expect(await sum()).toBe(isOver ? 500_500 : 2_000)
    expect(await restore(tar, id)).toBe(true)
    expect(await sum()).toBe(500_500)
    await rm(file)
    expect(await databasesIn(context.root)).toEqual([database.ref])
  },
)

it('a backup that is not read takes no more log than its bound and fails, and whoever writes meanwhile goes on', async () => {
  await awakeFor(context, database, async (awake) => {
    const stalled = baseBackup(awake.address('backup'))[Symbol.asyncIterator]()
    await stalled.next()
    const written = `insert into written select repeat('x', 1000000) from generate_series(1, 50); truncate written`
    const writes = Array.from({ length: 12 }, () => written)
    await query(
      context,
      database,
      'create table written (filler text); alter table written alter filler set storage external',
      ...writes,
      'drop table written',
    )
    // What is beyond the bound goes with the next checkpoint, which comes late on a busy machine.
    await until(async () => (await logBytes()) < 400 * 1024 * 1024)
    await expect(
      (async () => {
        while (!(await stalled.next()).done);
      })(),
    ).rejects.toThrow()
  })
  expect((await backUp()).length).toBeGreaterThan(0)
})

it('data of an earlier release gets the steps that it lacks before anybody can connect, and that of a later one is refused', async () => {
  const step = path.join(context.root, 'step.sql')
  await writeFile(
    step,
    `create or replace function kherad.added() returns int language sql\n  as $$ select 7 $$;\n\ngrant usage on schema kherad to postgres;\n\n`,
  )
  const later = { ...context, programs: { ...context.programs, steps: [step] } }
  const rows = await query(later, database, 'select kherad.added() as n, current_user as me')
  expect(rows).toEqual([{ n: 7, me: 'postgres' }])
  await expect(wake(context, database)).rejects.toThrow('start the newer release again')
  const { data } = layoutOf(context.root, database)
  expect(await readFile(path.join(data, 'kherad-steps'), 'utf8')).toBe('1\n')
  await writeFile(path.join(data, 'PG_VERSION'), '17\n')
  await expect(wake(later, database)).rejects.toThrow('is of PostgreSQL 17')
})
