import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:net'
import { type Duplex, PassThrough, type Readable } from 'node:stream'
import { bubblewrapWords } from './bubblewrap.ts'
import { type Architecture, seccompFilter } from './seccomp.ts'

/** What runs in a jail. */
export interface JailedProgram {
  /** Absolute path. */
  program: string
  /** What it needs of the system, at the same places in the jail. */
  libraries: readonly string[]
  args: readonly string[]
  /** Files and folders of this machine that it sees at the same or another place. */
  readable?: readonly { from: string; to: string }[]
  /** Files that exist in the jail only, in memory. */
  files?: readonly { path: string; content: Buffer | string }[]
  /** Listening sockets that it inherits, as descriptors from `firstSocket` on. */
  sockets?: readonly Server[]
  /** Bytes of data, by RLIMIT_DATA. Address space that is reserved and never used is counted, too. */
  dataBytes: number
  /** Threads; held where this server is root, so that the user of the process is its own. */
  threads: number
}

export interface JailedProcess {
  /** As this machine numbers it. Undefined where it never began. */
  readonly pid: number | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when all of it is gone. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Kills all of it. */
  kill(): void
}

/** How this machine builds a jail. */
export interface JailTools {
  bwrap: string
  prlimit: string
  setpriv: string
  unshare: string
  flock: string
  /** What `setpriv` and `prlimit` need within, where this server is root. */
  libraries: readonly string[]
}

/** The kernel ends these first when the machine runs out of memory. */
const firstToEnd = '800'

const inherited = 3

/** The first descriptor of `sockets`. */
export const firstSocket = (files: number): number => inherited + 2 + files

/** Starts it; resolves when the process in the jail exists, or has ended before it did. `user`: where this server is root. */
export async function startJailed(
  tools: JailTools,
  program: JailedProgram,
  user: number | undefined,
): Promise<JailedProcess> {
  const files = program.files ?? []
  const [command, ...words] = [
    ...(user === undefined ? limitWords(tools, program, user) : endsWithUs(tools)),
    ...jailWords(tools, program, user),
  ]
  const child = spawn(command!, words, {
    cwd: '/',
    env: {},
    stdio: [
      'ignore',
      'pipe',
      'pipe',
      // The filter, what bubblewrap says of the process, and the contents of the files.
      ...['pipe' as const, 'pipe' as const, ...files.map(() => 'pipe' as const)],
      ...(program.sockets ?? []).map(descriptorOf),
    ],
  })
  const ended = endOf(child)
  // Node throws away what nobody reads when a process ends, which one may do before its caller has it.
  const [stdout, stderr] = [child.stdout!.pipe(new PassThrough()), child.stderr!.pipe(new PassThrough())]
  if (child.pid === undefined) return { pid: undefined, stdout, stderr, ended, kill() {} }
  endFirst(child.pid)
  const [filter, info, ...contents] = child.stdio.slice(inherited) as Duplex[]
  send(filter!, seccompFilter(process.arch as Architecture))
  for (const [index, { content }] of files.entries()) send(contents[index]!, content)
  const first = pidIn(await objectIn(info!))
  // The namespace around counts anew: there the program is the child of bubblewrap, and that the child of the first one.
  const pid = first === undefined || user === undefined ? first : await grandchildOf(child.pid)
  return { pid, stdout, stderr, ended, kill: () => killAll(child, pid) }
}

/** Node gives no other way to hand a listening socket to a program that is not Node. */
export function descriptorOf(server: Server): number {
  const { _handle: handle } = server as unknown as { _handle: { fd: number } | null }
  if (handle === null || handle.fd < 0) throw new Error('this socket listens no longer')
  return handle.fd
}

/**
 * The end of a process signals its children only if they are of the same user, which a program that left root is not of its parent. So bubblewrap is the
 * first of a namespace of its own there: with it the kernel ends all in it, whoever they are.
 */
const endsWithUs = ({ setpriv, unshare }: JailTools): string[] => [
  ...[setpriv, '--pdeathsig=KILL', '--'],
  ...[unshare, '--pid', '--fork', '--'],
]

/** As root they are set within, since the number of threads is that of a user, and root is none that is limited. */
function limitWords(
  tools: JailTools,
  { dataBytes, threads, files = [] }: JailedProgram,
  user: number | undefined,
): string[] {
  // Outside bubblewrap writes these files under the limit; nothing else in there can be written to.
  const largest =
    user === undefined ? Math.max(0, ...files.map(({ content }) => Buffer.byteLength(content))) : 0
  const ofUser = user === undefined ? [] : [`--nproc=${threads}`]
  return [tools.prlimit, `--data=${dataBytes}`, '--core=0', '--nofile=256', `--fsize=${largest}`, ...ofUser]
}

function jailWords(tools: JailTools, program: JailedProgram, user: number | undefined): string[] {
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
    ...bubblewrapWords(view, user === undefined ? 'user' : 'root', descriptors),
    '--',
    ...(user === undefined ? [] : [...limitWords(tools, program, user), ...leaveRoot(tools, user)]),
    programPlace,
    ...program.args,
  ]
}

/** Where the program stands in the jail. */
const programPlace = '/program'

const leaveRoot = ({ setpriv }: JailTools, user: number): string[] => [
  setpriv,
  `--reuid=${user}`,
  `--regid=${user}`,
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--',
]

/** What it starts inherits it. Where it is forbidden that costs no safety. */
function endFirst(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, firstToEnd)
  } catch {}
}

/** A process that ended early has not read it. */
function send(pipe: Duplex, content: Buffer | string): void {
  pipe.on('error', () => {})
  pipe.resume()
  pipe.end(content)
}

/** Up to the end of its one object: what started bubblewrap may hold the pipe open. */
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
    // It could not be started.
    () => ({ code: null, signal: null }),
  )

async function grandchildOf(pid: number): Promise<number | undefined> {
  const child = await childOf(pid)
  return child === undefined ? undefined : childOf(child)
}

/** Undefined where there is none any more. */
async function childOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const [child] = children.split(' ')
  return child ? Number(child) : undefined
}

/** With the first process of the namespace the kernel ends everything in it. */
function killAll(child: ChildProcess, pid: number | undefined): void {
  if (child.exitCode !== null || child.signalCode !== null) return
  // bubblewrap waits for it, and ends after it: while it lives the number is not given to another process.
  if (pid !== undefined) killIfThere(pid)
  else child.kill('SIGKILL')
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}
