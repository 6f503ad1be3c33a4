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

export { type FindIsolation, type Isolation, openIsolation } from './isolation.ts'

/** Untrusted input (pages, PDFs and shell scripts) is read and run in processes that may crash. */
export type Confine = (work: ConfinedWork) => Promise<Outcome>

export interface ConfinedWork {
  /** Path of a module that reads its input and writes its answer by `#platform/confined-process`; it may read its own folder. */
  module: string
  /** Whose turn it is: accounts share the places fairly. */
  accountId: string
  /** Anything that `v8.serialize` takes. */
  input: unknown
  /** Of the processor's time, loading included. */
  timeoutMs: number
  /** By the clock; `patience` times `timeoutMs` unless said otherwise. */
  wallMs?: number
  maxOutputBytes: number
  /** Of its memory, beyond which the system gives it none; 464 unless said otherwise, of which JavaScript may take `heapMb` (320). */
  memoryMb?: number
  heapMb?: number
  /** Absolute paths of files and folders that it may read beside its own code; all users of the system may have to be able to read them. */
  files?: readonly string[]
  /** An empty folder that it may write to; it finds the path in `process.argv[2]`. Work that leaves more there is lost as `output`. */
  scratch?: Scratch
  /** Whether it may load native code, which Node's permissions do not hold; for libraries of our own over data, never for strangers' code. */
  nativeCode?: boolean
  signal: AbortSignal
}

/** The account that waits for a piece of work, and its signal. */
export type Asker = Pick<ConfinedWork, 'accountId' | 'signal'>

export type Outcome = { value: unknown } | { lost: 'busy' | 'time' | 'output' | 'broken' }

/** Processes of one server at a time, and those that may wait for a place: more would take the cores from everybody else. */
const usualPlaces: Places = { working: 4, waiting: 64 }

const usualMemoryMb = 464
const usualHeapMb = 320
/** That Node 24 reserves for code at its start and never uses, which the system counts all the same; measured. */
const reservedMb = 560

/** A process of low priority waits for everybody else: what counts against it is its own time, and this many times that by the clock. */
const patience = 3

/** Where the programs are that isolate; the process itself needs none. */
const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }

const lowPriority = 5

const home = path.resolve(import.meta.dirname, '../../..')
/** How a process reads its input and answers; alone in its folder, since this is all of the platform that it may read. */
const childRoom = path.join(import.meta.dirname, '../confined-process')

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
  return async (work) => {
    using place = await queue.enter(work.accountId, work.signal)
    if (!place) return { lost: 'busy' }
    const outcome = await runProcess(work, await find())
    if ('lost' in outcome)
      log.info({ module: path.basename(work.module), lost: outcome.lost }, 'a confined process was lost')
    return outcome
  }
}

async function runProcess(work: ConfinedWork, isolation: Isolation): Promise<Outcome> {
  const { input, timeoutMs, wallMs = patience * timeoutMs, maxOutputBytes, scratch, signal } = work
  if (scratch) await isolation.give(scratch.path)
  signal.throwIfAborted()
  const child = start(work, isolation)
  const exited = once(child, 'close').catch(() => [null, null])
  // No process, no memory or no file handle was left to start one.
  if (child.pid === undefined) return { lost: 'broken' }
  const kill = () => child.kill('SIGKILL')
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, wallMs)
  using filled = watchScratch(scratch, kill)
  signal.addEventListener('abort', kill, { once: true })
  try {
    // A process that dies before it has read everything breaks its pipe; how it ended is told by its exit.
    child.stdin!.on('error', () => {})
    child.stdin!.end(serialize(input))
    const output = await readOutput(child, maxOutputBytes)
    const end = endOf((await exited) as [number | null, NodeJS.Signals | null])
    signal.throwIfAborted()
    if (timedOut || end === 'SIGXCPU') return { lost: 'time' }
    if (output === undefined || filled.beyond || end === 'SIGXFSZ') return { lost: 'output' }
    return end === 0 ? await readAnswer(output) : { lost: 'broken' }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    kill()
  }
}

/** The tools that isolate a process report the signal that ended it as 128 plus its number, as shells do. */
function endOf([code, killedBy]: [number | null, NodeJS.Signals | null]): number | NodeJS.Signals | null {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)
  return killedBy ?? (signal?.[0] as NodeJS.Signals | undefined) ?? code
}

/** What it answers was made by programs of ours, so that only its size is bounded; a rendered file may be tens of megabytes. */
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
  const { module, timeoutMs, nativeCode = false, files = [], scratch } = work
  const { memoryMb = usualMemoryMb, heapMb = usualHeapMb } = work
  const readable = [
    path.dirname(module),
    childRoom,
    modulesFolder(),
    path.join(home, 'package.json'),
    ...files,
  ]
  const writable = scratch ? [scratch.path] : []
  const seconds = Math.ceil(timeoutMs / 1000)
  const limits = [
    'ulimit -c 0',
    // The soft limit ends a process with a signal that tells why.
    `ulimit -S -t ${seconds}; ulimit -H -t ${seconds + 1}`,
    `ulimit -d ${(reservedMb + memoryMb) * 1024}`,
    // Of one file, in blocks of 512 bytes; the folder as a whole is watched.
    `ulimit -f ${Math.ceil((scratch?.bytes ?? 0) / 512)}`,
  ].join('; ')
  return spawn(
    '/bin/sh',
    [
      '-c',
      // Not every system knows every limit; V8's own and the clock stand in any case.
      `{ ${limits}; } 2>/dev/null; exec nice -n ${lowPriority} "$0" "$@"`,
      ...isolation.prefix({ readable, writable }),
      process.execPath,
      '--permission',
      ...(nativeCode ? ['--allow-addons'] : []),
      ...[...readable, ...writable].map((place) => `--allow-fs-read=${place}`),
      ...writable.map((place) => `--allow-fs-write=${place}`),
      `--max-old-space-size=${heapMb}`,
      '--disallow-code-generation-from-strings',
      '--no-warnings',
      module,
      ...writable,
    ],
    { cwd: path.dirname(module), env: environment, stdio: ['pipe', 'pipe', 'ignore'] },
  )
}

/** `node_modules`, wherever this installation has it. */
const modulesFolder = (): string =>
  fileURLToPath(import.meta.resolve('pg')).replace(/(?<=[\\/]node_modules[\\/]).*$/, '')

/** The output of the process, or undefined where it exceeds `maxBytes`. */
async function readOutput(child: ChildProcess, maxBytes: number): Promise<Buffer | undefined> {
  const output = new GrowingBytes()
  for await (const chunk of child.stdout! as AsyncIterable<Buffer>) {
    if (output.length + chunk.length > maxBytes) {
      child.kill('SIGKILL')
      return undefined
    }
    output.add(chunk)
  }
  return output.take()
}
