/** The sending side of a process: takes connections that have something due, woken by NOTIFY, by the clock and, slowly, by a poll. */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app'
import { Results } from './results.ts'
import { Sender } from './sender.ts'
import * as store from './store.ts'

/** Should a word be missed. */
const pollMs = 5_000
const troubleMs = 1_000
/** Words about what others send to wake everybody; they are not looked after more often than this. */
const shortestRestMs = 20
/** Connections that are sent to at once: of one account over all processes, and by one process. */
const perAccount = 64
const perProcess = 256
/** Of the time that a stopping process has, this much is left to those who were cut. */
const lastWordsMs = 1_500

/** Begins to send. Disposing it lets what is under way end, cuts what cannot, and leaves the rest to others. */
export function startCouriers(app: App): AsyncDisposable {
  const couriers = new Couriers(app)
  return { [Symbol.asyncDispose]: () => couriers.stop() }
}

class Couriers {
  readonly #app: App
  readonly #senders = new Map<string, { sender: Sender; ended: Promise<void> }>()
  readonly #results: Results
  readonly #stopping = new AbortController()
  readonly #cut = new AbortController()
  readonly #listener: AsyncDisposable
  readonly #taking: Promise<void>
  #woken = Promise.withResolvers<void>()

  constructor(app: App) {
    this.#app = app
    this.#results = new Results(app.db, app.log)
    this.#listener = app.db.listen(['webhooks'], {
      message: (_channel, connectionId) => this.#hear(connectionId),
      up: () => this.#wake(),
      down: () => undefined,
    })
    this.#taking = this.#takeForEver()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    for (const { sender } of this.#senders.values()) sender.close()
    const ended = this.#taking.then(() => Promise.all([...this.#senders.values()].map(({ ended }) => ended)))
    const late = new AbortController()
    const givenUp = pause(this.#app.config.timing.drainMs - lastWordsMs, undefined, { signal: late.signal })
      .then(() => this.#cut.abort())
      .then(() => pause(lastWordsMs, undefined, { signal: late.signal }))
      .catch(() => undefined)
    await Promise.race([ended, givenUp])
    late.abort()
    this.#results.close()
    await this.#listener[Symbol.asyncDispose]()
  }

  #wake(): void {
    this.#woken.resolve()
  }

  /** Who sends to the connection already looks again itself. */
  #hear(connectionId: string): void {
    const known = this.#senders.get(connectionId)
    if (known) known.sender.look()
    else this.#wake()
  }

  async #takeForEver(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // Taken first: what is told from here on wakes the next round.
      this.#woken = Promise.withResolvers()
      const took = await this.#take().catch((error: unknown) => {
        this.#app.log.warn({ err: error }, 'webhooks could not be taken; it is tried again')
        return { any: false, restMs: troubleMs }
      })
      if (!took.any) await pause(shortestRestMs, undefined, { signal, ref: false }).catch(() => undefined)
      const rested = new AbortController()
      await Promise.race([
        this.#woken.promise,
        pause(took.restMs, undefined, { signal: rested.signal, ref: false }).catch(() => undefined),
      ])
      rested.abort()
    }
  }

  /** Takes what there is room for; answers how long to rest. */
  async #take(): Promise<{ any: boolean; restMs: number }> {
    const { db, clock, processes } = this.#app
    const most = perProcess - this.#senders.size
    if (most <= 0) return { any: false, restMs: pollMs }
    const now = new Date(clock.nowMs())
    const taken = await store.take(db, {
      processId: processes.id,
      busy: [...this.#senders.keys()],
      perAccount,
      most,
      now,
      lapseMs: processes.leaseMs,
    })
    for (const connection of taken) this.#start(connection)
    const any = taken.length > 0
    if (taken.length === most) return { any, restMs: pollMs }
    const next = await store.nextDue(db)
    // What is due already is out of reach for now: its account has all its places.
    const restMs = next && next > now ? Math.min(pollMs, next.getTime() - now.getTime()) : pollMs
    return { any, restMs }
  }

  #start(connection: store.TakenConnection): void {
    const { app, processId } = { app: this.#app, processId: this.#app.processes.id }
    const sender = new Sender(connection, { app, processId, results: this.#results, cut: this.#cut.signal })
    if (this.#stopping.signal.aborted) sender.close()
    const ended = sender
      .run()
      .catch((error: unknown) => {
        app.log.warn({ err: error, webhook_id: connection.connection_id }, 'a webhook could not be released')
      })
      .finally(() => {
        this.#senders.delete(connection.connection_id)
        // What was told while it ended may have come too late for it.
        this.#wake()
      })
    this.#senders.set(connection.connection_id, { sender, ended })
  }
}
