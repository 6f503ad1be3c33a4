/**
 * The processes of connections to the PostgreSQL of a data folder. They run on this machine, and as a user whose processes Kherad may slow down.
 * Processes of a database elsewhere are excluded: their ids mean other processes here.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import type { SocketAddress } from '#platform/db'
import { clusterOf } from './cluster-location.ts'
import { type Postmaster, readPostmaster } from './postmaster.ts'

/** With this priority a process gets a tenth of the time on a contended processor that one of the usual priority gets. */
const lowPriority = 10

/**
 * Returns a function that gives the process of a connection, by its pid, a lower priority than everybody else's; undefined if the database at the
 * address is not that of the data folder, or the system is not Linux.
 */
export async function lowerOwnBackends(
  dataDir: string,
  address: string | SocketAddress,
): Promise<((pid: number) => Promise<void>) | undefined> {
  if (process.platform !== 'linux') return undefined
  const cluster = await clusterOf(dataDir)
  const postmaster = await readPostmaster(cluster)
  if (!postmaster || !isAt(postmaster, address)) return undefined
  // The postmaster is read each time, because it is another process after a restart.
  return async (pid) => lower(pid, await readPostmaster(cluster))
}

function isAt({ socketFolder, port }: Postmaster, address: string | SocketAddress): boolean {
  if (typeof address !== 'string') return address.socketFolder === socketFolder && address.port === port
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.searchParams.get('host') === socketFolder && Number(url.port) === port
}

async function lower(pid: number, postmaster: Postmaster | undefined): Promise<void> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    if (Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) !== postmaster?.pid) return
    setPriority(pid, lowPriority)
    // If the kernel groups processes by session, only the priorities of groups are compared, and each connection has a session of its own.
    await writeFile(`/proc/${pid}/autogroup`, String(lowPriority))
  } catch {
    // The process has ended, or this system does not allow the change.
  }
}
