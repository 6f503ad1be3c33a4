import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { Localized } from '#platform/errors'
import type { Log } from '#platform/log'
import type { JailState } from './jail.ts'
import { librariesOf } from './libraries.ts'
import { refusals } from './phrases.ts'
import { type JailedProcess, type JailTools, startJailed } from './start.ts'
import { openUsers } from './users.ts'

const probe = path.join(import.meta.dirname, 'self-test-process.ts')
const packageFile = path.resolve(import.meta.dirname, '../../../package.json')

const timeoutMs = 20_000

/**
 * Finds the tools that build jails, builds one, and lets a program try to break out of it: what a system reports about itself is not trusted. A test
 * that did not end properly refuses, too.
 */
export async function selfTest(log: Log): Promise<JailState> {
  if (process.platform !== 'linux') return refused(refusals.otherSystem(process.platform))
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    return refused(refusals.otherProcessor(process.arch))
  try {
    const tools = await findTools()
    if ('en' in tools) return refused(tools)
    const { why, said } = await tryToBreakOut(tools)
    if (why === undefined) return { kind: 'jailed', tools }
    log.error({ why: why.en, said }, 'no jail holds here')
    return refused(why)
  } catch (error) {
    log.error({ err: error }, 'the test of the jail failed')
    return refused(refusals.silent)
  }
}

const refused = (why: Localized): JailState => ({ kind: 'refused', why, isSure: why !== refusals.silent })

const programFolders = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
]

async function findTools(): Promise<JailTools | Localized> {
  const place = (name: string): string | undefined =>
    programFolders.map((folder) => path.join(folder, name)).find((candidate) => existsSync(candidate))
  const [bwrap, prlimit, setpriv, unshare, flock] = ['bwrap', 'prlimit', 'setpriv', 'unshare', 'flock'].map(
    place,
  )
  if (bwrap === undefined) return refusals.noTool('bwrap', 'bubblewrap')
  if (prlimit === undefined) return refusals.noTool('prlimit', 'util-linux')
  if (setpriv === undefined) return refusals.noTool('setpriv', 'util-linux')
  if (unshare === undefined) return refusals.noTool('unshare', 'util-linux')
  if (flock === undefined) return refusals.noTool('flock', 'util-linux')
  if (!existsSync('/usr/bin/ldd') && !existsSync('/bin/ldd')) return refusals.noTool('ldd', 'libc-bin')
  const libraries = (await Promise.all([prlimit, setpriv].map(librariesOf))).flat()
  return { bwrap, prlimit, setpriv, unshare, flock, libraries }
}

interface BreakoutVerdict {
  /** The reason for a refusal; undefined if the jail holds. */
  why?: Localized
  said?: string
}

async function tryToBreakOut(tools: JailTools): Promise<BreakoutVerdict> {
  await using outside = await openForbiddenTargets()
  using signals = listenForSignals()
  using user = openUsers().take()
  const started = await startJailed(
    tools,
    {
      program: process.execPath,
      libraries: await librariesOf(process.execPath),
      args: [
        '--no-warnings',
        '--max-old-space-size=64',
        '/probe.ts',
        String(outside.port),
        outside.socket,
        String(process.pid),
        outside.file,
      ],
      readable: [
        { from: probe, to: '/probe.ts' },
        { from: packageFile, to: '/package.json' },
      ],
      // The address space that Node reserves for code, and the memory that it needs.
      dataBytes: 900_000_000,
      threads: 64,
    },
    user.id,
  )
  const timer = setTimeout(() => started.kill(), timeoutMs)
  const saying = text(started.stderr).catch(() => '')
  const outsideLeaks = started.pid === undefined ? ['process'] : await unisolatedNamespaces(started.pid)
  const out = await firstLine(started.stdout)
  // The program waits to be killed: on a busy machine it could otherwise be gone before it was inspected.
  started.kill()
  const [said] = await Promise.all([saying, started.ended])
  clearTimeout(timer)
  if (await signals.arrived()) outsideLeaks.push('signal')
  return { ...verdictOf(started, out, outsideLeaks, said), said: said.slice(-2_000) }
}

/** The first line; empty if the output ends before. */
async function firstLine(output: AsyncIterable<Buffer | string>): Promise<string> {
  let read = ''
  for await (const chunk of output) {
    read += String(chunk)
    const end = read.indexOf('\n')
    if (end >= 0) return read.slice(0, end)
    if (read.length > maxLineLength) break
  }
  return ''
}

const maxLineLength = 1_000

function verdictOf(
  started: JailedProcess,
  out: string,
  outsideLeaks: string[],
  said: string,
): BreakoutVerdict {
  if (/namespace|uid map|RTM_NEW|Operation not permitted|Permission denied/i.test(said) && out === '')
    return { why: isContainer() ? refusals.inContainer : refusals.noNamespaces }
  if (started.pid === undefined || out === '') return { why: refusals.silent }
  const could = [...(JSON.parse(out) as string[]), ...outsideLeaks]
  return could.length === 0 ? {} : { why: refusals.leaks(could.join(', ')) }
}

/** Listens for SIGURG, which only the probe sends. */
function listenForSignals(): { arrived(): Promise<boolean> } & Disposable {
  let hasArrived = false
  const listener = (): void => {
    hasArrived = true
  }
  process.on('SIGURG', listener)
  return {
    async arrived() {
      // A signal that was sent while the probe ran is delivered within this turn of the event loop.
      await setImmediate()
      return hasArrived
    },
    [Symbol.dispose]: () => void process.off('SIGURG', listener),
  }
}

/** Checks the process in the jail from outside: returns the names of everything that is not isolated. */
async function unisolatedNamespaces(pid: number): Promise<string[]> {
  const wrong: string[] = []
  for (const name of ['net', 'pid', 'mnt', 'ipc', 'uts']) {
    const [own, its] = await Promise.all(
      ['self', pid].map((who) => readlink(`/proc/${who}/ns/${name}`).catch(() => '')),
    )
    // If the process has changed to another user, even root may be unable to read this; then the probe alone decides.
    if (its !== '' && its === own) wrong.push(`${name} namespace`)
  }
  return wrong
}

const isContainer = (): boolean =>
  ['/.dockerenv', '/run/.containerenv'].some((place) => existsSync(place)) ||
  /docker|kubepods|containerd|libpod|lxc/.test(readOr('/proc/1/cgroup'))

function readOr(place: string): string {
  try {
    return readFileSync(place, 'utf8')
  } catch {
    return ''
  }
}

const prefix = 'kherad-jail-'
/** No test takes this long. */
const abandonedMs = 60 * 60 * 1000

/** Deletes the folders of servers that were killed during their test. */
async function sweepFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix)) continue
    const folder = path.join(tmpdir(), name)
    const about = await stat(folder).catch(() => undefined)
    if (about?.uid !== process.getuid?.() || Date.now() - (about?.mtimeMs ?? 0) < abandonedMs) continue
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Opens what a program in a jail must not reach: a port and a socket of this machine, and a file of this server. */
async function openForbiddenTargets(): Promise<
  { port: number; socket: string; file: string } & AsyncDisposable
> {
  await using opening = new AsyncDisposableStack()
  await sweepFolders()
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'secret')
  await writeFile(file, 'x', { mode: 0o600 })
  const tcp = opening.use(createServer((line) => line.destroy()).listen(0, '127.0.0.1'))
  const socket = path.join(folder, 'socket')
  const unix = opening.use(createServer((line) => line.destroy()).listen(socket))
  await Promise.all([tcp, unix].map((server) => (server.listening ? undefined : once(server, 'listening'))))
  const open = opening.move()
  const { port } = tcp.address() as { port: number }
  return { port, socket, file, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
