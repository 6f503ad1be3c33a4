/** One worker's time on a run: what it holds it by, and why and how it has to stop. */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app'
import { isDatabaseAway } from '#platform/db'
import type { Failure } from '#platform/errors'
import type { Trail } from '#platform/trace'
import { type LeaseKey, LeaseLost, type RunRow } from './store.ts'

/** Why a run stops before its pipeline has ended. */
export type StopReason =
  | 'cancelled'
  /** This process stops; another goes on. */
  | 'handover'
  /** Its key may pay for no more, or not for its model. */
  | 'refused'
  /** An upstream asked us to come back later. */
  | 'waiting'
  | 'overtime'
  /** Another worker has the run, or it has ended. */
  | 'superseded'

/** What steps throw once the run has to stop; pipelines let it pass. */
export class Stopped extends Error {
  override name = 'Stopped'
  readonly why: StopReason
  constructor(why: StopReason) {
    super(`The run stops: ${why}.`)
    this.why = why
  }
}

export interface RunLeaseOptions {
  app: App
  run: RunRow
  owner: string
  /** As jobs have them: no further step, and nothing at all. */
  stopping: AbortSignal
  signal: AbortSignal
  trail: Trail
  progressed: () => Promise<void>
}

const firstPauseMs = 50
const longestPauseMs = 1_000
/** Writes that a process which ends still tries while the database is away. */
const lastTries = 3

export class RunLease implements Disposable {
  readonly app: App
  readonly run: RunRow
  readonly held: LeaseKey
  readonly trail: Trail
  /** A step is done: workers that vanished before it do not count any more. */
  readonly progressed: () => Promise<void>
  /** Ids of the models that the caller's key may use; undefined allows all. */
  allowed: ReadonlySet<string> | undefined
  /** Where `why` is `waiting`. */
  retryMs = 0
  /** Where `why` is `refused`. */
  failure: Failure | undefined
  /** True once something was not done for `why`: then what the pipeline answers is not its true end. */
  refused = false
  readonly #cut = new AbortController()
  readonly #job: AbortSignal
  readonly #unlisten: () => void
  #why: StopReason | undefined

  constructor({ app, run, owner, stopping, signal, trail, progressed }: RunLeaseOptions) {
    this.app = app
    this.run = run
    this.trail = trail
    this.progressed = progressed
    this.held = { accountId: run.account_id, runId: run.run_id, owner }
    this.#job = signal
    const close = (): void => this.close('handover')
    const cut = (): void => this.cut('handover')
    stopping.addEventListener('abort', close)
    signal.addEventListener('abort', cut)
    this.#unlisten = () => {
      stopping.removeEventListener('abort', close)
      signal.removeEventListener('abort', cut)
    }
  }

  /** Whose key asked for the run. */
  get payer() {
    return { accountId: this.run.account_id, keyId: this.run.key_id }
  }
  get why(): StopReason | undefined {
    return this.#why
  }
  /** Aborts when steps under way have to end too. */
  get signal(): AbortSignal {
    return this.#cut.signal
  }
  now(): Date {
    return new Date(this.app.clock.nowMs())
  }

  /** No further step; those under way come to their end. The first reason counts. */
  close(why: StopReason): void {
    this.#why ??= why
  }

  /** No further step is paid by this key. */
  refuse(failure: Failure): void {
    this.failure ??= failure
    this.close('refused')
  }

  /** Steps under way end too. */
  cut(why: StopReason): void {
    this.close(why)
    if (!this.signal.aborted) this.#cut.abort(new Stopped(this.#why!))
  }

  requireOpen(): void {
    if (this.#why === undefined) return
    this.refused = true
    throw new Stopped(this.#why)
  }

  /** The run is not ours any more. */
  lose(): never {
    this.cut('superseded')
    this.refused = true
    throw new Stopped('superseded')
  }

  /** A write that may be sent again; it waits for a database that is away. */
  async persist<Value>(write: () => Promise<Value>): Promise<Value> {
    let pauseMs = firstPauseMs
    for (let late = 0; ; ) {
      try {
        return await write()
      } catch (error) {
        if (error instanceof LeaseLost) return this.lose()
        if (!isDatabaseAway(error) || (this.#job.aborted && ++late > lastTries)) throw error
      }
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  [Symbol.dispose](): void {
    this.#unlisten()
  }
}
