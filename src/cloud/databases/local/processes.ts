/** The processes of one server of PostgreSQL, as this machine sees them. */
import { readFileSync } from 'node:fs'
import { pageBytes } from '#platform/jail'

export interface ServerProcess {
  pid: number
  /** The memory that it shares with no other process. */
  ownBytes: number
  /** Whether it serves a client that is connected, and may be ended alone. */
  servesClient: boolean
}

/** The processes of a server that exist; reading one takes some ten microseconds. */
export function processesOf(postmaster: number): ServerProcess[] {
  const children = readOr(`/proc/${postmaster}/task/${postmaster}/children`, '').split(' ')
  return [postmaster, ...children.filter(Boolean).map(Number)].map((pid) => {
    const [, resident = 0, shared = 0] = readOr(`/proc/${pid}/statm`, '0 0 0').split(' ').map(Number)
    // PostgreSQL names what each does: "postgres: authenticator postgres [local] SELECT".
    const servesClient = readOr(`/proc/${pid}/cmdline`, '').includes(' [local] ')
    return { pid, ownBytes: (resident - shared) * pageBytes(), servesClient }
  })
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process has ended.
    return otherwise
  }
}

export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
