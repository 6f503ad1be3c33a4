import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, writeFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { bubblewrapWords } from './bubblewrap.ts'
import { type Architecture, seccompFilter } from './seccomp.ts'
import type { JailTools } from './start.ts'

/** A server that keeps data, such as PostgreSQL, in a jail without a network. */
export interface JailedServer {
  /** Where it stands within. */
  program: string
  args: readonly string[]
  environment?: Readonly<Record<string, string>>
  /** What it needs of the system, at the same places in the jail. */
  libraries: readonly string[]
  readable: readonly { from: string; to: string }[]
  writable: readonly { from: string; to: string }[]
  memory?: readonly { to: string; bytes: number }[]
  /** Bytes of data of each of its processes, by RLIMIT_DATA. */
  dataBytes: number
  /** Held where this server is root, so that the user of the processes is its own. */
  processes: number
  /** Is read from as its standard input; nothing where absent. */
  inputFile?: string
  /** Is written to: what it writes, and what bubblewrap says of it. */
  logFile: string
  infoFile: string
  /** Locked while anything of it lives, so that it never runs twice, from whatever process it is started. */
  lockFile: string
}

export interface StartedServer {
  /** Resolves when it has ended, or was not started because it runs already. */
  readonly ended: Promise<number | null>
}

/** Of the lock file: another one holds it. */
export const isRunningAlready = 75

/** Starts it so that it outlives this process, which may be one of many that use it. */
export async function startServerInJail(
  tools: JailTools,
  server: JailedServer,
  user: number | undefined,
): Promise<StartedServer> {
  await using opened = new AsyncDisposableStack()
  const log = opened.use(await open(server.logFile, 'a', 0o600))
  const input = server.inputFile === undefined ? undefined : opened.use(await open(server.inputFile, 'r'))
  const words = [
    ...['--no-fork', '--nonblock', '--conflict-exit-code', String(isRunningAlready), server.lockFile],
    ...onceLocked(server.infoFile),
    ...[tools.prlimit, `--data=${server.dataBytes}`, '--core=0', '--nofile=1024'],
    ...jailWords(tools, server, user),
  ]
  const child = spawn(tools.flock, words, {
    cwd: '/',
    env: {},
    detached: true,
    // The fifth keeps its place for bubblewrap: flock would open the lock there, and whoever replaces it loses the lock.
    stdio: [input?.fd ?? 'ignore', log.fd, log.fd, 'pipe', log.fd],
  })
  const ended = once(child, 'exit').then(
    ([code]) => code as number | null,
    () => null,
  )
  child.unref()
  if (child.pid === undefined) return { ended }
  const filter = child.stdio[3] as Duplex
  filter.on('error', () => {})
  filter.end(seccompFilter(process.arch as Architecture, 'server'))
  return { ended }
}

/**
 * Only who has the lock may write over what the file says of the server that runs. Descriptor 4 is bubblewrap's, which writes to it in
 * place: on a full disk it would fail otherwise, and leave a process that waits for good and holds the lock.
 */
const onceLocked = (infoFile: string): string[] => ['/bin/sh', '-c', 'umask 077; exec "$@" 4<>"$0"', infoFile]

/** More than bubblewrap writes. */
const infoBytes = 1024

/** Room for it, taken while there is some. */
export const reserveInfo = (infoFile: string): Promise<void> =>
  writeFile(infoFile, ' '.repeat(infoBytes), { mode: 0o600 })

/** The process that the file of a server names; it may have ended long ago. */
export async function pidIn(infoFile: string): Promise<number | undefined> {
  const pid = /"child-pid"\s*:\s*(\d+)/.exec(await readFile(infoFile, 'latin1').catch(() => ''))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

function jailWords(tools: JailTools, server: JailedServer, user: number | undefined): string[] {
  const { environment = {}, libraries, readable, writable, memory, program, args } = server
  const own = [
    ...libraries,
    ...(user === undefined ? [] : [tools.setpriv, tools.prlimit, ...tools.libraries]),
  ]
  const view = {
    readable: [...[...new Set(own)].map((place) => ({ from: place, to: place })), ...readable],
    writable,
    files: [],
    ...(memory && { memory }),
  }
  const descriptors = { filter: 3, info: 4 }
  return [
    tools.bwrap,
    ...bubblewrapWords(view, user === undefined ? 'user' : 'root', descriptors, { outlivesUs: true }),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
    ...(user === undefined ? [] : leaveRoot(tools, user, server.processes)),
    program,
    ...args,
  ]
}

const leaveRoot = ({ prlimit, setpriv }: JailTools, user: number, processes: number): string[] => [
  ...[prlimit, `--nproc=${processes}`],
  ...[setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--'],
]
