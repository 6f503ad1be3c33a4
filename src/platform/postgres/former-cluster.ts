/** What a data folder records about the PostgreSQL that ran on it, and which servers of an installation are running on this machine. */
import { execFile } from 'node:child_process'
import { open, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { identitySetting, runsCluster } from './postmaster.ts'

const run = promisify(execFile)
/** The length of the system identifier at the beginning of pg_control, which initdb makes and every copy keeps. */
const identifierBytes = 8

/** The path with which the cluster was last started, as PostgreSQL records it; undefined if it was never started. */
export async function formerCluster(cluster: string): Promise<string | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.opts'), 'utf8').catch(() => '')
  return / "-D" "([^"]+)"/.exec(text)?.[1]
}

/** Whether both folders contain the cluster that one initdb made. */
export async function isSameCluster(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([systemIdentifier(one), systemIdentifier(other)])
  return first !== undefined && second !== undefined && first.equals(second)
}

async function systemIdentifier(cluster: string): Promise<Buffer | undefined> {
  const file = await open(path.join(cluster, 'global', 'pg_control'), 'r').catch(() => undefined)
  if (!file) return undefined
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(identifierBytes), 0, identifierBytes, 0)
    return bytesRead === identifierBytes ? buffer : undefined
  } finally {
    await file.close()
  }
}

/** Whether a PostgreSQL of the installation runs on this machine on a data folder other than `cluster`. */
export async function isServedElsewhere(identity: string, cluster: string): Promise<boolean> {
  const setting = `${identitySetting}=${identity}`
  for (const pid of await pidsWith(setting)) if (!(await runsCluster(pid, cluster))) return true
  return false
}

/** The processes with this word in their command line; a server's children have another. */
async function pidsWith(word: string): Promise<number[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-axww', '-o', 'pid=,command=']).catch(() => ({ stdout: '' }))
    return stdout
      .split('\n')
      .filter((line) => line.includes(word))
      .map((line) => Number.parseInt(line, 10))
  }
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!Number(name)) continue
    const commandLine = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (commandLine.split('\0').includes(word)) found.push(Number(name))
  }
  return found
}
