import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import type { Log } from '#platform/log'
import { openQueue, type Places } from './queue.ts'

/** What strangers wrote is read and run in processes that can be lost: pages, PDFs and shell scripts. */
export type Confine = (work: ConfinedWork) => Promise<Outcome>

export interface ConfinedWork {
  /** Path of a module that reads its input and writes its answer as confined-process.ts does; it may read its own folder. */
  module: string
  /** Anything that `v8.serialize` takes. */
  input: unknown
  /** Of the processor's time, loading included. On a machine that is busy elsewhere it may take `patience` times as long. */
  timeoutMs: number
  maxOutputBytes: number
  /** Whether it may load native code, which Node's permissions do not hold; for libraries of our own over data, never for strangers' code. */
  nativeCode?: boolean
  signal: AbortSignal
}

export type Outcome = { value: unknown } | { lost: 'busy' | 'time' | 'output' | 'broken' }

/** Processes of one server at a time, and those that may wait for a place: more would take the cores from everybody else. */
const usualPlaces: Places = { working: 4, waiting: 64 }

/** Memory of one process in KB, beyond which the system gives it none; what JavaScript may take of it in MB. */
const mostMemoryKb = 1024 * 1024
const mostHeapMb = 320

/** A process of low priority waits for everybody else: what counts against it is its own time, and this many times that by the clock. */
const patience = 3

const home = path.resolve(import.meta.dirname, '../../..')

/**
 * Starts a process for each piece of work: without environment, with Node's permission model so that it can read its own code and
 * nothing else, write nothing, start nothing and load no native code; with a memory limit of the system and of V8, a CPU limit, low
 * priority, and killed when its time is over. Throws the signal's reason.
 */
export function openConfinement(log: Log, places: Places = usualPlaces): Confine {
  const queue = openQueue(places)
  return async (work) => {
    using place = await queue.enter(work.signal)
    if (!place) return { lost: 'busy' }
    const outcome = await runProcess(work)
    if ('lost' in outcome)
      log.info({ module: path.basename(work.module), lost: outcome.lost }, 'a confined process was lost')
    return outcome
  }
}

async function runProcess({
  module,
  input,
  timeoutMs,
  maxOutputBytes,
  nativeCode = false,
  signal,
}: ConfinedWork): Promise<Outcome> {
  const child = start(module, timeoutMs, nativeCode)
  const exited = once(child, 'close').catch(() => [null, null])
  // No process, no memory or no file handle was left to start one.
  if (child.pid === undefined) return { lost: 'broken' }
  lowerPriority(child.pid)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill('SIGKILL')
  }, patience * timeoutMs)
  const onAbort = () => child.kill('SIGKILL')
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    // A process that dies before it has read everything breaks its pipe; how it ended is told by its exit.
    child.stdin!.on('error', () => {})
    child.stdin!.end(serialize(input))
    const output = await readOutput(child, maxOutputBytes)
    const [code, killedBy] = (await exited) as [number | null, string | null]
    signal.throwIfAborted()
    // The system's CPU limit.
    if (timedOut || killedBy === 'SIGXCPU') return { lost: 'time' }
    if (output === undefined) return { lost: 'output' }
    return code === 0 ? readAnswer(output) : { lost: 'broken' }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
  }
}

function readAnswer(output: string): Outcome {
  try {
    return { value: JSON.parse(output) as unknown }
  } catch {
    return { lost: 'broken' }
  }
}

function start(module: string, timeoutMs: number, nativeCode: boolean): ChildProcess {
  const readable = [path.dirname(module), modulesFolder(), path.join(home, 'package.json')]
  const seconds = Math.ceil(timeoutMs / 1000)
  // The soft limit ends a process with a signal that tells why.
  const limits = `ulimit -c 0; ulimit -S -t ${seconds}; ulimit -H -t ${seconds + 1}; ulimit -d ${mostMemoryKb}`
  return spawn(
    '/bin/sh',
    [
      '-c',
      // Not every system knows every limit; V8's own and the clock stand in any case.
      `{ ${limits}; } 2>/dev/null; exec "$0" "$@"`,
      process.execPath,
      '--permission',
      ...(nativeCode ? ['--allow-addons'] : []),
      ...readable.map((place) => `--allow-fs-read=${place}`),
      `--max-old-space-size=${mostHeapMb}`,
      '--disallow-code-generation-from-strings',
      '--no-warnings',
      module,
    ],
    { cwd: path.dirname(module), env: {}, stdio: ['pipe', 'pipe', 'ignore'] },
  )
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 5)
  } catch {
    // It has ended already.
  }
}

/** `node_modules`, wherever this installation has it. */
const modulesFolder = (): string =>
  fileURLToPath(import.meta.resolve('just-bash')).replace(/(?<=[\\/]node_modules[\\/]).*$/, '')

/** Everything that the process says, or undefined once it is too much. */
async function readOutput(child: ChildProcess, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of child.stdout! as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      child.kill('SIGKILL')
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
