/**
 * Runs work on untrusted input in child processes with limited time, memory, output and access to files
 * (docs/decisions/platform/confined-processes.md).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import { GrowingBytes } from '#platform/bytes'
import { readJson } from '#platform/json'
import type { Log } from '#platform/log'
import { type FindIsolation, type Isolation, openIsolation } from './isolation.ts'
import { FairQueue, type QueueLimits } from './queue.ts'
import { type Scratch, watchScratch } from './scratch.ts'
import { Spares } from './spares.ts'

export { type FindIsolation, type Isolation, openIsolation } from './isolation.ts'

/** Runs work on untrusted input (pages, PDFs and shell scripts) in a process that may crash. */
export type ConfinedRunner = (work: ConfinedWork) => Promise<ConfinedResult>

export interface ConfinedWork {
  /**
   * The path of a module that reads its input and writes its answer by `#platform/confined-process`; it may read its own folder. Or a program of this
   * machine, by its absolute path: it gets no input and leaves its results in its scratch folder, and only its exit tells whether it succeeded
   * (`value` is then undefined). On a machine without bubblewrap a program can read what this server can, so only programs that read nothing but the
   * given files may be used.
   */
  module: string | Program
  /** The account for which the work is done; accounts share the processes fairly. */
  accountId: string
  /** The input: any value that `v8.serialize` supports. */
  input: unknown
  /** The limit of CPU time, loading included. */
  timeoutMs: number
  /** The limit of wall-clock time; default: `wallTimeFactor` times `timeoutMs`, and at least `leastWallMs`. */
  wallMs?: number
  maxOutputBytes: number
  /** The memory limit of the system (default: 464), of which JavaScript may use `heapMb` (default: 320). */
  memoryMb?: number
  heapMb?: number
  /** Absolute paths of files and folders that the process may read beside its own code; all users of the system may have to be able to read them. */
  files?: readonly string[]
  /**
   * An empty folder that the process may write to; its path is in `process.argv[2]`. Work that writes more than the folder may hold is lost as
   * `output`.
   */
  scratch?: Scratch
  /** Allows native code, which Node's permissions do not restrict; only for our own libraries that process data, never for foreign code. */
  nativeCode?: boolean
  /**
   * Allows the process to start programs of our own libraries; they share its isolation and its limits, but each program's use is counted separately.
   * Never for foreign code.
   */
  startsPrograms?: boolean
  /**
   * Whether the next process of this kind is started when this one has ended, and waits a minute for its work. This is for short work that recurs
   * often, always with the same files and without scratch, since both are fixed when a process starts.
   */
  keepsSpare?: boolean
  signal: AbortSignal
}

export interface Program {
  path: string
  args: readonly string[]
}

/** The account that requests the work, and the signal that aborts it. */
export type Requester = Pick<ConfinedWork, 'accountId' | 'signal'>

export type ConfinedResult = { value: unknown } | { lost: 'busy' | 'time' | 'output' | 'broken' }

/** The maximum of concurrent processes of one server, and how many may wait; more would starve everything else of CPU. */
const defaultLimits: QueueLimits = { working: 4, waiting: 64 }

const usualMemoryMb = 464
const usualHeapMb = 320
/** Address space that Node 24 reserves for code and never uses, but which the system counts (measured). */
const reservedMb = 560

/** Wall-clock limit as a multiple of the CPU limit, since a process of low priority waits for all others. */
const wallTimeFactor = 3
/** The least wall-clock limit: on a busy machine the start alone takes ten seconds (measured), whatever the work. */
const leastWallMs = 30_000

/** The path of the isolation programs; the process itself needs no environment. */
const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }

const lowPriority = 5

const home = path.resolve(import.meta.dirname, '../../..')
/** The parts of the platform that the process may read: its side of the protocol, and how numbers are written. */
const childRooms = ['confined-process', 'words'].map((room) => path.join(import.meta.dirname, '..', room))

/**
 * Starts a process for each piece of work. The process has no environment, and Node's permissions let it read only its own code and what it is given,
 * write only to its scratch folder, start no programs and load no native code. It has a memory limit of the system and of V8, a CPU limit and low
 * priority, and is killed when its time is over. Where the machine allows it the process also has no network, sees no other file and runs as `nobody`
 * (`Isolation`). Throws the signal's reason.
 */
export function openConfinement(
  log: Log,
  places: QueueLimits = defaultLimits,
  find: FindIsolation = openIsolation(),
): ConfinedRunner {
  const queue = new FairQueue(places)
  const spares = new Spares()
  return async (work) => {
    using place = await queue.enter(work.accountId, work.signal)
    if (!place) return { lost: 'busy' }
    const isolation = await find()
    const kind = work.keepsSpare ? kindOf(work) : undefined
    const outcome = await runProcess(work, isolation, kind === undefined ? undefined : spares.take(kind))
    // Starting a process blocks the event loop for some milliseconds, so it happens after this answer.
    if (kind !== undefined) setImmediate(() => spares.keep(kind, () => start(work, isolation)))
    if ('lost' in outcome)
      log.info({ module: nameOf(work.module), lost: outcome.lost }, 'a confined process was lost')
    return outcome
  }
}

const nameOf = (module: string | Program): string =>
  path.basename(typeof module === 'string' ? module : module.path)

/** Identifies everything that is fixed when a process starts, so that a spare fits the work. */
function kindOf(work: ConfinedWork): string {
  const { module, timeoutMs, memoryMb, heapMb, nativeCode, startsPrograms, files, scratch } = work
  if (typeof module !== 'string' || scratch) throw new Error('no spare can be kept for this work')
  return JSON.stringify([module, secondsOf(timeoutMs), memoryMb, heapMb, nativeCode, startsPrograms, files])
}

async function runProcess(
  work: ConfinedWork,
  isolation: Isolation,
  spare?: ChildProcess,
): Promise<ConfinedResult> {
  const { input, timeoutMs, maxOutputBytes, scratch, signal } = work
  const { wallMs = Math.max(leastWallMs, wallTimeFactor * timeoutMs) } = work
  const isProgram = typeof work.module !== 'string'
  if (scratch) await isolation.give(scratch.path)
  // A waiting process that was taken for this work cannot be returned, so it is killed if the caller left meanwhile.
  if (signal.aborted) spare?.kill('SIGKILL')
  signal.throwIfAborted()
  const child = spare ?? start(work, isolation)
  const exited = once(child, 'close').catch(() => [null, null])
  // Without a process id there was no process slot, memory or file handle left to start one.
  if (child.pid === undefined) return { lost: 'broken' }
  const kill = () => {
    child.kill('SIGKILL')
    // A process that the isolation tool has just started may outlive the tool and hold the output open for good.
    setTimeout(() => child.stdout!.destroy(), leftOpenMs).unref()
  }
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, wallMs)
  using filled = watchScratch(scratch, kill)
  signal.addEventListener('abort', kill, { once: true })
  try {
    // If the process dies before it has read its input, the pipe breaks; its exit code shows the reason.
    child.stdin!.on('error', () => {})
    child.stdin!.end(isProgram ? undefined : serialize(input))
    const output = await readOutput(child, maxOutputBytes)
    const end = exitReason((await exited) as [number | null, NodeJS.Signals | null])
    signal.throwIfAborted()
    if (timedOut || end === 'SIGXCPU') return { lost: 'time' }
    if (output === undefined || filled.beyond || end === 'SIGXFSZ') return { lost: 'output' }
    if (end !== 0) return { lost: 'broken' }
    return isProgram ? { value: undefined } : await readAnswer(output)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    child.kill('SIGKILL')
  }
}

/** How long the output of a process that was killed may stay open. */
const leftOpenMs = 1_000

/** Isolation tools report a terminating signal as exit code 128 plus its number, as shells do. */
function exitReason([code, killedBy]: [number | null, NodeJS.Signals | null]):
  | number
  | NodeJS.Signals
  | null {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)
  return killedBy ?? (signal?.[0] as NodeJS.Signals | undefined) ?? code
}

/** Our own code produced the answer, so only its size is limited; a rendered file may be tens of megabytes. */
const answerBounds = {
  maxDepth: 500,
  maxMembers: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
}

async function readAnswer(output: Buffer): Promise<ConfinedResult> {
  try {
    return { value: await readJson(output, answerBounds) }
  } catch {
    return { lost: 'broken' }
  }
}

function start(work: ConfinedWork, isolation: Isolation): ChildProcess {
  const { module, timeoutMs, files = [], scratch, memoryMb = usualMemoryMb } = work
  const isProgram = typeof module !== 'string'
  const ownCode = isProgram ? [module.path] : codeOf(module)
  const readable = [...ownCode, ...files]
  const writable = scratch ? [scratch.path] : []
  const seconds = secondsOf(timeoutMs)
  const limits = [
    'ulimit -c 0',
    // The soft limit ends a process with a signal that shows the reason.
    `ulimit -S -t ${seconds}; ulimit -H -t ${seconds + 1}`,
    `ulimit -d ${((isProgram ? 0 : reservedMb) + memoryMb) * 1024}`,
    // The limit of one file, in blocks of 512 bytes; the size of the whole folder is watched separately.
    `ulimit -f ${Math.ceil((scratch?.bytes ?? 0) / 512)}`,
  ].join('; ')
  return spawn(
    '/bin/sh',
    [
      '-c',
      // Not every system has every limit; V8's own and the wall clock always apply.
      `{ ${limits}; } 2>/dev/null; exec nice -n ${lowPriority} "$0" "$@"`,
      ...isolation.prefix({ readable, writable }),
      ...(isProgram ? [module.path, ...module.args] : nodeWith(module, work, readable, writable)),
    ],
    {
      cwd: isProgram ? (scratch?.path ?? '/') : path.dirname(module),
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
}

/** The CPU limit in whole seconds, as the system counts. */
const secondsOf = (timeoutMs: number): number => Math.ceil(timeoutMs / 1_000)

const codeOf = (module: string): string[] => [
  path.dirname(module),
  ...childRooms,
  modulesFolder(),
  path.join(home, 'package.json'),
]

/** The command that starts Node with its own permissions, which apply whatever the machine allows. */
const nodeWith = (
  module: string,
  { heapMb = usualHeapMb, nativeCode = false, startsPrograms = false }: ConfinedWork,
  readable: readonly string[],
  writable: readonly string[],
): string[] => [
  process.execPath,
  '--permission',
  ...(nativeCode ? ['--allow-addons'] : []),
  ...(startsPrograms ? ['--allow-child-process'] : []),
  ...[...readable, ...writable].map((place) => `--allow-fs-read=${place}`),
  ...writable.map((place) => `--allow-fs-write=${place}`),
  `--max-old-space-size=${heapMb}`,
  '--disallow-code-generation-from-strings',
  '--no-warnings',
  module,
  ...writable,
]

/** The folder `node_modules`, wherever this installation has it. */
const modulesFolder = (): string =>
  fileURLToPath(import.meta.resolve('pg')).replace(/(?<=[\\/]node_modules[\\/]).*$/, '')

/** The output of the process; undefined if it exceeds `maxBytes`. */
async function readOutput(child: ChildProcess, maxBytes: number): Promise<Buffer | undefined> {
  const output = new GrowingBytes()
  try {
    for await (const chunk of child.stdout! as AsyncIterable<Buffer>) {
      if (output.length + chunk.length > maxBytes) {
        child.kill('SIGKILL')
        return undefined
      }
      output.add(chunk)
    }
  } catch (error) {
    // The stream was destroyed after the process was killed.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  return output.take()
}
