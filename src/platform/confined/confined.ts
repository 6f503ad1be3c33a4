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
import { FairQueue, type Places } from './queue.ts'
import { type Scratch, watchScratch } from './scratch.ts'
import { Spares } from './spares.ts'

export { type FindIsolation, type Isolation, openIsolation } from './isolation.ts'

/** Untrusted input (pages, PDFs and shell scripts) is read and run in processes that may crash. */
export type Confine = (work: ConfinedWork) => Promise<Outcome>

export interface ConfinedWork {
  /**
   * Path of a module that reads its input and writes its answer by `#platform/confined-process`; it may read its own folder. Or a program of this machine, by its
   * absolute path, which is given no input: what it makes it leaves in its scratch folder, and its end alone tells whether it did (`value` is then undefined).
   * Where the machine has no bubblewrap, a program can read what this server can: only for those that read the given files alone.
   */
  module: string | Program
  /** The account; accounts share the processes fairly. */
  accountId: string
  /** Any value that `v8.serialize` supports. */
  input: unknown
  /** CPU time, loading included. */
  timeoutMs: number
  /** Wall-clock time; default: `patience` times `timeoutMs`, and `leastWallMs` at least. */
  wallMs?: number
  maxOutputBytes: number
  /** Memory limit of the system (default: 464), of which JavaScript may use `heapMb` (default: 320). */
  memoryMb?: number
  heapMb?: number
  /** Absolute paths of files and folders that it may read beside its own code; all users of the system may have to be able to read them. */
  files?: readonly string[]
  /** An empty folder that it may write to; it finds the path in `process.argv[2]`. Work that leaves more there is lost as `output`. */
  scratch?: Scratch
  /** Allows native code, which Node's permissions do not restrict; only for our own libraries over data, never for foreign code. */
  nativeCode?: boolean
  /** Allows to start programs of our own libraries; they share its isolation and its limits, each with a count of its own. Never for foreign code. */
  startsPrograms?: boolean
  /**
   * Whether the next process of this kind is started when this one has ended, and waits a minute for its work: for short work that comes again and again,
   * always with the same files and without scratch, which a process is started with.
   */
  keepsSpare?: boolean
  signal: AbortSignal
}

export interface Program {
  path: string
  args: readonly string[]
}

/** The account that requests the work, and its signal. */
export type Requester = Pick<ConfinedWork, 'accountId' | 'signal'>

export type Outcome = { value: unknown } | { lost: 'busy' | 'time' | 'output' | 'broken' }

/** Maximum concurrent processes of one server, and how many may wait; more would starve everything else of CPU. */
const usualPlaces: Places = { working: 4, waiting: 64 }

const usualMemoryMb = 464
const usualHeapMb = 320
/** Address space that Node 24 reserves for code and never uses, but which the system counts (measured). */
const reservedMb = 560

/** Wall-clock limit as a multiple of the CPU limit, since a process of low priority waits for all others. */
const patience = 3
/** The least of it: on a busy machine the start alone takes ten seconds (measured), whatever the work. */
const leastWallMs = 30_000

/** Path of the isolation programs; the process itself needs none. */
const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }

const lowPriority = 5

const home = path.resolve(import.meta.dirname, '../../..')
/** The parts of the platform that the process may read: its side of the protocol, and how numbers are written. */
const childRooms = ['confined-process', 'words'].map((room) => path.join(import.meta.dirname, '..', room))

/**
 * Starts a process for each piece of work: without environment, with Node's permissions so that it can read its own code and
 * what it is given, write nothing but its scratch folder, start nothing and load no native code; with a memory limit of the system and
 * of V8, a CPU limit, low priority, and killed when its time is over. Where the machine allows it the process has no network, sees no
 * other file and is nobody (`Isolation`). Throws the signal's reason.
 */
export function openConfinement(
  log: Log,
  places: Places = usualPlaces,
  find: FindIsolation = openIsolation(),
): Confine {
  const queue = new FairQueue(places)
  const spares = new Spares()
  return async (work) => {
    using place = await queue.enter(work.accountId, work.signal)
    if (!place) return { lost: 'busy' }
    const isolation = await find()
    const kind = work.keepsSpare ? kindOf(work) : undefined
    const outcome = await runProcess(work, isolation, kind === undefined ? undefined : spares.take(kind))
    // Starting a process holds the loop for some milliseconds, which this answer does not wait for.
    if (kind !== undefined) setImmediate(() => spares.keep(kind, () => start(work, isolation)))
    if ('lost' in outcome)
      log.info({ module: nameOf(work.module), lost: outcome.lost }, 'a confined process was lost')
    return outcome
  }
}

const nameOf = (module: string | Program): string =>
  path.basename(typeof module === 'string' ? module : module.path)

/** What a process is started with. */
function kindOf(work: ConfinedWork): string {
  const { module, timeoutMs, memoryMb, heapMb, nativeCode, startsPrograms, files, scratch } = work
  if (typeof module !== 'string' || scratch) throw new Error('no spare can be kept for this work')
  return JSON.stringify([module, secondsOf(timeoutMs), memoryMb, heapMb, nativeCode, startsPrograms, files])
}

async function runProcess(work: ConfinedWork, isolation: Isolation, spare?: ChildProcess): Promise<Outcome> {
  const { input, timeoutMs, maxOutputBytes, scratch, signal } = work
  const { wallMs = Math.max(leastWallMs, patience * timeoutMs) } = work
  const isProgram = typeof work.module !== 'string'
  if (scratch) await isolation.give(scratch.path)
  // One that waits already is used up here: its caller may have left meanwhile.
  if (signal.aborted) spare?.kill('SIGKILL')
  signal.throwIfAborted()
  const child = spare ?? start(work, isolation)
  const exited = once(child, 'close').catch(() => [null, null])
  // Error codes when there was no process, memory or file handle left to start one.
  if (child.pid === undefined) return { lost: 'broken' }
  const kill = () => {
    child.kill('SIGKILL')
    // A process that the isolation tool had just begun may outlive it and hold the output open for good.
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
    // If the process dies before it has read its input, the pipe breaks; its exit code tells why.
    child.stdin!.on('error', () => {})
    child.stdin!.end(isProgram ? undefined : serialize(input))
    const output = await readOutput(child, maxOutputBytes)
    const end = endOf((await exited) as [number | null, NodeJS.Signals | null])
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
function endOf([code, killedBy]: [number | null, NodeJS.Signals | null]): number | NodeJS.Signals | null {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)
  return killedBy ?? (signal?.[0] as NodeJS.Signals | undefined) ?? code
}

/** The answer was produced by our own code, so only its size is limited; a rendered file may be tens of megabytes. */
const answerBounds = {
  maxDepth: 500,
  maxMembers: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
}

async function readAnswer(output: Buffer): Promise<Outcome> {
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
    // Limit of one file, in blocks of 512 bytes; the folder as a whole is watched.
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

/** The system counts whole ones. */
const secondsOf = (timeoutMs: number): number => Math.ceil(timeoutMs / 1_000)

const codeOf = (module: string): string[] => [
  path.dirname(module),
  ...childRooms,
  modulesFolder(),
  path.join(home, 'package.json'),
]

/** Node with its own permissions, which hold whatever the machine allows. */
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

/** `node_modules`, wherever this installation has it. */
const modulesFolder = (): string =>
  fileURLToPath(import.meta.resolve('pg')).replace(/(?<=[\\/]node_modules[\\/]).*$/, '')

/** The output of the process, or undefined where it exceeds `maxBytes`. */
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
    // Destroyed after it was killed.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  return output.take()
}
