/**
 * Looks at the jobs of vendors, of all accounts together: one statement takes the due jobs, the looks run concurrently, and one statement writes
 * their results. A second poller finds no due job; it is there for the time in which the first has died and nobody knows it yet.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '#platform/db'
import { platformAccount } from '#platform/jobs'
import { job, type VideoApp } from './app.ts'
import { type LookUpdate, lookAt } from './look.ts'
import { endOverdue, isOverdue } from './overdue.ts'
import { type DueVideo, deleteOld, hasOpen, takeDue, writeLookResults } from './store.ts'

const everyMs = 30_000
/** The most jobs taken at once: a vendor that hangs holds no more than these. */
const maxLooks = 256
/** If this process dies during a look, another poller takes the job after this time; it is longer than any look. */
export const lookLeaseMs = 60_000
/** How many ticks the poller waits for the next video before it ends. */
const idleTicks = 20
/** How long the record of an ended job is kept after its file is gone. */
const keepMs = 30 * 24 * 60 * 60_000

/** Pollers that run on a database, in as many processes: one that has died keeps its place for the length of a lease. */
const maxPollers = 2
/**
 * The keys under which the poller is queued. A poller that is about to end holds one of them, and what is queued under it is dropped: of one key more
 * than there are pollers one is always free, and its poller begins as soon as another ends.
 */
const pollerKeys = ['recurring', ...Array.from({ length: maxPollers }, (_, place) => `woken ${place + 1}`)]

/** Its data is null in a recurring run. One that was woken waits for a video, since the transaction that woke it may not have committed yet. */
export const pollJob = job<{ isWoken: true } | null>({
  name: 'videos.poll',
  limits: () => ({ perAccount: maxPollers, perProcess: 1 }),
  everyMs,
  async handle({ app, data, stopping, signal, progressed }) {
    const poller = new Poller(app, AbortSignal.any([stopping, signal]), progressed)
    await deleteOld(app.db, new Date(app.clock.nowMs() - keepMs))
    if (data?.isWoken || (await hasOpen(app.db))) await poller.run()
    return stopping.aborted ? { laterMs: 0 } : undefined
  },
})

/** Has a poller look at what this transaction writes, as soon as it commits. */
export const wakePoller = ({ jobs }: Pick<VideoApp, 'jobs'>, tx: Tx): Promise<void> =>
  jobs.enqueue(
    tx,
    pollJob,
    ...pollerKeys.map((singletonKey) => ({
      accountId: platformAccount,
      data: { isWoken: true } as const,
      singletonKey,
    })),
  )

class Poller {
  readonly #app: VideoApp
  readonly #signal: AbortSignal
  readonly #progressed: () => Promise<void>
  readonly #looking = new Set<Promise<void>>()
  #found: LookUpdate[] = []

  constructor(app: VideoApp, signal: AbortSignal, progressed: () => Promise<void>) {
    this.#app = app
    this.#signal = signal
    this.#progressed = progressed
  }

  async run(): Promise<void> {
    const { dueTickMs } = this.#app.config.timing
    const { db } = this.#app
    try {
      for (let idle = 0; idle < idleTicks && !this.#signal.aborted; ) {
        const taken = await this.#tick()
        // The poller runs as long as a video is open. If it were suspected of crashing its process until its end, no suspected fetch could run
        // meanwhile.
        if (this.#looking.size === 0) await this.#progressed()
        idle = taken > 0 || this.#looking.size > 0 || (await hasOpen(db)) ? 0 : idle + 1
        await pause(dueTickMs, undefined, { signal: this.#signal }).catch(() => undefined)
      }
    } finally {
      await Promise.all(this.#looking)
      await this.#write()
    }
  }

  /** Takes and looks at the due jobs, and returns how many there were. */
  async #tick(): Promise<number> {
    const { db, clock, files } = this.#app
    await this.#write()
    const maxDue = maxLooks - this.#looking.size
    if (maxDue <= 0) return 0
    const nowMs = clock.nowMs()
    const due = await takeDue(db, files.processes, {
      now: new Date(nowMs),
      until: new Date(nowMs + lookLeaseMs),
      most: maxDue,
    })
    for (const one of due) this.#begin(one)
    return due.length
  }

  #begin(due: DueVideo): void {
    const looking = this.#look(due)
      .catch((error: unknown) => {
        // The job is due again when its lease is over.
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

  /** Writes the results; a job whose result was not written is due again when its lease is over. */
  async #write(): Promise<void> {
    const found = this.#found
    this.#found = []
    if (found.length > 0) await writeLookResults(this.#app.db, found)
  }
}
