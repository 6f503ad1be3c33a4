/**
 * Sends the events of one connection, which no other process does meanwhile: up to eight at once over kept sockets, so that one target, however slow,
 * takes nothing from another. A target that fails again and again is left alone for a while and then tried with one event.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { KeepAliveClient } from '#platform/net'
import type { WebhooksApp } from '../app.ts'
import { sealedFor } from '../secret.ts'
import { attempt, type DeliveryTarget } from './attempt.ts'
import type { Results } from './results.ts'
import { type AttemptResult, decideDelivery, isGone, isSuccess } from './retry.ts'
import * as store from './store.ts'

const maxAtOnce = 8
/** Events read ahead, and how few are left when more are read. */
const readAhead = 200
const refillAt = 50
/** After this many failures in a row the target is left alone, at first for `firstParkMs`, then twice as long each time. */
const maxFailures = 10
const firstParkMs = 5_000
const maxParkMs = 5 * 60 * 1000
/** The pause after an error of our own. */
const errorPauseMs = 1_000

export interface SenderOptions {
  app: WebhooksApp
  processId: string
  results: Results
  /** Aborts attempts under way. */
  cut: AbortSignal
}

export class Sender {
  readonly #options: SenderOptions
  #connection: store.TakenConnection
  #target: DeliveryTarget | undefined
  #queue: store.DueDelivery[] = []
  /** Deliveries that were read and whose outcome is not durable yet. */
  readonly #busy = new Set<string>()
  #inFlight = 0
  #isReading = false
  /** Whether the database may have more that is due. */
  #mayHaveMore = true
  #failures = 0
  #parkedUntil: Date | null = null
  #isClosing = false
  #isOver = false
  readonly #ended = Promise.withResolvers<void>()

  constructor(connection: store.TakenConnection, options: SenderOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** Resolves when nothing is due any more and every outcome is durable; the connection is then released. */
  async run(): Promise<void> {
    const { app, processId } = this.#options
    this.#pump()
    await this.#ended.promise
    await this.#target?.client[Symbol.asyncDispose]()
    await store.releaseConnection(
      app.db,
      this.#connection,
      processId,
      this.#connection.strikes,
      this.#parkedUntil,
    )
  }

  /** Reads again, since the connection was changed or has something new. A sender that has ended is replaced by another. */
  readAgain(): void {
    this.#mayHaveMore = true
    this.#pump()
  }

  /** Begins no further attempt. */
  close(): void {
    this.#isClosing = true
    this.#drop()
    this.#pump()
  }

  get #limit(): number {
    return this.#connection.strikes > 0 ? 1 : maxAtOnce
  }

  #pump(): void {
    if (this.#isOver) return
    if (this.#isClosing || this.#parkedUntil) this.#drop()
    else {
      while (this.#target && this.#inFlight < this.#limit && this.#queue.length > 0)
        this.#launch(this.#target, this.#queue.shift()!)
      if (this.#mayHaveMore && !this.#isReading && this.#queue.length < refillAt) void this.#refill()
    }
    if (this.#isReading || this.#busy.size > 0) return
    this.#isOver = true
    this.#ended.resolve()
  }

  /** Leaves deliveries that were read and not begun to the next sender. */
  #drop(): void {
    for (const { delivery_id } of this.#queue.splice(0)) this.#busy.delete(delivery_id)
    this.#mayHaveMore = false
  }

  async #refill(): Promise<void> {
    const { app, processId } = this.#options
    this.#isReading = true
    this.#mayHaveMore = false
    try {
      const now = new Date(app.clock.nowMs())
      const [connection, found] = await Promise.all([
        store.refreshConnection(app.db, this.#connection, { processId, now }),
        store.dueDeliveries(app.db, this.#connection, [...this.#busy], now, readAhead),
      ])
      if (!connection) return this.close()
      await this.#applyConnection(connection)
      if (this.#isClosing || this.#parkedUntil) return
      this.#queue.push(...found)
      for (const { delivery_id } of found) this.#busy.add(delivery_id)
      if (found.length === readAhead) this.#mayHaveMore = true
    } catch (error) {
      app.log.warn({ err: error, webhook_id: this.#connection.connection_id }, 'events could not be read')
      await pause(errorPauseMs, undefined, { signal: this.#options.cut, ref: false }).catch(() => undefined)
      this.close()
    } finally {
      this.#isReading = false
      this.#pump()
    }
  }

  /** Applies changes of the connection: a new address gets new sockets and no strikes, a new secret signs from here on. */
  async #applyConnection(now: store.TakenConnection): Promise<void> {
    const { app } = this.#options
    const before = this.#connection
    const isUrlChanged = before.url !== now.url
    // This sender counts the strikes itself, unless they were reset in the database.
    this.#connection = { ...now, strikes: isUrlChanged || now.strikes === 0 ? now.strikes : before.strikes }
    if (isUrlChanged) void this.#target?.client[Symbol.asyncDispose]()
    const client: KeepAliveClient =
      (!isUrlChanged && this.#target?.client) || app.net.keepAliveClient(now.url, maxAtOnce)
    const purpose = sealedFor(now.connection_id)
    const isOldSecretValid = (now.old_secret_until?.getTime() ?? 0) > app.clock.nowMs()
    this.#target = {
      client,
      secret: await app.secrets.open(now.secret, purpose),
      oldSecret:
        now.old_secret !== null && isOldSecretValid
          ? await app.secrets.open(now.old_secret, purpose)
          : undefined,
    }
  }

  #launch(target: DeliveryTarget, event: store.DueDelivery): void {
    this.#inFlight += 1
    void this.#send(target, event)
      .catch((error: unknown) => {
        const { connection_id } = this.#connection
        this.#options.app.log.error(
          { err: error, webhook_id: connection_id },
          'a webhook could not be switched off',
        )
        this.close()
      })
      .finally(() => {
        this.#busy.delete(event.delivery_id)
        this.#pump()
      })
  }

  async #send(target: DeliveryTarget, event: store.DueDelivery): Promise<void> {
    const { app, results, cut } = this.#options
    const outcome = await attempt(target, event, app.clock.nowMs(), { signal: cut, log: app.log }).finally(
      () => {
        this.#inFlight -= 1
      },
    )
    if (!outcome) return
    const nowMs = app.clock.nowMs()
    const attempts = event.attempts + 1
    const { state, error, dueMs } = decideDelivery(outcome, attempts, event.most_attempts, nowMs)
    app.metrics.webhooks.inc({ outcome: state === 'pending' ? 'retried' : state })
    const stored = results.add({
      account_id: event.account_id,
      delivery_id: event.delivery_id,
      state,
      attempts,
      status_code: outcome.status ?? null,
      error,
      duration_ms: outcome.durationMs,
      attempted_at: new Date(nowMs),
      due_at: dueMs === null ? null : new Date(dueMs),
    })
    this.#recordOutcome(outcome, nowMs)
    this.#pump()
    await stored
    if (isGone(outcome)) {
      await store.switchOff(app.db, this.#connection, new Date(nowMs))
      this.close()
    }
  }

  #recordOutcome(outcome: AttemptResult, nowMs: number): void {
    if (isSuccess(outcome)) {
      this.#failures = 0
      this.#connection.strikes = 0
      return
    }
    this.#failures += 1
    const { strikes } = this.#connection
    const overrun = outcome.retryAfterMs ?? 0
    if (overrun > 0) this.#parkedUntil = new Date(nowMs + overrun)
    if (this.#failures < maxFailures && strikes === 0) return
    this.#connection.strikes += 1
    const parkMs = Math.min(firstParkMs * 2 ** strikes, maxParkMs)
    this.#parkedUntil = new Date(nowMs + Math.max(parkMs, overrun))
  }
}
