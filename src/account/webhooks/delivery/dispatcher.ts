/** The sending side of a process: takes connections that have something due, woken by NOTIFY, by the clock and, slowly, by a poll. */
import { setTimeout as pause } from 'node:timers/promises'
import type { WebhooksApp } from '../app.ts'
import { Results } from './results.ts'
import { Sender } from './sender.ts'
import * as store from './store.ts'

/** The pause between polls, in case a NOTIFY is missed. */
const pollMs = 5_000
const errorPauseMs = 1_000
/** The least pause between reads of the queue, since a NOTIFY wakes every process, also for connections of others. */
const minRestMs = 20
/** Connections that are sent to at once: of one account over all processes, and by one process. */
const perAccount = 64
const perProcess = 256
/** How much of the drain time is reserved for attempts that were aborted. */
const cutGraceMs = 1_500

/** Starts sending. Disposing it lets attempts under way finish, aborts late ones, and leaves the rest to other processes. */
export function startDispatcher(app: WebhooksApp): AsyncDisposable {
  const dispatcher = new Dispatcher(app)
  return { [Symbol.asyncDispose]: () => dispatcher.stop() }
}

class Dispatcher {
  readonly #app: WebhooksApp
  readonly #senders = new Map<string, { sender: Sender; ended: Promise<void> }>()
  readonly #results: Results
  readonly #stopping = new AbortController()
  readonly #cut = new AbortController()
  readonly #listener: AsyncDisposable
  readonly #taking: Promise<void>
  #wakeSignal = Promise.withResolvers<void>()

  constructor(app: WebhooksApp) {
    this.#app = app
    this.#results = new Results(app.db, app.log)
    this.#listener = app.db.listen(['webhooks'], {
      message: (_channel, connectionId) => this.#onNotify(connectionId),
      up: () => this.#wake(),
      down: () => undefined,
    })
    this.#taking = this.#loop()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    for (const { sender } of this.#senders.values()) sender.close()
    const ended = this.#taking.then(() => Promise.all([...this.#senders.values()].map(({ ended }) => ended)))
    const late = new AbortController()
    const timedOut = pause(this.#app.config.timing.drainMs - cutGraceMs, undefined, { signal: late.signal })
      .then(() => this.#cut.abort())
      .then(() => pause(cutGraceMs, undefined, { signal: late.signal }))
      .catch(() => undefined)
    await Promise.race([ended, timedOut])
    late.abort()
    this.#results.close()
    await this.#listener[Symbol.asyncDispose]()
  }

  #wake(): void {
    this.#wakeSignal.resolve()
  }

  /** Makes the sender of the connection read again; without one in this process, the dispatcher does. */
  #onNotify(connectionId: string): void {
    const known = this.#senders.get(connectionId)
    if (known) known.sender.readAgain()
    else this.#wake()
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // The signal is renewed before reading: a NOTIFY from here on wakes the next round.
      this.#wakeSignal = Promise.withResolvers()
      const taken = await this.#take().catch((error: unknown) => {
        this.#app.log.warn({ err: error }, 'webhooks could not be taken; it is tried again')
        return { hasTaken: false, restMs: errorPauseMs }
      })
      if (!taken.hasTaken) await pause(minRestMs, undefined, { signal, ref: false }).catch(() => undefined)
      const rested = new AbortController()
      await Promise.race([
        this.#wakeSignal.promise,
        pause(taken.restMs, undefined, { signal: rested.signal, ref: false }).catch(() => undefined),
      ])
      rested.abort()
    }
  }

  /** Takes as many connections as there is room for. Returns how long to rest. */
  async #take(): Promise<{ hasTaken: boolean; restMs: number }> {
    const { db, clock, processes } = this.#app
    const max = perProcess - this.#senders.size
    if (max <= 0) return { hasTaken: false, restMs: pollMs }
    const now = new Date(clock.nowMs())
    const taken = await store.takeConnections(db, {
      processId: processes.id,
      busy: [...this.#senders.keys()],
      perAccount,
      max,
      now,
      lapseMs: processes.leaseMs,
      beatAt: processes.beatAt,
    })
    for (const connection of taken) this.#start(connection)
    const hasTaken = taken.length > 0
    if (taken.length === max) return { hasTaken, restMs: pollMs }
    const next = await store.nextDueAt(db)
    // Deliveries that are due already cannot be taken now: their account has reached its limit.
    const restMs = next && next > now ? Math.min(pollMs, next.getTime() - now.getTime()) : pollMs
    return { hasTaken, restMs }
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
        // The sender may have missed a NOTIFY that came while it ended.
        this.#wake()
      })
    this.#senders.set(connection.connection_id, { sender, ended })
  }
}
