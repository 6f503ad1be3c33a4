import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:net'
import { type Duplex, PassThrough, type Readable } from 'node:stream'
import { bubblewrapArgs } from './bubblewrap.ts'
import { type Architecture, seccompFilter } from './seccomp.ts'

/** A program to be run in a jail. */
export interface JailedProgram {
  /** The absolute path of the program. */
  program: string
  /** The system files that it needs, at the same paths in the jail. */
  libraries: readonly string[]
  args: readonly string[]
  /** Files and folders of this machine that it sees, at the same or another path. */
  readable?: readonly { from: string; to: string }[]
  /** Files that exist only in the jail, in memory. */
  files?: readonly { path: string; content: Buffer | string }[]
  /** Listening sockets that the program inherits, as descriptors from `firstSocket` on. */
  sockets?: readonly Server[]
  /** The maximum bytes of data, by RLIMIT_DATA. Address space that is reserved and never used counts, too. */
  dataBytes: number
  /** The maximum number of threads. It is enforced if this server is root, because only then the processes have a user of their own. */
  threads: number
}

export interface JailedProcess {
  /** The process id outside the jail. Undefined if the program was never started. */
  readonly pid: number | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when all its processes are gone. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Kills all its processes. */
  kill(): void
}

/** The programs with which this machine builds a jail. */
export interface JailTools {
  bwrap: string
  prlimit: string
  setpriv: string
  unshare: string
  flock: string
  /** The libraries that `setpriv` and `prlimit` need in the jail, if this server is root. */
  libraries: readonly string[]
}

/** The `oom_score_adj` of jailed processes: the kernel ends them first when the machine runs out of memory. */
const oomScoreAdjustment = '800'

const inherited = 3

/** The first descriptor of `sockets`. */
export const firstSocket = (files: number): number => inherited + 2 + files

/** Starts the program; resolves when the process in the jail exists, or has ended before. `user` is set if this server is root. */
export async function startJailed(
  tools: JailTools,
  program: JailedProgram,
  user: number | undefined,
): Promise<JailedProcess> {
  const files = program.files ?? []
  const [command, ...words] = [
    ...(user === undefined ? limitArgs(tools, program, user) : dieWithParentArgs(tools)),
    ...jailArgs(tools, program, user),
  ]
  const child = spawn(command!, words, {
    cwd: '/',
    env: {},
    stdio: [
      'ignore',
      'pipe',
      'pipe',
      // The pipes of the filter, of bubblewrap's information about the process, and of the contents of the files.
      ...['pipe' as const, 'pipe' as const, ...files.map(() => 'pipe' as const)],
      ...(program.sockets ?? []).map(descriptorOf),
    ],
  })
  const ended = endOf(child)
  // When a process ends, Node discards its unread output; a process may end before the caller has received it.
  const [stdout, stderr] = [child.stdout!.pipe(new PassThrough()), child.stderr!.pipe(new PassThrough())]
  if (child.pid === undefined) return { pid: undefined, stdout, stderr, ended, kill() {} }
  preferForOomKill(child.pid)
  const [filter, info, ...contents] = child.stdio.slice(inherited) as Duplex[]
  send(filter!, seccompFilter(process.arch as Architecture))
  for (const [index, { content }] of files.entries()) send(contents[index]!, content)
  const first = pidIn(await objectIn(info!))
  // The namespace numbers processes anew, so the program's id is looked up: it is the child of bubblewrap, which is the child of the spawned process.
  const pid = first === undefined || user === undefined ? first : await grandchildOf(child.pid)
  return { pid, stdout, stderr, ended, kill: () => killAll(child, pid) }
}

/** The descriptor of a listening socket. Node offers no other way to pass one to a program that is not Node. */
export function descriptorOf(server: Server): number {
  const { _handle: handle } = server as unknown as { _handle: { fd: number } | null }
  if (handle === null || handle.fd < 0) throw new Error('this socket listens no longer')
  return handle.fd
}

/**
 * The end of a process signals its children only if they have the same user, and a program that left root has another user than its parent. So
 * bubblewrap becomes the first process of a namespace of its own there: when it ends, the kernel ends all processes in the namespace, whatever their
 * users.
 */
const dieWithParentArgs = ({ setpriv, unshare }: JailTools): string[] => [
  ...[setpriv, '--pdeathsig=KILL', '--'],
  ...[unshare, '--pid', '--fork', '--'],
]

/**
 * The words that set the limits. If this server is root they are used inside the jail, because the limit of threads is that of a user, and root is
 * not limited.
 */
function limitArgs(
  tools: JailTools,
  { dataBytes, threads, files = [] }: JailedProgram,
  user: number | undefined,
): string[] {
  // Outside the jail bubblewrap writes these files under the limit; nothing else in the jail can be written to.
  const largest =
    user === undefined ? Math.max(0, ...files.map(({ content }) => Buffer.byteLength(content))) : 0
  const ofUser = user === undefined ? [] : [`--nproc=${threads}`]
  return [tools.prlimit, `--data=${dataBytes}`, '--core=0', '--nofile=256', `--fsize=${largest}`, ...ofUser]
}

function jailArgs(tools: JailTools, program: JailedProgram, user: number | undefined): string[] {
  const { libraries, readable = [], files = [] } = program
  const own = [
    ...libraries,
    ...(user === undefined ? [] : [tools.setpriv, tools.prlimit, ...tools.libraries]),
  ]
  const view = {
    readable: [
      { from: program.program, to: programPlace },
      ...[...new Set(own)].map((place) => ({ from: place, to: place })),
      ...readable,
    ],
    files: files.map((file, index) => ({ descriptor: inherited + 2 + index, to: file.path })),
  }
  const descriptors = { filter: inherited, info: inherited + 1 }
  return [
    tools.bwrap,
    ...bubblewrapArgs(view, user === undefined ? 'user' : 'root', descriptors),
    '--',
    ...(user === undefined ? [] : [...limitArgs(tools, program, user), ...dropRootArgs(tools, user)]),
    programPlace,
    ...program.args,
  ]
}

/** The path of the program in the jail. */
const programPlace = '/program'

const dropRootArgs = ({ setpriv }: JailTools, user: number): string[] => [
  setpriv,
  `--reuid=${user}`,
  `--regid=${user}`,
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--',
]

/** Lets the kernel end this process first; its children inherit that. Where that is forbidden, no safety is lost. */
function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, oomScoreAdjustment)
  } catch {}
}

/** Writes to a pipe. A process that ended early has not read it, so errors are ignored. */
function send(pipe: Duplex, content: Buffer | string): void {
  pipe.on('error', () => {})
  pipe.resume()
  pipe.end(content)
}

/** Reads up to the end of the one object in the pipe, which the program that started bubblewrap may hold open. */
async function objectIn(info: Duplex): Promise<string> {
  let read = ''
  try {
    for await (const chunk of info as AsyncIterable<Buffer>) {
      read += chunk.toString('latin1')
      if (read.includes('}') || read.length > maxInfoLength) break
    }
  } catch {}
  return read
}

const maxInfoLength = 4_096

function pidIn(info: string): number | undefined {
  try {
    const { 'child-pid': pid } = JSON.parse(info) as { 'child-pid'?: unknown }
    return Number.isSafeInteger(pid) ? (pid as number) : undefined
  } catch {
    return undefined
  }
}

const endOf = (child: ChildProcess): JailedProcess['ended'] =>
  once(child, 'exit').then(
    ([code, signal]) => ({ code: code as number | null, signal: signal as NodeJS.Signals | null }),
    // The process could not be started.
    () => ({ code: null, signal: null }),
  )

async function grandchildOf(pid: number): Promise<number | undefined> {
  const child = await childOf(pid)
  return child === undefined ? undefined : childOf(child)
}

/** The first child of the process; undefined if it has none. */
async function childOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const [child] = children.split(' ')
  return child ? Number(child) : undefined
}

/** Kills everything in the namespace: the kernel does so when its first process ends. */
function killAll(child: ChildProcess, pid: number | undefined): void {
  if (child.exitCode !== null || child.signalCode !== null) return
  // bubblewrap waits for the process and ends after it, so while bubblewrap lives the process id is not reused.
  if (pid !== undefined) killIfThere(pid)
  else child.kill('SIGKILL')
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}
