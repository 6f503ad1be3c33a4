import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DbLog } from '#platform/db'
import { refuseStart } from '#platform/errors'
import { type Binaries, lastLine } from './binaries.ts'
import type { ClusterLocation } from './cluster-location.ts'
import { phrases } from './phrases.ts'
import {
  clearStalePid,
  endOrphans,
  identitySetting,
  type Postmaster,
  readPostmaster,
  runsCluster,
  socketPort,
} from './postmaster.ts'
import { killServer, type ServerProcess, startServer, stopServer } from './server-process.ts'
import { connectAsUser, type ServerUse, stopMs, type UnusableReason } from './server-use.ts'
import { openSocketFolder, removeSocketFolder, type SocketFolder } from './socket-folder.ts'

/** Everything that is decided before PostgreSQL is started. */
export interface Plan {
  location: ClusterLocation
  binaries: Binaries
  settings: Readonly<Record<string, string>>
  /** The id of the installation, as other processes can read it in the command line of the server. */
  identity: string | undefined
  log: DbLog
}

/** One attempt to start PostgreSQL. */
interface Attempt {
  process: ServerProcess
  socket: SocketFolder
}

const readyMs = 60_000
/** A postmaster records its socket only once it exists; a server whose socket does not answer for this long counts as unreachable. */
const deafMs = 1_000
const orphansLeft = /pre-existing shared memory block/

/** Connects to PostgreSQL or starts it. Repeats until PostgreSQL answers: another process may be starting or stopping it at the same time. */
export async function connectOrStart(plan: Plan, stop?: AbortSignal): Promise<ServerUse> {
  const { location, log } = plan
  const deadline = Date.now() + readyMs
  let server: Attempt | undefined
  let deafSince: number | undefined
  while (Date.now() < deadline) {
    // A start that has begun is completed, so that somebody uses the server and will stop it.
    if (server === undefined) stop?.throwIfAborted()
    const postmaster = await readPostmaster(location.cluster)
    if (postmaster && (await runsCluster(postmaster.pid, location.cluster))) {
      const use = await connectAsUser(location, postmaster, log).catch((error: Error) =>
        refuseAttempt(plan, error.message),
      )
      if (typeof use === 'object') return use
      deafSince = use === 'busy' ? undefined : (deafSince ?? Date.now())
      if (deafSince !== undefined && Date.now() - deafSince > deafMs) await endUnreachable(plan, use)
    } else if (server === undefined) {
      server = await start(plan, postmaster)
    } else if (server.process.ended !== undefined) {
      await handleFailedStart(plan, server)
      server = undefined
    }
    await pause(50)
  }
  refuseStart(phrases.notReady(location.logFile, readyMs / 1000))
}

/**
 * Ends a server that nobody can reach any more. If it shut down, it would delete the socket at its address, which may be another server's by now;
 * then it is killed.
 */
async function endUnreachable({ location }: Plan, why: UnusableReason): Promise<void> {
  if (why === 'elsewhere') await killServer(location)
  else await stopServer(location, stopMs)
}

async function start(
  { location, binaries, settings, identity }: Plan,
  stale: Postmaster | undefined,
): Promise<Attempt> {
  if (stale) await clearStalePid(location.cluster, stale)
  const socket = await openSocketFolder(location, stale)
  const own = {
    // The name is new at each start, so that connections can recognise their server by it.
    cluster_name: `kherad-${randomBytes(8).toString('hex')}`,
    ...(identity !== undefined && { [identitySetting]: identity }),
  }
  return { socket, process: await startServer(location, binaries, socket.path, { ...settings, ...own }) }
}

/** Prepares for another attempt, or gives up with the reason. */
async function handleFailedStart(plan: Plan, { process: { ended = '' }, socket }: Attempt): Promise<void> {
  // A reused folder may be in use by another process that started PostgreSQL first.
  if (socket.fresh) await removeSocketFolder(plan.location, { socketFolder: socket.path, port: socketPort })
  if (!isTransient(ended)) refuseAttempt(plan, ended)
  if (orphansLeft.test(ended)) await endOrphans(plan.location.cluster)
}

/** Whether another attempt may succeed: another process started PostgreSQL first, or children of a killed postmaster are still running. */
const isTransient = (message: string): boolean =>
  /lock file "postmaster\.pid" (already exists|is empty)|^\s*$/.test(message) || orphansLeft.test(message)

function refuseAttempt({ location }: Plan, message: string): never {
  if (/No space left on device|Disk quota exceeded/.test(message))
    refuseStart(phrases.diskFull(location.cluster))
  const fatal = message.split('\n').findLast((line) => /(FATAL|PANIC):/.test(line)) ?? lastLine(message)
  refuseStart(phrases.startFailed(location.logFile, fatal.replace(/^.*?(FATAL|PANIC):\s*/, '')))
}
