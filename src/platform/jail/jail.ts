/**
 * A jail for programs that run code of strangers (docs/decisions/0073). It fails closed: where this machine cannot build one that was seen to
 * hold, nothing runs.
 */
import type { Localized } from '#platform/errors'
import type { Log } from '#platform/log'
import { refusals } from './phrases.ts'
import { selfTest } from './self-test.ts'
import { type JailedProcess, type JailedProgram, type JailTools, startJailed } from './start.ts'
import { openUsers } from './users.ts'

export { foldersAbove } from './bubblewrap.ts'
export { librariesOf } from './libraries.ts'
export { holdLock } from './lock.ts'
export { type Consumption, lowerPriority, type Meter, openMeter, pageBytes } from './meter.ts'
export {
  isRunningAlready,
  type JailedServer,
  pidIn,
  reserveInfo,
  type StartedServer,
  startServerInJail,
} from './server.ts'
export { descriptorOf, firstSocket, type JailedProcess, type JailTools } from './start.ts'

/** Whether a jail can be built here; `tools` are those that build it. */
export type JailState =
  | { kind: 'jailed'; tools: JailTools }
  /** `isSure`: false where the test did not end as it should, on a busy machine perhaps; then it is done again by itself. */
  | { kind: 'refused'; why: Localized; isSure: boolean }

export interface Jail extends Disposable {
  /**
   * What the last test said; the first one begins when this is first asked. Never throws, and waits only for a first test, and not for long.
   */
  state(): Promise<JailState>
  /**
   * A user that no other jail of this machine has, where this server is root; undefined elsewhere. Given back by disposing it. Throws where all
   * are taken.
   */
  user(): { id: number | undefined } & Disposable
  /** Throws where there is no jail. */
  start(program: JailedProgram, user: number | undefined): Promise<JailedProcess>
}

/** Whoever asks waits so long for the first test, which takes a fraction of it. */
const maxWaitMs = 10_000
/** From the end of a test that did not end well to the next one. */
const pauseMs = 10_000

export interface JailOptions {
  test?: (log: Log) => Promise<JailState>
  waits?: { maxWaitMs: number; pauseMs: number }
}

export function openJail(log: Log, options: JailOptions = {}): Jail {
  return new TestedJail(log, options)
}

class TestedJail implements Jail {
  readonly #log: Log
  readonly #test: NonNullable<JailOptions['test']>
  readonly #waits: NonNullable<JailOptions['waits']>
  readonly #users = openUsers()
  #first: Promise<void> | undefined
  #last: JailState | undefined
  #next: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(log: Log, { test = selfTest, waits = { maxWaitMs, pauseMs } }: JailOptions) {
    this.#log = log
    this.#test = test
    this.#waits = waits
  }

  async state(): Promise<JailState> {
    this.#first ??= this.#run()
    if (!this.#last) await atMost(this.#waits.maxWaitMs, this.#first)
    return this.#last ?? { kind: 'refused', why: refusals.underWay, isSure: false }
  }

  user(): ReturnType<Jail['user']> {
    return this.#users.take()
  }

  async start(program: JailedProgram, user: number | undefined): Promise<JailedProcess> {
    const state = await this.state()
    if (state.kind === 'refused') throw new Error(state.why.en)
    return startJailed(state.tools, program, user)
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#next)
  }

  async #run(): Promise<void> {
    const state = await this.#test(this.#log)
    this.#last = state
    if (state.kind === 'jailed' || state.isSure || this.#isClosed) return
    this.#next = setTimeout(() => void this.#run(), this.#waits.pauseMs).unref()
  }
}

async function atMost(ms: number, awaited: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([awaited, late])
  clearTimeout(timer)
}
