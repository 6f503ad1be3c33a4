import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LocalProvider } from '#cloud/databases'
import { openMetrics } from '#platform/metrics'
import type { Claims, SeenClaim } from '../../../src/cloud/databases/local/claims.ts'
import { layoutOf } from '../../../src/cloud/databases/local/layout.ts'
import type { LocalContext } from '../../../src/cloud/databases/local/local.ts'
import { makeDatabase } from '../../../src/cloud/databases/local/make.ts'
import { processesOf } from '../../../src/cloud/databases/local/processes.ts'
import { killServer, removeAll } from '../../../src/cloud/databases/local/remove.ts'
import { serverPid, stop, stopUnused, wake } from '../../../src/cloud/databases/local/wake.ts'
import { standardSize } from '../../../src/cloud/databases/size.ts'
import { makeSeries } from '../../../src/metrics.ts'
import {
  awakeFor,
  databasesIn,
  databaseUser,
  openLocalContext,
  processesOfUser,
  query,
} from '../../cloud/dedicated/local-databases.ts'
import { hasJail, jail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const program = path.join(import.meta.dirname, '../../cloud/databases/hold-awake.ts')

let context: LocalContext & AsyncDisposable
let claims: Claims
beforeAll(async () => {
  if (!canRun) return
  context = await openLocalContext()
  claims = context.claims
})
afterAll(async () => {
  if (canRun) await context[Symbol.asyncDispose]()
})

const titleOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'latin1')

/** Another process of the service, once it has said `word`. */
async function holder(
  ref: string,
  word: string,
  { container = [], statement = '' }: { container?: string[]; statement?: string } = {},
): Promise<ChildProcess> {
  const words = [...container, process.execPath, program, context.root, ref, String(databaseUser ?? '')]
  words.push(statement)
  const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout!)) if (line === word) return child
  throw new Error('It ended.')
}

/** When nobody uses it any more: a stop that takes long on a busy machine is gone on with by the next sweep. */
const asleep = (ref: string) =>
  until(async () => {
    await claims.sweep((one) => stopUnused(context, { ref: one }))
    const isClaimed = (await claims.list()).some((claim) => claim.ref === ref)
    return !isClaimed && (await serverPid(layoutOf(context.root, { ref }))) === undefined
  })

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  if (child.kill('SIGKILL')) await ended
}

it('a database that a killed process kept awake is used by the next one, and stopped when nobody does', async () => {
  const database = { ref: 'k'.repeat(20), user: databaseUser }
  const layout = layoutOf(context.root, database)
  await kill(await holder(database.ref, 'awake'))
  const left = await serverPid(layout)
  expect(left).toEqual(expect.any(Number))
  const awake = await wake(context, database)
  await claims.sweep((ref) => stopUnused(context, { ref }))
  expect(await serverPid(layout)).toBe(left)
  await awake.leave()
  await asleep(database.ref)
  await kill(await holder(database.ref, 'awake'))
  await asleep(database.ref)
  expect(await claims.list()).toEqual([])
})

it('a statement that grows ends by itself when its process is killed, though its database stays awake and nobody watches it', async () => {
  const database = { ref: 'g'.repeat(20), user: databaseUser }
  // Slowly: in this test it is not to fill the disk.
  const statement = 'create table grown as select generate_series(1, 1000000) as n, pg_sleep(0.001)::text'
  const child = await holder(database.ref, 'awake', { statement })
  await awakeFor(context, database, async () => {
    const running = async () =>
      await query(
        context,
        database,
        `select pid from pg_stat_activity where query like 'create table grown%' and state = 'active'`,
      )
    await until(async () => (await running()).length === 1)
    await kill(child)
    await until(async () => (await running()).length === 0)
    expect(await query(context, database, `select to_regclass('grown') as made`)).toEqual([{ made: null }])
  })
})

it('a server that never ends stopping is killed by whoever wakes it, and has what was written', async () => {
  const database = { ref: 't'.repeat(20), user: databaseUser }
  await makeDatabase(context, database)
  await query(context, database, 'create table kept as select 7 as n')
  const stuck = await wake(context, database)
  const postmaster = (await serverPid(layoutOf(context.root, database)))!
  const checkpointer = processesOf(postmaster).find(({ pid }) => titleOf(pid).includes('checkpointer'))!
  process.kill(checkpointer.pid, 'SIGSTOP')
  process.kill(postmaster, 'SIGINT')
  await stuck.serverGone
  expect(await query(context, database, 'select n from kept')).toEqual([{ n: 7 }])
  await stuck.leave()
  await asleep(database.ref)
})

it('a process that starts stops what a killed one has left awake, before anybody uses a database', async () => {
  const database = { ref: 's'.repeat(20), user: databaseUser }
  const layout = layoutOf(context.root, database)
  await kill(await holder(database.ref, 'awake'))
  expect(await serverPid(layout)).toEqual(expect.any(Number))
  const nothing = async (): Promise<void> => {}
  await using _provider = new LocalProvider({
    owner: { id: randomUUID(), isAdopted: false },
    ...{ root: context.root, idleMs: 60_000, memoryShare: 1, leastFreeDisk: 0, jail, log: context.log },
    metrics: openMetrics(makeSeries),
    sizes: {
      sizeOf: async () => standardSize,
      requireTime: nothing,
      recordMeasurement: nothing,
      recordAwakeTime: nothing,
    },
  })
  await until(async () => (await serverPid(layout)) === undefined)
})

describe('beside a process in another container', () => {
  const database = { ref: 'p'.repeat(20), user: databaseUser }
  const inContainer = (): Promise<ChildProcess> => {
    const container = [context.tools.bwrap, '--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid']
    return holder(database.ref, 'awake', { container: [...container, '--die-with-parent', '--'] })
  }
  const sweep = () => claims.sweep((ref) => stopUnused(context, { ref }))
  const startedAt = async () =>
    (await query(context, database, 'select pg_postmaster_start_time()::text as at'))[0]

  it('a database is shared, and neither its claim nor its server ends while that process lives', async () => {
    const other = await inContainer()
    const [{ holder: theirs }] = (await claims.list()) as [SeenClaim]
    const at = await startedAt()
    await sweep()
    expect(await claims.list()).toMatchObject([{ holder: theirs }])
    expect(await startedAt()).toEqual(at)
    // With its container all processes of the server end, and what it claimed is nobody's.
    await kill(other)
    await until(async () => {
      await sweep()
      return (await claims.list()).length === 0
    })
    expect(await startedAt()).not.toEqual(at)
  })

  it('a database that runs there is stopped from here, whoever uses it', async () => {
    const other = await inContainer()
    expect(await stop(context, database)).toBe(true)
    await until(async () => {
      await sweep()
      return (await claims.list()).length === 0
    })
    await kill(other)
  })
})

it('wherever a process that makes and wakes it is killed, the next one ends it, and deletion leaves nothing', async () => {
  const database = { ref: 'm'.repeat(20), user: databaseUser }
  for (const afterMs of [100, 600, 1_200]) {
    const child = await holder(database.ref, 'begins')
    await pause(afterMs)
    await kill(child)
    await makeDatabase(context, database)
    expect(await query(context, database, 'select 1 as n')).toEqual([{ n: 1 }])
    await claims.sweep((ref) => stopUnused(context, { ref }))
    await killServer(context, database)
    await removeAll(context.root, database)
  }
  expect((await databasesIn(context.root)).filter((name) => name.startsWith('m'))).toEqual([])
  expect((await claims.list()).filter(({ ref }) => ref === database.ref)).toEqual([])
  // What a process that was killed had begun may end a moment later.
  const { user } = database
  if (user !== undefined) await until(async () => (await processesOfUser(user)).length === 0)
})

it('a folder whose path is too long for the name of a socket has databases, too', async () => {
  const root = path.join(context.root, 'l'.repeat(120))
  await mkdir(root, { mode: 0o711 })
  const long = { ...context, root }
  const database = { ref: 'n'.repeat(20), user: databaseUser }
  await makeDatabase(long, database)
  expect(await query(long, database, 'select 1 as n')).toEqual([{ n: 1 }])
  await removeAll(root, database)
})
