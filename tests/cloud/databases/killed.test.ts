import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Claims } from '../../../src/engine/databases/local/claims.ts'
import { layoutOf } from '../../../src/engine/databases/local/layout.ts'
import type { LocalContext } from '../../../src/engine/databases/local/local.ts'
import { makeDatabase } from '../../../src/engine/databases/local/make.ts'
import { end, removeAll } from '../../../src/engine/databases/local/remove.ts'
import { serverOf, stop, wake } from '../../../src/engine/databases/local/wake.ts'
import { databasesIn, databaseUser, openLocalContext, query } from '../dedicated/local-databases.ts'
import { hasJail } from '../jail/needs-jail.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const program = path.join(import.meta.dirname, 'hold-awake.ts')

let context: LocalContext & AsyncDisposable
let claims: Claims
beforeAll(async () => {
  if (!canRun) return
  context = await openLocalContext()
  claims = new Claims(context.root, { tools: context.tools, limitBytes: Number.POSITIVE_INFINITY })
})
afterAll(async () => {
  if (canRun) await context[Symbol.asyncDispose]()
})

/** Another process of the service, once it has said `word`. */
async function holder(ref: string, word: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, context.root, ref, String(databaseUser ?? '')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout!)) if (line === word) return child
  throw new Error('It ended.')
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  if (child.kill('SIGKILL')) await ended
}

const processesOfUser = async (user: number): Promise<string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const owners = await Promise.all(
    pids.map((pid) =>
      stat(`/proc/${pid}`).then(
        ({ uid }) => uid,
        () => undefined,
      ),
    ),
  )
  return pids.filter((_, index) => owners[index] === user)
}

it('a database that a killed process kept awake is used by the next one, and stopped when nobody does', async () => {
  const database = { ref: 'k'.repeat(20), user: databaseUser }
  const layout = layoutOf(context.root, database)
  await kill(await holder(database.ref, 'awake'))
  const left = await serverOf(layout)
  expect(left).toEqual(expect.any(Number))
  const ours = { ...context, claims }
  const awake = await wake(ours, database)
  await claims.sweep((ref) => stop(context, { ref }))
  expect(await serverOf(layout)).toBe(left)
  await awake.leave()
  expect(await serverOf(layout)).toBeUndefined()
  await kill(await holder(database.ref, 'awake'))
  await claims.sweep((ref) => stop(context, { ref }))
  expect(await serverOf(layout)).toBeUndefined()
  expect(await claims.list()).toEqual([])
}, 60_000)

it('wherever a process that makes and wakes it is killed, the next one ends it, and deletion leaves nothing', async () => {
  const database = { ref: 'm'.repeat(20), user: databaseUser }
  for (const afterMs of [100, 600, 1_200]) {
    const child = await holder(database.ref, 'begins')
    await pause(afterMs)
    await kill(child)
    await makeDatabase(context, database)
    expect(await query({ ...context, claims }, database, 'select 1 as n')).toEqual([{ n: 1 }])
    await claims.sweep((ref) => stop(context, { ref }))
    await end(context, database)
    await removeAll(context.root, database)
  }
  expect((await databasesIn(context.root)).filter((name) => name.startsWith('m'))).toEqual([])
  expect((await claims.list()).filter(({ ref }) => ref === database.ref)).toEqual([])
  if (databaseUser !== undefined) expect(await processesOfUser(databaseUser)).toEqual([])
}, 120_000)

it('a folder whose path is too long for the name of a socket has databases, too', async () => {
  const root = path.join(context.root, 'l'.repeat(120))
  await mkdir(root, { mode: 0o711 })
  const long = { ...context, root }
  const database = { ref: 'n'.repeat(20), user: databaseUser }
  await makeDatabase(long, database)
  expect(await query(long, database, 'select 1 as n')).toEqual([{ n: 1 }])
  await removeAll(root, database)
}, 60_000)
