/**
 * A jail for programs that run code of strangers (docs/decisions/platform/jail.md). It fails closed: nothing runs unless this machine was seen to
 * build a jail that holds.
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
  alreadyRunningExitCode,
  type JailedServer,
  pidIn,
  reserveInfo,
  type StartedServer,
  startServerInJail,
} from './server.ts'
export { descriptorOf, firstSocket, type JailedProcess, type JailTools } from './start.ts'

/** Whether a jail can be built here; `tools` are the programs that build it. */
export type JailState =
  | { kind: 'jailed'; tools: JailTools }
  /** `isSure` is false if the test did not end properly, perhaps on a busy machine; then it is repeated automatically. */
  | { kind: 'refused'; why: Localized; isSure: boolean }

export interface Jail extends Disposable {
  /** The result of the last test; the first test begins with the first call. Never throws; waits only for the first test, and not for long. */
  state(): Promise<JailState>
  /**
   * Takes a user that no other jail of this machine has, if this server is root; the id is undefined otherwise. Disposing gives it back. Throws if
   * all users are taken.
   */
  user(): { id: number | undefined } & Disposable
  /** Starts a program in the jail. Throws if there is no jail. */
  start(program: JailedProgram, user: number | undefined): Promise<JailedProcess>
}

/** How long a caller waits for the first test, which normally takes a fraction of this time. */
const maxWaitMs = 10_000
/** The pause between a failed test and the next one. */
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
