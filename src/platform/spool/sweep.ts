import { readlinkSync } from 'node:fs'
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'

const beatEveryMs = 5 * 60_000
/** Of a folder of another machine or container on a disk that both share, whose processes cannot be asked for from here. */
const silentMs = 60 * 60_000

/** Names a process for good: its machine, its number, and when it began, since numbers are given again. */
export async function processName(): Promise<string> {
  return `${hostName()}~${process.pid}~${await startTimeOf(process.pid)}`
}

/** The machine, and on Linux whose numbers of processes it counts in: containers of one host name may have numbers of their own. */
const hostName = (): string => `${hostname()}-${pidNamespace()}`.replaceAll(/[^\w.-]/g, '_')

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Clock ticks since the start of the machine; '0' where the system does not tell, undefined where there is no such process. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  const statText = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  // Behind the program's name, which may hold anything, come 20 fields of which the last is the 22nd of all.
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

/** Deletes the folders of processes that are gone, and keeps the own one known as alive until it is disposed. */
export async function sweep(folder: string, own: string): Promise<Disposable> {
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name)
    if (await isAbandoned(name, place)) await rm(place, { recursive: true, force: true })
  }
  const beat = () => {
    const now = new Date()
    // It is made when the first file comes.
    utimes(own, now, now).catch(() => {})
  }
  const timer = setInterval(beat, beatEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Whether what lies at the place, under a name that begins as `processName` has it, was left by a process that is gone. */
export async function isAbandoned(name: string, place: string): Promise<boolean> {
  const [host, pid, began] = name.split('~')
  if (host === hostName()) return (await startTimeOf(Number(pid))) !== began
  const seen = await stat(place).catch(() => undefined)
  return seen !== undefined && seen.mtimeMs < Date.now() - silentMs
}
