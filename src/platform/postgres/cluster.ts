import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { refuseStart } from '#platform/errors'
import { replaceFile } from '#platform/folders'
import { type Binaries, lastLine } from './binaries.ts'
import { type ClusterLocation, changeOwner } from './cluster-location.ts'
import { phrases } from './phrases.ts'
import { repairAccess, superuser } from './roles.ts'
import { runAs } from './server-user.ts'

/** Distinguishes incomplete folders of this process from those of a dead process that had the same pid. */
const processToken = randomBytes(4).toString('hex')
/** An incomplete folder older than this is abandoned, whatever its pid says, because no initdb takes this long. */
const abandonedMs = 10 * 60_000

/**
 * Kherad's default settings. They are in a file that is rewritten at every start, so that changes reach old clusters, while an operator's
 * own lines in postgresql.conf (below the include) and ALTER SYSTEM override them.
 */
const defaults = `# Written by Kherad at every start. Your own settings belong at the end of postgresql.conf.
max_connections = 200
shared_buffers = '128MB'
synchronous_commit = on
fsync = on
wal_compression = on
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_min_messages = warning
log_checkpoints = off
# Failed statements are the program's to log: here they would only fill the disk, and show data.
log_min_error_statement = panic
`

/** Creates the cluster if it is missing, deletes incomplete folders of dead processes, and writes the settings. */
export async function prepareCluster(
  location: ClusterLocation,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  await clearLeftovers(location.cluster)
  const version = await clusterVersion(location.cluster)
  if (version === undefined) await makeCluster(location, binaries, durable)
  else if (version !== binaries.major)
    refuseStart(phrases.otherMajor(location.cluster, version, binaries.major))
  await takeOver(location)
  await repairAccess(location)
  const file = path.join(location.cluster, 'kherad.conf')
  await replaceFile(file, defaults).catch((error: Error) =>
    refuseStart(phrases.fileFailed(file, error.message), error),
  )
}

/** Gives a cluster to the user of PostgreSQL: one that root restored from a backup belongs to root, but PostgreSQL must own it. */
async function takeOver({ cluster, user }: ClusterLocation): Promise<void> {
  if (!user || (await stat(cluster)).uid !== 0) return
  await runAs(undefined, 'chown', ['-R', `${user.uid}:${user.gid}`, cluster])
}

/** The major version of the cluster; undefined if there is none. */
async function clusterVersion(cluster: string): Promise<number | undefined> {
  const text = await readFile(path.join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (text !== undefined) return Number.parseInt(text, 10)
  const entries = await readdir(cluster).catch(() => [])
  if (entries.length > 0) refuseStart(phrases.notACluster(cluster))
  return undefined
}

/**
 * Creates the cluster. It gets its final name only when it is complete. Of two concurrent processes the first wins, and the other uses its result.
 */
async function makeCluster(location: ClusterLocation, binaries: Binaries, durable: boolean): Promise<void> {
  const making = `${location.cluster}.making-${process.pid}-${processToken}-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(making, { mode: 0o700 })
    await changeOwner(location.user, making)
    await runAs(location.user, binaries.initdb, initdbArgs(making, binaries.major, durable))
    await appendFile(
      path.join(making, 'postgresql.conf'),
      "\ninclude_if_exists = 'kherad.conf'\n# Your own settings:\n",
    )
    await rename(making, location.cluster).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    const { message } = error as Error
    if (/ENOSPC|No space left|EDQUOT|quota exceeded/i.test(message))
      refuseStart(phrases.diskFull(location.cluster), error)
    refuseStart(phrases.initdbFailed(location.cluster, lastLine(message)), error)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

function initdbArgs(folder: string, major: number, durable: boolean): string[] {
  const args = [
    '-D',
    folder,
    `--username=${superuser}`,
    // Only valid until the first start, which sets a password (roles.ts).
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
  ]
  // This collation is the same on every machine and correct for Persian; older versions only have byte order.
  if (major >= 17) args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  if (!durable) args.push('--no-sync')
  return args
}

async function clearLeftovers(cluster: string): Promise<void> {
  const prefix = `${path.basename(cluster)}.making-`
  const parent = path.dirname(cluster)
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const folder = path.join(parent, name)
    const [pid, maker] = name.slice(prefix.length).split('-')
    if (await isAbandoned(folder, Number(pid), maker)) await rm(folder, { recursive: true, force: true })
  }
}

async function isAbandoned(folder: string, pid: number, maker: string | undefined): Promise<boolean> {
  if (pid === process.pid) return maker !== processToken
  const about = await stat(folder).catch(() => undefined)
  if (about && Date.now() - about.ctimeMs > abandonedMs) return true
  return !isAlive(pid)
}

/** True if any process has this pid, including this one. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
