/** The job runner of a process: a lane for each kind of job, woken by NOTIFY and, in case one is missed, by polling. */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app'
import { uuidv7 } from '#platform/ids'
import { JobResults } from './job-results.ts'
import { type Job, platformAccount } from './jobs.ts'
import { Lane } from './lane.ts'
import * as store from './store.ts'
import { Suspects } from './suspects.ts'

export interface WorkersOptions {
  app: App
  jobs: readonly Job<never>[]
}

const pollMs = 2_000
/** Part of the shutdown time that is reserved for aborted jobs to write their results. */
const resultsMs = 1_500

/** Starts running jobs. Disposing it hands over: no more claims, running jobs may finish, late ones are aborted, the rest is requeued. */
export function startWorkers({ app, jobs }: WorkersOptions): AsyncDisposable {
  const { db, log, processes, config } = app
  const stopping = new AbortController()
  const cut = new AbortController()
  const results = new JobResults(db, log, processes.id)
  const options = {
    app,
    processId: processes.id,
    results,
    suspects: new Suspects(),
    stopping: stopping.signal,
    cut: cut.signal,
  }
  const lanes = new Map(jobs.map((job) => [job.name, new Lane(job, options)]))
  const wakeAll = (): void => {
    for (const lane of lanes.values()) lane.wake()
  }
  const listener = db.listen(['jobs'], {
    message: (_channel, name) => lanes.get(name)?.wake(),
    up: wakeAll,
    down: () => undefined,
  })
  const recurring = recur(app, jobs)
  const poll = setInterval(() => {
    wakeAll()
    recurring()
  }, pollMs).unref()
  processes.afterSweep(() => sweep(app))
  recurring()

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(poll)
      stopping.abort()
      const ended = Promise.all([...lanes.values()].map((lane) => lane.end()))
      const late = new AbortController()
      const givenUp = pause(config.timing.drainMs - resultsMs, undefined, { signal: late.signal })
        .then(() => cut.abort())
        .then(() => pause(resultsMs, undefined, { signal: late.signal }))
        .catch(() => undefined)
      await Promise.race([ended, givenUp])
      late.abort()
      results.close()
      await listener[Symbol.asyncDispose]()
    },
  }
}

async function sweep({ db, log, processes }: App): Promise<void> {
  const orphans = await store.sweep(db, processes.leaseMs)
  if (orphans > 0n) log.warn({ jobs: String(orphans) }, 'jobs of dead processes were given to others')
}

/** Queries the database at most once per interval of each recurring job, by the platform's clock. */
function recur({ db, clock, log }: App, jobs: readonly Job<never>[]): () => void {
  const due = new Map(jobs.flatMap(({ name, everyMs }) => (everyMs ? [[name, { everyMs, atMs: 0 }]] : [])))
  return () => {
    const nowMs = clock.nowMs()
    for (const [name, when] of due) {
      if (when.atMs > nowMs) continue
      when.atMs = nowMs + when.everyMs
      store
        .scheduleNext(db, {
          name,
          accountId: platformAccount,
          jobId: uuidv7(),
          everyMs: when.everyMs,
          now: new Date(nowMs),
        })
        .catch((error: unknown) => {
          when.atMs = nowMs
          log.warn({ err: error, job: name }, 'recurring work could not be put into the queue')
        })
    }
  }
}
