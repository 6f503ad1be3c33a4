/** What others decide about the runs that go on in this process: one question a second for all of them. */
import type { App } from '#app'
import type { RunLease } from './run-lease.ts'
import { watchRuns } from './store.ts'

const everyMs = 1_000

class Watch {
  readonly #app: App
  readonly #shifts = new Map<string, RunLease>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(app: App) {
    this.#app = app
  }

  add(shift: RunLease): Disposable {
    const { runId } = shift.held
    this.#shifts.set(runId, shift)
    this.#timer ??= setInterval(() => void this.#look(), everyMs).unref()
    return {
      [Symbol.dispose]: () => {
        if (this.#shifts.get(runId) === shift) this.#shifts.delete(runId)
        if (this.#shifts.size > 0) return
        clearInterval(this.#timer)
        this.#timer = undefined
      },
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const rows = await watchRuns(
        this.#app.db,
        [...this.#shifts.values()].map(({ held }) => held),
      )
      const nowMs = this.#app.clock.nowMs()
      for (const { run_id, owner, cancel, ended } of rows) {
        const shift = this.#shifts.get(run_id)
        if (!shift) continue
        if (ended || owner !== shift.held.owner) shift.cut('superseded')
        else if (cancel) shift.cut('cancelled')
        else if (shift.run.deadline.getTime() <= nowMs) shift.cut('overtime')
      }
    } catch (error) {
      this.#app.log.warn({ err: error }, 'runs could not be watched; it is tried again')
    } finally {
      this.#isLooking = false
    }
  }
}

/** One for each process: an app is made once. */
const watches = new WeakMap<App, Watch>()

/** The shift is told when its run is cancelled, taken over or past its time; until it is disposed. */
export function watchRun(app: App, shift: RunLease): Disposable {
  let watch = watches.get(app)
  if (!watch) {
    watch = new Watch(app)
    watches.set(app, watch)
  }
  return watch.add(shift)
}
