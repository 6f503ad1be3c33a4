/** Keeps a database awake for as long as any process of this machine uses it; the last one stops it. */
import { access, open, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, isDatabaseAway, type SocketAddress } from '#platform/db'
import { fail } from '#platform/errors'
import {
  alreadyRunningExitCode,
  holdLock,
  pidIn,
  type StartedServer,
  startServerInJail,
} from '#platform/jail'
import { standardSize } from '../size.ts'
import type { Claim } from './claims.ts'
import { isShortEnough, type Layout, type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import '../phrases.ts'
import { signalIfThere } from './processes.ts'
import { server } from './program.ts'
import { upgrade } from './upgrade.ts'

const wakeMs = 20_000
const pollMs = 5
/** How long each wait for the lock of a server takes before its process is looked for again. */
const lockSliceMs = 50
/** The Retry-After of a request that is refused because the database is being restored. */
const restoringMs = 5_000
const stopMs = 10_000
/** A server that stops writes its data within this time, or it never will. */
const maxStoppingMs = 5_000
const killMs = 10_000
/** A server that was signalled stops within this time, if nothing is under way in it. */
const quickStopMs = 2_000
/** The channel on which processes that use a database hear that another one needs its room. */
const roomChannel = 'kherad_room'
/** The messages there: of the process that needs the room, and of a process that uses the database. */
const roomNeededMessage = 'needed'
const databaseUsedMessage = 'used'
/** Where nobody says that the database is used, it is left within this time. */
const leavingMs = 5_000

export interface AwakeDatabase {
  /** The address at which the database answers this user. */
  address(user: string): SocketAddress
  /** Resolves when its server has gone. */
  readonly serverGone: Promise<void>
  /**
   * The listener is called when another database needs the room. It leaves this one if nobody uses it, returns whether it did, and does not throw.
   */
  whenRoomIsNeeded(listener: () => boolean): void
  /** Records that the database is used now. */
  touch(): void
  /** Leaves the database, and stops it if nobody else uses it. */
  leave(): Promise<void>
}

export interface WakeOptions {
  withinMs?: number
  /** True for the restore itself: everybody else is refused until it is over. */
  isRestoring?: boolean
}

/** Wakes a database. Throws CLOUD_RESTORING, DATABASE_TOO_LARGE, DATABASE_NO_ROOM, and an Error with what PostgreSQL said where it does not start. */
export async function wake(
  context: LocalContext,
  database: LocalDatabase,
  options: WakeOptions = {},
): Promise<AwakeDatabase> {
  const { claims } = context
  const claim = await takeRoom(context, database)
  await using undo = new AsyncDisposableStack()
  undo.defer(() => claims.giveBack(claim, (ref) => stopUnused(context, { ref })))
  const socket = undo.use(await openSocketFolder(layoutOf(context.root, database)))
  const client = await connectOrStart(context, database, { socketFolder: socket.path, ...options })
  const kept = undo.move()
  let left: Promise<void> | undefined
  const leave = async (): Promise<void> => {
    await client.end().catch(() => undefined)
    await kept.disposeAsync()
  }
  let leaveIfUnused = (): boolean => false
  client.on('notification', ({ payload }) => {
    if (payload === roomNeededMessage && !leaveIfUnused())
      client.query(`notify ${roomChannel}, '${databaseUsedMessage}'`).catch(() => undefined)
  })
  return {
    address: (user) => ({ socketFolder: socket.path, port: 5432, user, database: 'postgres' }),
    serverGone: new Promise<void>((resolve) => client.once('end', () => resolve())),
    whenRoomIsNeeded: (listener) => {
      leaveIfUnused = listener
    },
    touch: () => void claims.touch(claim),
    leave: () => (left ??= leave()),
  }
}

/** The folder of the socket, by its descriptor in this process where its path is too long for the name of a socket. */
async function openSocketFolder(layout: Layout): Promise<{ path: string } & AsyncDisposable> {
  if (isShortEnough(layout)) return { path: layout.socket, async [Symbol.asyncDispose]() {} }
  const folder = await open(layout.socket)
  return { path: `/proc/self/fd/${folder.fd}`, [Symbol.asyncDispose]: () => folder.close() }
}

/** Claims memory for a database: databases that nobody uses make way, the one that was used longest ago first. */
async function takeRoom(context: LocalContext, database: LocalDatabase): Promise<Claim> {
  const { memoryBytes } = database.size ?? standardSize
  const requested = new Set<string>()
  for (;;) {
    const taken = await context.claims.take(database.ref, memoryBytes)
    if (!Array.isArray(taken)) return taken
    const next = taken.find(({ ref }) => !requested.has(ref))
    if (!next) fail('DATABASE_NO_ROOM', {}, { retryAfterMs: noRoomMs })
    requested.add(next.ref)
    await requestRoom(context, next)
  }
}

/** The Retry-After of DATABASE_NO_ROOM; there may be room by then. */
const noRoomMs = 10_000

async function requestRoom(context: LocalContext, { ref }: Claim): Promise<void> {
  const { claims } = context
  await claims.sweep((unused) => stopUnused(context, { ref: unused }))
  const layout = layoutOf(context.root, { ref })
  await using socket = await openSocketFolder(layout)
  // Undefined where the server is stopping already, or just starts.
  const client = await connect(socket.path)
  let isUsed = false
  client?.on('notification', ({ payload }) => {
    isUsed ||= payload === databaseUsedMessage
  })
  await client?.query(`notify ${roomChannel}, '${roomNeededMessage}'`).catch(() => undefined)
  for (const end = performance.now() + leavingMs; !isUsed && performance.now() < end; await pause(pollMs))
    if (!(await claims.list()).some((claim) => claim.ref === ref)) break
  await client?.end().catch(() => undefined)
}

/** Connects to the database, and starts its server where it does not run. */
async function connectOrStart(
  context: LocalContext,
  database: LocalDatabase,
  { socketFolder, withinMs = wakeMs, isRestoring = false }: WakeOptions & { socketFolder: string },
): Promise<pg.Client> {
  const layout = layoutOf(context.root, database)
  const deadline = performance.now() + withinMs
  let started: (StartedServer & { code?: number | null }) | undefined
  let stoppingSinceMs: number | undefined
  while (performance.now() < deadline) {
    if (!isRestoring && (await isThere(layout.restoringFile)))
      fail('CLOUD_RESTORING', {}, { retryAfterMs: restoringMs })
    const client = await connect(socketFolder)
    if (client) return client
    stoppingSinceMs = (await isStopping(layout)) ? (stoppingSinceMs ?? performance.now()) : undefined
    if (stoppingSinceMs !== undefined && performance.now() - stoppingSinceMs > maxStoppingMs) {
      await kill(context, layout)
      stoppingSinceMs = undefined
    }
    if (!started) {
      if ((await upgrade(context, database)) !== 'busy') started = await start(context, database, layout)
    } else if (started.code !== undefined) {
      // Another process started it first, or it is still stopping.
      if (started.code !== alreadyRunningExitCode)
        throw new Error(`PostgreSQL of a cloud ended with ${started.code}: ${await logTail(layout.logFile)}`)
      started = undefined
    }
    await pause(pollMs)
  }
  throw new Error(
    `PostgreSQL of a cloud did not answer within ${withinMs / 1000} s: ${await logTail(layout.logFile)}`,
  )
}

async function start(
  context: LocalContext,
  database: LocalDatabase,
  layout: Layout,
): Promise<StartedServer & { code?: number | null }> {
  const fresh: StartedServer & { code?: number | null } = await startServerInJail(
    context.tools,
    server(context.programs, layout, database.size ?? standardSize),
    database.user,
  )
  void fresh.ended.then((code) => {
    fresh.code = code
  })
  return fresh
}

/** A client of the role `watcher` that listens on the channel. Undefined where no server answers yet. */
async function connect(socketFolder: string): Promise<pg.Client | undefined> {
  const address: SocketAddress = { socketFolder, port: 5432, user: 'watcher', database: 'postgres' }
  const client = new pg.Client(clientConfig(address))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`listen ${roomChannel}`)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    if (!isDatabaseAway(error)) throw error
    return undefined
  }
}

const isStopping = async ({ data }: Layout): Promise<boolean> =>
  /\nstopping\s*$/.test(await readFile(path.join(data, 'postmaster.pid'), 'latin1').catch(() => ''))

/**
 * Kills the server without writing its data, which the next start recovers from its log. PostgreSQL 18 stays for good where it could not recover, on
 * a full disk for example: its first process waits for the one of checkpoints, which nobody tells to end.
 */
function kill(context: LocalContext, layout: Layout, withinMs = killMs): Promise<boolean> {
  return signalUntilFree(context, layout, withinMs, {
    // The process is the first of its namespace: with it the kernel ends all others there.
    async signal(pid) {
      signalIfThere(pid, 'SIGKILL')
      return true
    },
    onNoProcess: async () => true,
  })
}

/**
 * Ends the sessions of a server and writes its data, even if it is in use; after `withinMs` it is killed without writing. False where it still runs.
 */
export async function stop(
  context: LocalContext,
  { ref }: Pick<LocalDatabase, 'ref'>,
  withinMs = stopMs,
): Promise<boolean> {
  const layout = layoutOf(context.root, { ref })
  let mayAnnounce = true
  const hasStopped = await signalUntilFree(context, layout, withinMs, {
    async signal(pid) {
      signalIfThere(pid, 'SIGINT')
      return true
    },
    // The processes that use the database where it runs then give it back, and it is stopped there.
    async onNoProcess() {
      if (mayAnnounce) mayAnnounce = !(await endSessions(layout))
      return true
    },
  })
  if (hasStopped) return true
  context.log.warn({ ref }, 'PostgreSQL of a cloud does not write its data and is killed')
  return kill(context, layout)
}

/** Stops a server if nobody uses it. Also true where somebody does. */
export async function stopUnused(
  context: LocalContext,
  { ref }: Pick<LocalDatabase, 'ref'>,
): Promise<boolean> {
  let isUsed = false
  const ifUnused = async (act: () => void): Promise<boolean> => {
    isUsed = !(await context.claims.runIfUnused(ref, act))
    return !isUsed
  }
  const isStopped = await signalUntilFree(context, layoutOf(context.root, { ref }), quickStopMs, {
    signal: (pid) => ifUnused(() => signalIfThere(pid, 'SIGINT')),
    onNoProcess: () => ifUnused(() => undefined),
  })
  return isStopped || isUsed
}

/** Each returns false where the server is not to be stopped after all. */
interface StopHandlers {
  signal(pid: number): Promise<boolean>
  /** Called where no process is seen: the server just starts, or runs in another container. */
  onNoProcess(): Promise<boolean>
}

/** Signals each process of the server that is seen, and waits until all of them have left its lock. */
async function signalUntilFree(
  context: LocalContext,
  layout: Layout,
  withinMs: number,
  { signal, onNoProcess }: StopHandlers,
): Promise<boolean> {
  const deadline = performance.now() + withinMs
  for (let last: number | undefined; performance.now() < deadline; ) {
    const pid = await serverPid(layout)
    if (pid !== undefined && pid !== last && !(await signal(pid))) return false
    last = pid
    if (await isFree(context, layout)) return true
    if (pid === undefined && !(await onNoProcess())) return false
  }
  return false
}

/** Whether nothing of the server is left. */
async function isFree({ tools }: LocalContext, { folder, lockFile }: Layout): Promise<boolean> {
  if (!(await isThere(folder))) return true
  const held = await holdLock(tools, lockFile, lockSliceMs)
  await held?.[Symbol.asyncDispose]()
  return held !== undefined
}

/** Ends the sessions of all clients. False where no server answers. */
async function endSessions(layout: Layout): Promise<boolean> {
  await using socket = await openSocketFolder(layout)
  const client = await connect(socket.path)
  await client
    ?.query(
      `select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
        where backend_type operator(pg_catalog.=) 'client backend' and pid operator(pg_catalog.<>) pg_catalog.pg_backend_pid()`,
    )
    .catch(() => undefined)
  await client?.end().catch(() => undefined)
  return client !== undefined
}

/** The first process of a server, if it runs; never another process, of another database perhaps, that got the same number. */
export async function serverPid({ infoFile, data }: Layout): Promise<number | undefined> {
  const pid = await pidIn(infoFile)
  const folder = await stat(data).catch(() => undefined)
  if (pid === undefined || !folder) return undefined
  const standsIn = await stat(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => error.code)
  if (typeof standsIn === 'object')
    return standsIn.ino === folder.ino && standsIn.dev === folder.dev ? pid : undefined
  // Root with reduced capabilities, as in a container, may not see the folder; there each database has a user of its own.
  const isDenied = standsIn === 'EACCES' || standsIn === 'EPERM'
  return isDenied && (await stat(`/proc/${pid}`)).uid === folder.uid ? pid : undefined
}

const logTail = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8').catch(() => '')).slice(-1_000).trim()

const isThere = (place: string): Promise<boolean> =>
  access(place).then(
    () => true,
    () => false,
  )
