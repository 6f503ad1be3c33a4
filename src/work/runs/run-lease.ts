/** One worker's lease of a run: its key, and why and how the run has to stop. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '#platform/db'
import type { DiskName } from '#platform/disk-space'
import type { Failure } from '#platform/errors'
import type { TraceContext } from '#platform/trace'
import type { RunJobApp } from './app.ts'
import { type LeaseKey, LeaseLost, type RunRow } from './store.ts'

/** Why a run stops before its pipeline has ended. */
export type StopReason =
  | 'cancelled'
  /** This process stops; another one continues the run. */
  | 'handover'
  /** The key of the run may not pay any more, or may not use its model. */
  | 'refused'
  /** An upstream asked to be called later, or a disk has no room. */
  | 'waiting'
  | 'overtime'
  /** Another worker has the run, or it has ended. */
  | 'superseded'

/** The disks to which a run writes. */
export const runDisks: readonly DiskName[] = ['database', 'wal', 'files', 'spool']
/** The delay when a disk is full; the job is not claimed before there is room, however soon it is due. */
const fullMs = 1_000

/** Thrown by steps once the run has to stop; pipelines must not catch it. */
export class RunStopped extends Error {
  override name = 'Stopped'
  readonly reason: StopReason
  constructor(reason: StopReason) {
    super(`The run stops: ${reason}.`)
    this.reason = reason
  }
}

export interface RunLeaseOptions {
  app: RunJobApp
  run: RunRow
  owner: string
  /** The signals of the job. `stopping`: begin no further step; `signal`: abort steps under way. */
  stopping: AbortSignal
  signal: AbortSignal
  trace: TraceContext
  progressed: () => Promise<void>
}

const firstPauseMs = 50
const maxPauseMs = 1_000
/** Retries of a write in a process that shuts down while the database is unreachable. */
const lastTries = 3

export class RunLease implements Disposable {
  readonly app: RunJobApp
  readonly run: RunRow
  readonly leaseKey: LeaseKey
  readonly trace: TraceContext
  /** Reports that a step is done, which resets the count of workers that died during the run. */
  readonly progressed: () => Promise<void>
  /** Ids of the models that the caller's key may use; undefined allows all. */
  allowed: ReadonlySet<string> | undefined
  /** The delay before the run continues, if `stopReason` is `waiting`. */
  retryMs = 0
  /** The reason of the refusal, if `stopReason` is `refused`. */
  failure: Failure | undefined
  /** True once a step was not executed because of `stopReason`: then the outcome of the pipeline is not its true end. */
  isIncomplete = false
  readonly #abortController = new AbortController()
  readonly #job: AbortSignal
  readonly #unlisten: () => void
  #stopReason: StopReason | undefined

  constructor({ app, run, owner, stopping, signal, trace, progressed }: RunLeaseOptions) {
    this.app = app
    this.run = run
    this.trace = trace
    this.progressed = progressed
    this.leaseKey = { accountId: run.account_id, runId: run.run_id, owner }
    this.#job = signal
    const close = (): void => this.close('handover')
    const abort = (): void => this.abort('handover')
    stopping.addEventListener('abort', close)
    signal.addEventListener('abort', abort)
    this.#unlisten = () => {
      stopping.removeEventListener('abort', close)
      signal.removeEventListener('abort', abort)
    }
  }

  /** The account and key that started the run. */
  get payer() {
    return { accountId: this.run.account_id, keyId: this.run.key_id }
  }
  get stopReason(): StopReason | undefined {
    return this.#stopReason
  }
  /** Aborts when steps under way have to end too. */
  get signal(): AbortSignal {
    return this.#abortController.signal
  }
  now(): Date {
    return new Date(this.app.clock.nowMs())
  }

  /** Lets no further step begin; steps under way finish. The first reason counts. */
  close(reason: StopReason): void {
    this.#stopReason ??= reason
  }

  /** Lets no further step begin if a disk has too little room for its charge and its result; the run continues once there is room. */
  requireDiskSpace(): void {
    if (this.app.turns.space.lacking(runDisks) === undefined) return
    this.retryMs = Math.max(this.retryMs, fullMs)
    this.close('waiting')
    this.requireOpen()
  }

  /** Lets no further step begin, because the key may not pay for it. */
  refuse(failure: Failure): void {
    this.failure ??= failure
    this.close('refused')
  }

  /** Lets no further step begin and aborts those under way. */
  abort(reason: StopReason): void {
    this.close(reason)
    if (!this.signal.aborted) this.#abortController.abort(new RunStopped(this.#stopReason!))
  }

  requireOpen(): void {
    if (this.#stopReason === undefined) return
    this.isIncomplete = true
    throw new RunStopped(this.#stopReason)
  }

  /** Stops this worker, because another one has the run or the run has ended. */
  markLost(): never {
    this.abort('superseded')
    this.isIncomplete = true
    throw new RunStopped('superseded')
  }

  /** Runs an idempotent write; retries while the database is unreachable. */
  async persist<Value>(write: () => Promise<Value>): Promise<Value> {
    let pauseMs = firstPauseMs
    for (let late = 0; ; ) {
      try {
        return await write()
      } catch (error) {
        if (error instanceof LeaseLost) return this.markLost()
        if (!isDatabaseAway(error) || (this.#job.aborted && ++late > lastTries)) throw error
      }
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    }
  }

  [Symbol.dispose](): void {
    this.#unlisten()
  }
}
