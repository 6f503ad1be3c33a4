/**
 * Durable background work on PostgreSQL (docs/decisions/0021-jobs.md). A job is a value that a capability declares; a piece of its
 * work is put into the queue in the transaction that makes it necessary, and runs at least once, in whichever worker has room.
 */
import type { App } from '#app'
import type { Config } from '#platform/config'
import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import type { TraceContext } from '#platform/trace'
import * as store from './store.ts'
import './errors.ts'

export { jobSeries, jobTimeSeries } from './metrics.ts'
export { startWorkers, type WorkersOptions } from './workers.ts'

/** The account of the platform's own work. */
export const platformAccount = '00000000-0000-0000-0000-000000000000'

export interface Run<Data> {
  app: App
  accountId: string
  data: Data
  /** Aborts when this process begins to stop: work of many steps begins no further one and is handed to another. */
  stopping: AbortSignal
  /** Aborts when this process can wait no longer for its end: what is left undone is handed to another. */
  signal: AbortSignal
  /** For the spans of what it does. */
  trace: TraceContext
  /** Work of many steps says that one is done for good: processes that vanished before it do not count any more. */
  progressed: () => Promise<void>
}

/** Answered by a handler that has to wait; that is no failure. */
export interface Later {
  laterMs: number
}

export interface Job<Data = never> {
  /** Dotted, such as `files.sweep`; it stands in the database. */
  name: string
  /** How many run at once: of one account over all processes, and in one process. */
  limits: (config: Config) => { perAccount: number; perProcess: number }
  /** Milliseconds: the job runs again and again by itself, for the platform, with no data. */
  everyMs?: number
  /**
   * Does a piece of the work. It may run again after a crash or a failure, even beside itself where a process only seemed dead.
   * What it throws is a failure: it is tried again after growing pauses, and parked after the tenth.
   */
  handle: (run: Run<Data>) => Promise<Later | undefined>
  /**
   * Ends for good what two processes in a row did not survive, in the place of `handle`: records the failure and settles its hold.
   * Without it such a job is parked; recurring work comes again in its time.
   */
  setAside?: (run: Run<Data>) => Promise<Later | undefined>
}

export interface JobOptions<Data> {
  accountId: string
  /** JSON. */
  data: Data
  /** At once when absent. */
  startAfter?: Date
  /** While a job with this key is not over, running included, another is not taken. */
  singletonKey?: string
}

export interface Jobs {
  /** Puts work into the queue when the transaction commits; idle workers are woken at once. */
  enqueue<Data>(tx: Tx, job: Job<Data>, ...asks: JobOptions<Data>[]): Promise<void>
}

/** Declares a job; the type of its data comes from its handler. */
export const job = <Data>(spec: Job<Data>): Job<Data> => spec

export const jobs: Jobs = {
  async enqueue(tx, { name }, ...asks) {
    const rows = asks.map(({ accountId, data, startAfter, singletonKey }) => ({
      account_id: accountId,
      job_id: uuidv7(),
      data,
      run_at: startAfter,
      singleton_key: singletonKey,
    }))
    if (rows.length > 0) await store.put(tx, name, rows)
  },
}
