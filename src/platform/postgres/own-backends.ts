/**
 * The processes of connections to the PostgreSQL of a data folder, which run on this machine and as a user whose processes we may slow
 * down. Those of a database elsewhere are none of ours: their numbers mean other processes here.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import type { SocketAddress } from '#platform/db'
import { clusterOf } from './cluster-location.ts'
import { type Postmaster, readPostmaster } from './postmaster.ts'

/** Ten times less of a contended processor than a process of the usual priority has. */
const lowPriority = 10

/**
 * A function that lets everybody else's process run before the one of a connection, given its pid; undefined where the database at the
 * address is not the one of the data folder, or the system is not Linux.
 */
export async function lowerOwnBackends(
  dataDir: string,
  address: string | SocketAddress,
): Promise<((pid: number) => Promise<void>) | undefined> {
  if (process.platform !== 'linux') return undefined
  const cluster = await clusterOf(dataDir)
  const postmaster = await readPostmaster(cluster)
  if (!postmaster || !isAt(postmaster, address)) return undefined
  // The postmaster is another process after it was restarted.
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
    // Where the kernel groups processes by session, and each connection has one of its own, only the group's priority is compared with others.
    await writeFile(`/proc/${pid}/autogroup`, String(lowPriority))
  } catch {
    // It has ended, or this system does not let us.
  }
}
