/** The work that an engine has under way in its call. */
import type { Log } from '#platform/log'
import type { CallView } from '../parts.ts'

/** A set of promises, none of which rejects: an error is logged, and ends the call. */
export class EngineWork {
  readonly #app: { log: Log }
  readonly #call: Pick<CallView, 'callId' | 'end'>
  readonly #entries = new Set<Promise<void>>()

  constructor(app: { log: Log }, call: Pick<CallView, 'callId' | 'end'>) {
    this.#app = app
    this.#call = call
  }

  get size(): number {
    return this.#entries.size
  }

  run(work: Promise<void>): void {
    const entry: Promise<void> = work
      .catch((error: unknown) => {
        this.#app.log.error({ err: error, call_id: this.#call.callId }, 'a call could not go on')
        this.#call.end('failed')
      })
      .finally(() => this.#entries.delete(entry))
    this.#entries.add(entry)
  }

  /** Resolves when no work is under way any more, including work that began meanwhile. */
  async whenDone(): Promise<void> {
    while (this.#entries.size > 0) await Promise.all(this.#entries)
  }
}
