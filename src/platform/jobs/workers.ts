/** The job runner of a process: a lane for each kind of job, woken by NOTIFY and, in case a notification is missed, by polling. */
import { setTimeout as pause } from 'node:timers/promises'
import { repetitions } from '#platform/clock'
import { uuidv7 } from '#platform/ids'
import type { JobsApp } from './app.ts'
import { JobResults } from './job-results.ts'
import { type Job, platformAccount } from './jobs.ts'
import { Lane } from './lane.ts'
import * as store from './store.ts'

export interface WorkersOptions<App extends JobsApp> {
  app: App
  /** Jobs whose handlers take this app, or a part of it. */
  jobs: readonly Job<never, App>[]
}

const pollMs = 2_000
/** The part of the shutdown time that is reserved for aborted jobs to write their results. */
const resultsMs = 1_500

/** Starts running jobs. Disposing it stops claims; running jobs may finish, late ones are aborted, and the rest is requeued. */
export function startWorkers<App extends JobsApp>({ app, jobs }: WorkersOptions<App>): AsyncDisposable {
  const { db, log, processes, config } = app
  const stopping = new AbortController()
  const abortController = new AbortController()
  const results = new JobResults(db, log, processes.id)
  const options = {
    app,
    processId: processes.id,
    results,
    suspectLeft: () => {
      // The first lane to claim gets the next such job. The order is random, so that no kind waits for all jobs of another.
      const all = [...lanes.values()]
      const first = Math.floor(Math.random() * all.length)
      for (const lane of [...all.slice(first), ...all.slice(0, first)]) lane.wake()
    },
    stopping: stopping.signal,
    cut: abortController.signal,
  }
  const lanes: ReadonlyMap<string, Lane<App>> = new Map(jobs.map((job) => [job.name, new Lane(job, options)]))
  const wakeWaiting = waker(app, lanes, stopping.signal)
  const listener = db.listen(['jobs'], {
    message: (_channel, name) => lanes.get(name)?.wake(),
    up: wakeWaiting,
    down: () => undefined,
  })
  const recurring = recur(app, jobs)
  const poll = repetitions.every(pollMs, 'poll of jobs', async () => {
    wakeWaiting()
    recurring()
  })
  processes.afterSweep(() => sweep(app))

  return {
    async [Symbol.asyncDispose]() {
      void poll.stop()
      stopping.abort()
      const ended = Promise.all([...lanes.values()].map((lane) => lane.end()))
      const late = new AbortController()
      const givenUp = pause(config.timing.drainMs - resultsMs, undefined, { signal: late.signal })
        .then(() => abortController.abort())
        .then(() => pause(resultsMs, undefined, { signal: late.signal }))
        .catch(() => undefined)
      await Promise.race([ended, givenUp])
      late.abort()
      results.close()
      await listener[Symbol.asyncDispose]()
    },
  }
}

async function sweep({ db, log, processes }: JobsApp): Promise<void> {
  const orphans = await store.sweep(db, processes)
  if (orphans > 0n) log.warn({ jobs: String(orphans) }, 'jobs of dead processes were given to others')
}

/** Returns a function that wakes the lanes whose kinds have waiting jobs. One statement finds them: an idle process claims nothing. */
function waker(
  { db, log, processes }: JobsApp,
  lanes: ReadonlyMap<string, { wake(): void }>,
  stopping: AbortSignal,
): () => void {
  let isLooking = false
  return () => {
    if (isLooking) return
    isLooking = true
    store
      .waitingKinds(db, [...lanes.keys()], processes.id)
      .then((names) => {
        for (const name of names) lanes.get(name)!.wake()
      })
      .catch((error: unknown) => {
        if (!stopping.aborted) log.warn({ err: error }, 'waiting jobs could not be found; it is tried again')
      })
      .finally(() => {
        isLooking = false
      })
  }
}

/**
 * Returns a function that queues recurring jobs. It queries the database at most once per interval of each job, by the platform's clock, and first
 * with the first poll, so that it does not slow the start.
 */
function recur({ db, clock, log }: JobsApp, jobs: readonly Job[]): () => void {
  const recurring = jobs.flatMap(({ name, everyMs }) => (everyMs ? [{ name, everyMs, atMs: 0 }] : []))
  return () => {
    const nowMs = clock.nowMs()
    const due = recurring.filter(({ atMs }) => atMs <= nowMs)
    if (due.length === 0) return
    for (const one of due) one.atMs = nowMs + one.everyMs
    const turns = due.map(({ name, everyMs }) => ({ name, every_ms: everyMs, job_id: uuidv7() }))
    store
      .scheduleNext(db, { turns, accountId: platformAccount, now: new Date(nowMs) })
      .catch((error: unknown) => {
        for (const one of due) one.atMs = nowMs
        log.warn({ err: error }, 'recurring work could not be put into the queue')
      })
  }
}
