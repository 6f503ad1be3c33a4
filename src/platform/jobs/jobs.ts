/**
 * Durable background work on PostgreSQL (docs/decisions/platform/jobs.md). A job is a value that a capability declares; a piece of its
 * work is put into the queue in the transaction that makes it necessary, and runs at least once, in whichever worker has room.
 */
import type { Config } from '#platform/config'
import type { Db, Tx } from '#platform/db'
import type { DiskName } from '#platform/disk-space'
import { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { TraceContext } from '#platform/trace'
import * as store from './store.ts'
import './errors.ts'

export type { JobsApp } from './app.ts'
export { jobsHolding } from './holding.ts'
export { jobSeries, jobTimeSeries } from './metrics.ts'
export { startWorkers, type WorkersOptions } from './workers.ts'

/** The account for the platform's own work. */
export const platformAccount = '00000000-0000-0000-0000-000000000000'

export interface JobRun<Data, App> {
  app: App
  accountId: string
  data: Data
  /** Aborts when this process begins to stop: a job of many steps begins no further step then, and another process continues it. */
  stopping: AbortSignal
  /** Aborts when the shutdown time is over; unfinished work is handed to another process. */
  signal: AbortSignal
  /** The trace for the spans of the job's work. */
  trace: TraceContext
  /** Reports that a step is done: processes that died before it no longer count. */
  progressed: () => Promise<void>
}

/** Returned by a handler that has to wait, which does not count as a failure. */
export interface JobDelay {
  laterMs: number
}

/**
 * A job whose handler takes this data and this app. Workers run the jobs whose app has no member that their own app lacks. Every job is a `Job`, which
 * is what code takes that calls no handler.
 */
export interface Job<Data = never, App = never> {
  /** A dotted name, such as `files.sweep`; it is stored in the database. */
  name: string
  /** The maximum of concurrent runs: of one account over all processes, and in one process. */
  limits: (config: Config) => { perAccount: number; perProcess: number }
  /** Interval in milliseconds of a recurring job of the platform, which has no data. */
  everyMs?: number
  /** The job waits in the queue while one of these disks has too little room. Absent for jobs that make room, and for upkeep. */
  writes?: readonly DiskName[]
  /**
   * Executes the job. It may run again after a crash or a failure, even concurrently if a process only seemed dead. An error counts as a
   * failure: it is retried with growing pauses, and parked after the tenth.
   */
  handle: (run: JobRun<Data, App>) => Promise<JobDelay | undefined>
  /**
   * Called instead of `handle` for a job during which two processes in a row died: records the failure and settles its hold. Without it
   * such a job is parked; recurring jobs run again at their next time.
   */
  setAside?: (run: JobRun<Data, App>) => Promise<JobDelay | undefined>
}

export interface JobOptions<Data> {
  accountId: string
  /** The data, as JSON. */
  data: Data
  /** The earliest start; default: at once. */
  startAfter?: Date
  /** While a job with this key is queued or running, no other job with it is added. */
  singletonKey?: string
}

export interface Jobs {
  /** Queues work when the transaction commits; idle workers are notified at once. */
  enqueue<Data>(tx: Tx, job: Job<Data>, ...asks: JobOptions<Data>[]): Promise<void>
}

const unavailable = 503
const unavailableMs = 5_000

/**
 * For a handler whose work failed because something is unavailable now, which does not count as a failure of the job. Undefined for every other
 * error.
 */
export const delayIfUnavailable = (error: unknown): JobDelay | undefined =>
  error instanceof Failure && error.status === unavailable
    ? { laterMs: error.more.retryAfterMs ?? unavailableMs }
    : undefined

/**
 * Whether a job with this key is queued or running, and not parked. Query it after reading the data that the job changes: a job that has just ended
 * has already changed the data.
 */
export const isUnderWay = (
  db: Db,
  { name }: Pick<Job, 'name'>,
  of: { accountId: string; singletonKey: string },
): Promise<boolean> => store.isUnderWay(db, { ...of, name })

/** Returns the function that declares jobs whose handlers take this app; the type of a job's data comes from its handler. */
export const jobsOf =
  <App>() =>
  <Data>(spec: Job<Data, App>): Job<Data, App> =>
    spec

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
