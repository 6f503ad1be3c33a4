import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { isAlive } from './cluster.ts'

/** The contents of postmaster.pid, which a running PostgreSQL writes. */
export interface Postmaster {
  pid: number
  /** The data folder of PostgreSQL, by the path with which it was started; in a copied folder this is the path of the original. */
  cluster: string
  port: number
  socketFolder: string
}

const run = promisify(execFile)
/** Larger than any pid of a kernel, and still a number that PostgreSQL reads. */
const unusedPid = 2_147_483_646

/** Only a part of the socket's name: PostgreSQL has no network address. */
export const socketPort = 5432
/** The setting in the command line of each PostgreSQL of Kherad that names its installation. */
export const identitySetting = 'kherad.installation'

const pidFile = (cluster: string) => path.join(cluster, 'postmaster.pid')

/** Reads the file; undefined if it is absent or not completely written yet. The process may have ended long ago. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(pidFile(cluster), 'utf8').catch(() => '')
  const [pid, writtenAt = '', , port, socketFolder] = text.split('\n')
  if (!Number(pid) || !Number(port) || !socketFolder) return undefined
  return { pid: Number(pid), cluster: writtenAt, port: Number(port), socketFolder }
}

/** Reads the lock file beside a socket: which process listens there, on which data folder. Its first lines are those of postmaster.pid. */
export async function readSocketLock({
  socketFolder,
  port,
}: Pick<Postmaster, 'socketFolder' | 'port'>): Promise<{ pid: number; cluster: string } | undefined> {
  const text = await readFile(lockFile(socketFolder, port), 'utf8').catch(() => '')
  const [pid, cluster = ''] = text.split('\n')
  return Number(pid) ? { pid: Number(pid), cluster } : undefined
}

const lockFile = (socketFolder: string, port: number) => path.join(socketFolder, `.s.PGSQL.${port}.lock`)

/** True if a running PostgreSQL of another data folder listens at the socket: then nothing there may be touched. */
export async function isOthersSocket(
  at: Pick<Postmaster, 'socketFolder' | 'port'>,
  cluster: string,
): Promise<boolean> {
  const lock = await readSocketLock(at)
  return lock !== undefined && !(await runsCluster(lock.pid, cluster)) && runsCluster(lock.pid, lock.cluster)
}

/** True if the process is the PostgreSQL of this cluster, and not another program that got its pid. */
export async function runsCluster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  const place = await realpath(cluster).catch(() => cluster)
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }))
    return stdout.includes('postgres') && (stdout.includes(place) || stdout.includes(cluster))
  }
  const [program = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  if (!path.basename(program).startsWith('postgres')) return false
  // The working folder of PostgreSQL is its data folder from before it writes the file until its end. But root with reduced capabilities, as in a
  // container, may not see the working folder of another user's process.
  const workingFolder = await stat(`/proc/${pid}/cwd`).catch(() => undefined)
  if (workingFolder === undefined) return args.includes(place) || args.includes(cluster)
  // The folders are compared by device and inode, as PostgreSQL itself does: one folder may have several paths (mounts, links), and a copy has its
  // own inode.
  const folder = await stat(place).catch(() => undefined)
  return folder !== undefined && folder.dev === workingFolder.dev && folder.ino === workingFolder.ino
}

/** True if the process has ended, or is a zombie that its parent has not reaped. */
export async function hasEnded(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return true
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) [ZX] /.test(stat)
}

/**
 * Invalidates a stale pid file and the lock beside its socket. PostgreSQL refuses to start while they name a living process of its user, even another
 * program. The files are not deleted: from their other lines PostgreSQL finds children of the dead postmaster that still use the data, and waits for
 * them. In a copied folder the file names the PostgreSQL of the original, whose socket and lock stay as they are.
 */
export async function clearStalePid(cluster: string, stale: Postmaster): Promise<void> {
  if (!isAlive(stale.pid) || (await runsCluster(stale.pid, cluster))) return
  const files = [pidFile(cluster)]
  if (!(await isOthersSocket(stale, cluster))) files.push(lockFile(stale.socketFolder, stale.port))
  for (const file of files) {
    const [pid, ...rest] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
    if (Number(pid) === stale.pid) await writeFile(file, [unusedPid, ...rest].join('\n'))
  }
}

/**
 * Ends children of a dead postmaster that have not noticed its end, such as one in a long query: the data cannot be opened before they have ended.
 * Their uncommitted work is lost with the postmaster anyway.
 */
export async function endOrphans(cluster: string): Promise<void> {
  if (process.platform !== 'linux') return
  const place = await realpath(cluster)
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!pid || (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) !== place) continue
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0)
    const isServer = /^Name:\s*postgres/m.test(status) && !(await runsCluster(parent, cluster))
    // The parent of the postmaster itself is not a postmaster either: it is this process, or the process that adopted it.
    if (isServer && !(await isPostmaster(pid, place))) process.kill(pid, 'SIGQUIT')
  }
}

/** Whether the process is a postmaster: children change their command line to show what they do, while the postmaster keeps its own. */
async function isPostmaster(pid: number, place: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return commandLine.split('\0').includes(place)
}
