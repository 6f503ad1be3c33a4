/** When the machine gave nobody time: `observer.ts` is started here, and what it saw is kept. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { until } from '../harness/until.ts'

/**
 * The shortest promise that tests keep in real seconds: the lease of `tests/crash/site.ts` (`shortLeaseMs`) and of
 * `tests/campaign/kills/webhooks.test.ts`. The product's own are longer: a lease of 20 s, 5 s for a statement, 8 s for a stop. Idle times of upstreams
 * in tests/providers are shorter, down to 60 ms; but one that runs out shows as a value, which no gap excuses. `observer.test.ts` holds the
 * figure against every lease that tests write down.
 */
export const shortestPromiseMs = 1_500

/** Of a lateness that counts: heartbeats come at a quarter of their lease, so a longer one may cost a heartbeat, and four of them a lease. */
export const gapMs = shortestPromiseMs / 4

/** The machine gave nobody time in between, in milliseconds since 1970. */
export interface Gap {
  fromMs: number
  toMs: number
}

/** What the observer runs under: `chrt -f 50`, a niceness of −10, or nothing of the kind. */
export type Priority = 'real-time' | 'nice' | 'plain'

export interface Observer extends AsyncDisposable {
  readonly priority: Priority
  readonly pid: number
  /** Those that it has written so far, oldest first. */
  readonly gaps: readonly Gap[]
  /** Waits until all that it saw up to now is in `gaps`, which takes a second at most. Throws where it has died: then no gap is known. */
  upToDate(): Promise<void>
}

export interface ObserverOptions {
  /** The lateness from which on it is a gap. */
  longerThanMs?: number
  /** Where it says which priority it got. */
  print?: (line: string) => void
}

const sentences: Record<Priority, string> = {
  'real-time': 'with real-time priority (chrt -f 50)',
  nice: 'with a niceness of -10, since real-time priority is not permitted here',
  plain:
    'with plain priority, since no higher one is permitted here: load of our own may look like a stand-still',
}

/** Starts the observer with the highest priority that is permitted, and prints which one that is. */
export async function startObserver(options: ObserverOptions = {}): Promise<Observer> {
  const { longerThanMs = gapMs, print = console.log } = options
  const program = [process.execPath, path.join(import.meta.dirname, 'observer.ts'), String(longerThanMs)]
  const isRealTime = spawnSync('chrt', ['-f', '50', 'true']).status === 0
  const [command, ...words] = isRealTime ? ['chrt', '-f', '50', ...program, 'real-time'] : program
  // A group of its own: a Ctrl-C at the terminal is for the runner, at whose end the observer's standard input ends.
  const child = spawn(command!, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const observer = new ObserverProcess(child)
  try {
    await until(() => observer.isReady || observer.isOver, 60_000)
    if (observer.isOver) throw new Error('the observer of stand-stills did not start')
  } catch (error) {
    await observer[Symbol.asyncDispose]()
    throw error
  }
  print(`Stand-stills of more than ${longerThanMs} ms are observed ${sentences[observer.priority]}.`)
  return observer
}

class ObserverProcess implements Observer {
  priority: Priority = 'plain'
  isReady = false
  isOver = false
  readonly gaps: Gap[] = []
  readonly pid: number
  readonly #child: ChildProcess
  readonly #over: Promise<unknown>
  #asked = 0
  #answered = 0

  constructor(child: ChildProcess) {
    this.#child = child
    this.pid = child.pid ?? 0
    // `once` rejects where it could not be started.
    const end = () => {
      this.isOver = true
    }
    this.#over = once(child, 'close').then(end, end)
    // It may end before it has read a line.
    child.stdin!.on('error', () => undefined)
    createInterface({ input: child.stdout! }).on('line', (line) => this.#take(JSON.parse(line)))
  }

  async upToDate(): Promise<void> {
    const number = ++this.#asked
    this.#child.stdin!.write('\n')
    await until(() => this.#answered >= number || this.isOver, 60_000)
    if (this.#answered < number) throw new Error('the observer of stand-stills has died: no gap is known')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin!.end()
    // One that is stopped, or hangs, would keep the runner for good.
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    await this.#over
    clearTimeout(impatience)
  }

  #take(line: Gap | { priority: Priority } | { asked: number }): void {
    if ('priority' in line) {
      this.priority = line.priority
      this.isReady = true
    } else if ('asked' in line) this.#answered = line.asked
    else this.gaps.push(line)
  }
}
