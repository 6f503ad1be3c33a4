/** What a data folder says of the PostgreSQL that ran on it, and which servers of an installation are alive on this machine. */
import { execFile } from 'node:child_process'
import { open, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { identitySetting, runsCluster } from './postmaster.ts'

const run = promisify(execFile)
/** The first bytes of pg_control: the system identifier, which initdb makes and every copy keeps. */
const identifierBytes = 8

/** The path by which the cluster was started last, as PostgreSQL notes it; undefined where it never was. */
export async function formerCluster(cluster: string): Promise<string | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.opts'), 'utf8').catch(() => '')
  return / "-D" "([^"]+)"/.exec(text)?.[1]
}

/** Whether both folders hold the cluster that one initdb made. */
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

/** Whether a PostgreSQL of the installation runs here on another data folder than `cluster`. */
export async function isServedElsewhere(identity: string, cluster: string): Promise<boolean> {
  const setting = `${identitySetting}=${identity}`
  for (const pid of await pidsWith(setting)) if (!(await runsCluster(pid, cluster))) return true
  return false
}

/** Children of a server have another command line. */
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
