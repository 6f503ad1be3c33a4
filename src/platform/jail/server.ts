import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, writeFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { bubblewrapArgs } from './bubblewrap.ts'
import { type Architecture, seccompFilter } from './seccomp.ts'
import type { JailTools } from './start.ts'

/** A server that keeps data, such as PostgreSQL, in a jail without a network. */
export interface JailedServer {
  /** The path of the program in the jail. */
  program: string
  args: readonly string[]
  environment?: Readonly<Record<string, string>>
  /** The system files that it needs, at the same paths in the jail. */
  libraries: readonly string[]
  readable: readonly { from: string; to: string }[]
  writable: readonly { from: string; to: string }[]
  memory?: readonly { to: string; bytes: number }[]
  /** The maximum bytes of data of each of its processes, by RLIMIT_DATA. */
  dataBytes: number
  /** The maximum number of processes. It is enforced if this server is root, because only then the processes have a user of their own. */
  processes: number
  /** The file that it reads as its standard input; if absent, the input is empty. */
  inputFile?: string
  /** The files that are written: its output, and bubblewrap's information about it. */
  logFile: string
  infoFile: string
  /** Locked while any process of the server lives, so that it never runs twice, whichever process starts it. */
  lockFile: string
}

export interface StartedServer {
  /** Resolves when the server has ended, or was not started because it is already running. */
  readonly ended: Promise<number | null>
}

/** The exit code of flock when another process holds the lock. */
export const alreadyRunningExitCode = 75

/** Starts the server so that it outlives this process, which may be one of many that use it. */
export async function startServerInJail(
  tools: JailTools,
  server: JailedServer,
  user: number | undefined,
): Promise<StartedServer> {
  await using opened = new AsyncDisposableStack()
  const log = opened.use(await open(server.logFile, 'a', 0o600))
  const input = server.inputFile === undefined ? undefined : opened.use(await open(server.inputFile, 'r'))
  const words = [
    ...['--no-fork', '--nonblock', '--conflict-exit-code', String(alreadyRunningExitCode), server.lockFile],
    ...lockedShellArgs(server.infoFile),
    ...[tools.prlimit, `--data=${server.dataBytes}`, '--core=0', '--nofile=1024'],
    ...jailArgs(tools, server, user),
  ]
  const child = spawn(tools.flock, words, {
    cwd: '/',
    env: {},
    detached: true,
    // The fifth descriptor is a placeholder for bubblewrap's: otherwise flock would open the lock file under its number, and replacing it would lose
    // the lock.
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
 * Only the process with the lock may overwrite what the file says about the running server. Descriptor 4 is bubblewrap's, which writes to the file in
 * place: if it had to grow on a full disk, it would fail, and leave a process that waits for good and holds the lock.
 */
const lockedShellArgs = (infoFile: string): string[] => [
  '/bin/sh',
  '-c',
  'umask 077; exec "$@" 4<>"$0"',
  infoFile,
]

/** The bytes reserved for the file; bubblewrap writes fewer. */
const infoBytes = 1024

/** Reserves the space of the info file while the disk has some. */
export const reserveInfo = (infoFile: string): Promise<void> =>
  writeFile(infoFile, ' '.repeat(infoBytes), { mode: 0o600 })

/** The process id in the info file of a server; the process may have ended long ago. */
export async function pidIn(infoFile: string): Promise<number | undefined> {
  const pid = /"child-pid"\s*:\s*(\d+)/.exec(await readFile(infoFile, 'latin1').catch(() => ''))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

function jailArgs(tools: JailTools, server: JailedServer, user: number | undefined): string[] {
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
    ...bubblewrapArgs(view, user === undefined ? 'user' : 'root', descriptors, { outlivesUs: true }),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
    ...(user === undefined ? [] : dropRootArgs(tools, user, server.processes)),
    program,
    ...args,
  ]
}

const dropRootArgs = ({ prlimit, setpriv }: JailTools, user: number, processes: number): string[] => [
  ...[prlimit, `--nproc=${processes}`],
  ...[setpriv, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--'],
]
