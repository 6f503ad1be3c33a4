import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { startEmbedded } from '#platform/postgres'
import { fastRoot } from '../../harness/fast-root.ts'

export const amRoot = process.getuid?.() === 0
export const quiet = { info() {}, warn() {} }
/** The kernel keeps what a killed process wrote; only a power cut would need more. */
export const fast = { fsync: 'off', shared_buffers: '16MB' }

export interface Folder extends AsyncDisposable {
  path: string
}

/** A folder that goes away at the end. */
export async function temporaryFolder(name = '', mode = 0o711): Promise<Folder> {
  const folder = await mkdtemp(path.join(fastRoot, `kherad-db-${name}`))
  await chmod(folder, mode)
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** A data folder of a cluster that was made and stopped: a copy of one that all tests of this process share. */
export async function stoppedCluster(): Promise<Folder> {
  snapshot ??= makeSnapshot()
  const folder = await temporaryFolder()
  // With its owners: as root, PostgreSQL runs as another user.
  await promisify(execFile)('cp', ['-a', `${await snapshot}/.`, folder.path])
  return folder
}

let snapshot: Promise<string> | undefined

async function makeSnapshot(): Promise<string> {
  const dataDir = await mkdtemp(path.join(inject('scratch'), 'cluster-'))
  await chmod(dataDir, 0o711)
  await (await startEmbedded({ dataDir, log: quiet, settings: fast }))[Symbol.asyncDispose]()
  await rm(path.join(dataDir, 'postgres.log'))
  return dataDir
}

export interface Owner extends AsyncDisposable {
  pid: number
  url: string
  refused: string
  /** Lets it end as a program should. */
  leave(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
}

/** Starts `postgres-owner.ts` and waits for its line. */
export async function startOwner(
  dataDir: string,
  {
    user = {},
    script = path.resolve(import.meta.dirname, '../../harness/postgres-owner.ts'),
  }: { user?: { uid?: number; gid?: number }; script?: string } = {},
): Promise<Owner> {
  const settings = Object.entries(fast).map(([name, value]) => `${name}=${value}`)
  const child = spawn(process.execPath, [script, dataDir, ...settings], {
    ...user,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line: { url?: string; refused?: string } = JSON.parse(await firstLine(child))
  const gone = child.exitCode === null ? once(child, 'exit') : Promise.resolve()
  const leave = async () => {
    child.stdin.end()
    await gone
  }
  return {
    pid: child.pid ?? 0,
    url: line.url ?? '',
    refused: line.refused ?? '',
    leave,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    [Symbol.asyncDispose]: leave,
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout) for await (const line of createInterface(child.stdout)) return line
  throw new Error('The owner said nothing.')
}

/** The process number in postmaster.pid; 0 when PostgreSQL does not run. */
export async function postmasterPid(cluster: string): Promise<number> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '0')
  return Number(text.split('\n')[0])
}

/** True while the process runs; one that ended and was not waited for by its parent counts as gone. */
export async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat !== undefined) return !/\) Z /.test(stat)
  try {
    return process.platform !== 'linux' && process.kill(pid, 0)
  } catch {
    return false
  }
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20)
}

/** One statement on a connection of its own. */
export async function ask<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
