/**
 * A database that is awake for as long as somebody uses it. Whoever uses it holds a shared lock within it, from whatever process; who releases
 * the last one stops it.
 */
import { access, readFile, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, isDatabaseAway, type SocketAddress } from '#platform/db'
import { fail } from '#platform/errors'
import { isRunningAlready, pidIn, type StartedServer, startServerInJail } from '#platform/jail'
import { standardSize } from '../size.ts'
import { type Layout, type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import './phrases.ts'
import { server } from './program.ts'
import { upgrade } from './upgrade.ts'

/** The key of the shared advisory lock that means "in use". */
const useLock = 7_210_418_003
const wakeMs = 20_000
const pollMs = 5
/** After which somebody who is refused because it is restored may try again. */
const restoringMs = 5_000
const stopMs = 10_000

export interface Awake {
  /** Where it answers, for whom it is asked. */
  address(user: string): SocketAddress
  /** Resolves when its server has gone. */
  readonly lost: Promise<void>
  /** Called when tables, policies or functions have changed. It does not throw. */
  whenSchemaChanges(listener: () => void): void
  /** Stops it if nobody else uses it. */
  leave(): Promise<void>
}

export interface WakeOptions {
  withinMs?: number
  /** By whoever restores it: everybody else waits until that is over. */
  isRestoring?: boolean
}

/** Throws CLOUD_RESTORING, and an Error with what PostgreSQL said where it does not start. */
export async function wake(
  context: LocalContext,
  database: LocalDatabase,
  { withinMs = wakeMs, isRestoring = false }: WakeOptions = {},
): Promise<Awake> {
  const layout = layoutOf(context.root, database)
  const address = (user: string): SocketAddress => ({
    socketFolder: layout.socket,
    port: 5432,
    user,
    database: 'postgres',
  })
  const deadline = performance.now() + withinMs
  let started: (StartedServer & { code?: number | null }) | undefined
  while (performance.now() < deadline) {
    if (!isRestoring && (await isThere(layout.restoringFile)))
      fail('CLOUD_RESTORING', {}, { retryAfterMs: restoringMs })
    const client = await connect(address('watcher'))
    if (client) return awake(context, database, { client, address })
    if (!started) {
      if ((await upgrade(context, database)) === 'busy') {
        await pause(pollMs)
        continue
      }
      const fresh: StartedServer & { code?: number | null } = await startServerInJail(
        context.tools,
        server(context.programs, layout, database.size ?? standardSize),
        database.user,
      )
      void fresh.ended.then((code) => {
        fresh.code = code
      })
      started = fresh
    } else if (started.code !== undefined) {
      // Another process started it first, or it is still stopping.
      if (started.code !== isRunningAlready)
        throw new Error(
          `PostgreSQL of a cloud ended with ${started.code}: ${await lastWords(layout.logFile)}`,
        )
      started = undefined
    }
    await pause(pollMs)
  }
  throw new Error(
    `PostgreSQL of a cloud did not answer within ${withinMs / 1000} s: ${await lastWords(layout.logFile)}`,
  )
}

/** Undefined where nobody answers yet. */
async function connect(address: SocketAddress): Promise<pg.Client | undefined> {
  const client = new pg.Client(clientConfig(address))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [useLock])
    await client.query('listen kherad_schema')
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    if (!isDatabaseAway(error)) throw error
    return undefined
  }
}

function awake(
  context: LocalContext,
  database: LocalDatabase,
  { client, address }: { client: pg.Client; address: Awake['address'] },
): Awake {
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()))
  return {
    address,
    lost,
    whenSchemaChanges: (listener) => void client.on('notification', listener),
    leave: () => leave(context, database, client),
  }
}

async function leave(context: LocalContext, database: LocalDatabase, client: pg.Client): Promise<void> {
  const isLast = await client
    .query('select pg_advisory_unlock_shared($1)', [useLock])
    .then(() => client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [useLock]))
    .then(({ rows }) => rows[0]?.last === true)
    .catch(() => false)
  // The lock is held until the shutdown: a process that arrives meanwhile waits, is disconnected, and starts the server again.
  if (isLast) await stop(context, database)
  await client.end().catch(() => undefined)
}

/** Ends its sessions and writes its data. */
export async function stop(context: LocalContext, database: LocalDatabase): Promise<void> {
  const layout = layoutOf(context.root, database)
  const pid = await serverOf(layout)
  if (pid === undefined) return
  process.kill(pid, 'SIGINT')
  for (const deadline = performance.now() + stopMs; performance.now() < deadline; await pause(pollMs))
    if ((await serverOf(layout)) !== pid) return
  context.log.warn(
    { ref: database.ref },
    'PostgreSQL of a cloud is still writing its data and will stop by itself',
  )
}

/** The first process of its server, if it runs: not another one, of another database perhaps, that got its number. */
export async function serverOf({ infoFile, data }: Layout): Promise<number | undefined> {
  const pid = await pidIn(infoFile)
  const folder = await stat(data).catch(() => undefined)
  if (pid === undefined || !folder) return undefined
  const standsIn = await stat(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => error.code)
  if (typeof standsIn === 'object')
    return standsIn.ino === folder.ino && standsIn.dev === folder.dev ? pid : undefined
  // Root with reduced capabilities, as in a container, may not see it; there each database has a user of its own.
  const isDenied = standsIn === 'EACCES' || standsIn === 'EPERM'
  return isDenied && (await stat(`/proc/${pid}`)).uid === folder.uid ? pid : undefined
}

const lastWords = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8').catch(() => '')).slice(-1_000).trim()

const isThere = (place: string): Promise<boolean> =>
  access(place).then(
    () => true,
    () => false,
  )
