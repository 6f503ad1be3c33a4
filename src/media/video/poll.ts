/**
 * Looks at the jobs of vendors, of all accounts together: one statement takes what is due, the looks go out beside each other, and one statement
 * writes what they found. One poller runs on a database; a second one would find nothing that is due.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app'
import { job } from '#platform/jobs'
import { type Found, lookAt } from './look.ts'
import { endOverdue, isOverdue } from './overdue.ts'
import { type DueVideo, deleteOld, hasOpen, takeDue, writeLooked } from './store.ts'

const everyMs = 30_000
/** Jobs taken at once: a vendor that hangs holds no more than these. */
const maxLooks = 256
/** Should this process die over a look, another poller takes the job after this time; longer than any look. */
export const lookLeaseMs = 60_000
/** The poller waits for so many ticks for the next video before it ends. */
const idleTicks = 20
/** What has ended is told for so long after its file is gone. */
const keepMs = 30 * 24 * 60 * 60_000

export const pollJob = job<Record<string, never>>({
  name: 'videos.poll',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping, signal, progressed }) {
    const poller = new Poller(app, AbortSignal.any([stopping, signal]), progressed)
    await poller.run()
    return stopping.aborted ? { laterMs: 0 } : undefined
  },
})

class Poller {
  readonly #app: App
  readonly #signal: AbortSignal
  readonly #progressed: () => Promise<void>
  readonly #looking = new Set<Promise<void>>()
  #found: Found[] = []

  constructor(app: App, signal: AbortSignal, progressed: () => Promise<void>) {
    this.#app = app
    this.#signal = signal
    this.#progressed = progressed
  }

  async run(): Promise<void> {
    const { dueTickMs } = this.#app.config.timing
    const { db, clock } = this.#app
    await deleteOld(db, new Date(clock.nowMs() - keepMs))
    if (!(await hasOpen(db))) return
    try {
      for (let idle = 0; idle < idleTicks && !this.#signal.aborted; ) {
        const taken = await this.#tick()
        // It runs as long as a video is open: a suspect until its end would keep every fetch that is one from running.
        if (this.#looking.size === 0) await this.#progressed()
        idle = taken > 0 || this.#looking.size > 0 || (await hasOpen(db)) ? 0 : idle + 1
        await pause(dueTickMs, undefined, { signal: this.#signal }).catch(() => undefined)
      }
    } finally {
      await Promise.all(this.#looking)
      await this.#write()
    }
  }

  /** How many jobs were due. */
  async #tick(): Promise<number> {
    const { db, clock, processes } = this.#app
    await this.#write()
    const most = maxLooks - this.#looking.size
    if (most <= 0) return 0
    const nowMs = clock.nowMs()
    const due = await takeDue(db, processes, {
      now: new Date(nowMs),
      until: new Date(nowMs + lookLeaseMs),
      most,
    })
    for (const one of due) this.#begin(one)
    return due.length
  }

  #begin(due: DueVideo): void {
    const looking = this.#look(due)
      .catch((error: unknown) => {
        // It is due again when its lease is over.
        if (!this.#signal.aborted)
          this.#app.log.error({ err: error, video: due.job_id }, 'a look at a video failed')
      })
      .finally(() => this.#looking.delete(looking))
    this.#looking.add(looking)
  }

  async #look(due: DueVideo): Promise<void> {
    if (isOverdue(this.#app, due)) {
      await endOverdue(this.#app, due)
      return
    }
    const found = await lookAt(this.#app, due, this.#signal)
    if (found) this.#found.push(found)
  }

  /** What was not written is due again when its lease is over. */
  async #write(): Promise<void> {
    const found = this.#found
    this.#found = []
    if (found.length > 0) await writeLooked(this.#app.db, found)
  }
}
