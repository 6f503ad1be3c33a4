import { readlinkSync } from 'node:fs'
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { repetitions, systemClock } from '#platform/clock'

const beatEveryMs = 5 * 60_000
/** The age at which a folder of another machine or container counts as abandoned; its processes cannot be checked from here. */
const silentMs = 60 * 60_000

/** Identifies a process uniquely: machine, pid and start time, since pids are reused. */
export async function processName(): Promise<string> {
  return `${hostName()}~${process.pid}~${await startTimeOf(process.pid)}`
}

/** The machine, and on Linux its pid namespace: containers with one host name may have their own. */
const hostName = (): string => `${hostname()}-${pidNamespace()}`.replaceAll(/[^\w.-]/g, '_')

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** The start time in clock ticks since boot; '0' if the system does not report it, undefined if there is no such process. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  const statText = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  // After the program's name, which may contain anything, the start time is the 20th field (the 22nd of all).
  if (statText !== undefined) return statText.slice(statText.lastIndexOf(')') + 2).split(' ')[19]
  return isAlive(pid) ? '0' : undefined
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Deletes the folders of dead processes, and marks `own` as alive until disposed. */
export async function sweep(folder: string, own: string): Promise<Disposable> {
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name)
    if (await isAbandoned(name, place)) await rm(place, { recursive: true, force: true })
  }
  const beats = repetitions.every(beatEveryMs, 'heartbeat of the spool', () => {
    const now = new Date(systemClock.nowMs())
    // The folder is created with the first file, so it may be missing.
    return utimes(own, now, now).catch(() => {})
  })
  return { [Symbol.dispose]: () => void beats.stop() }
}

/** Whether a path, whose name was made by `processName`, was left by a dead process. */
export async function isAbandoned(name: string, place: string): Promise<boolean> {
  const [host, pid, began] = name.split('~')
  if (host === hostName()) return (await startTimeOf(Number(pid))) !== began
  const seen = await stat(place).catch(() => undefined)
  return seen !== undefined && seen.mtimeMs < systemClock.nowMs() - silentMs
}
