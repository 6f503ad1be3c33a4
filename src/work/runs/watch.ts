/** Watches the runs of this process for cancellation, takeover and deadline: one query a second for all of them. */
import { type Repetition, repetitions } from '#platform/clock'
import type { RunJobApp } from './app.ts'
import type { RunLease } from './run-lease.ts'
import { readRunStates } from './store.ts'

const everyMs = 1_000

type WatchContext = Pick<RunJobApp, 'clock' | 'db' | 'log'>

class Watch {
  readonly #app: WatchContext
  readonly #leases = new Map<string, RunLease>()
  #polls: Repetition | undefined

  constructor(app: WatchContext) {
    this.#app = app
  }

  add(lease: RunLease): Disposable {
    const { runId } = lease.leaseKey
    this.#leases.set(runId, lease)
    this.#polls ??= repetitions.every(everyMs, 'watch of runs', () => this.#poll())
    return {
      [Symbol.dispose]: () => {
        if (this.#leases.get(runId) === lease) this.#leases.delete(runId)
        if (this.#leases.size > 0) return
        void this.#polls?.stop()
        this.#polls = undefined
      },
    }
  }

  async #poll(): Promise<void> {
    try {
      const rows = await readRunStates(
        this.#app.db,
        [...this.#leases.values()].map(({ leaseKey }) => leaseKey),
      )
      const nowMs = this.#app.clock.nowMs()
      for (const { run_id, owner, cancel, ended } of rows) {
        const lease = this.#leases.get(run_id)
        if (!lease) continue
        if (ended || owner !== lease.leaseKey.owner) lease.abort('superseded')
        else if (cancel) lease.abort('cancelled')
        else if (lease.run.deadline.getTime() <= nowMs) lease.abort('overtime')
      }
    } catch (error) {
      this.#app.log.warn({ err: error }, 'runs could not be watched; it is tried again')
    }
  }
}

/** One watch for each app, and so for each process. */
const watches = new WeakMap<WatchContext, Watch>()

/** Aborts the lease when its run is cancelled, taken over or past its deadline, until it is disposed. */
export function watchRun(app: WatchContext, lease: RunLease): Disposable {
  let watch = watches.get(app)
  if (!watch) {
    watch = new Watch(app)
    watches.set(app, watch)
  }
  return watch.add(lease)
}
