/** One call of this process, from its beginning to its settlement. */
import { steadyClock } from '#platform/clock'
import type { CallSettlementApp } from './app.ts'
import type { MoneyListener, RunningCall } from './money/running-call.ts'
import { RunningMoney } from './money/running-money.ts'
import type { EndReason, Transport } from './parts.ts'
import type { EngineName } from './store.ts'

/** How long a session may take to end a call; after that the call is settled without it. */
const endMs = 20_000

/** A call as its beginning registers it. */
export interface AddedCall extends RunningCall {
  /** The models of the call and of its engine, all of which its key must be allowed to use. */
  models: readonly string[]
  transport: Transport['kind']
  /** The session that began it, or in which its client secret was made: the call ends with it. Undefined for calls of keys. */
  sessionId?: string | undefined
}

export class RegisteredCall {
  readonly money: RunningMoney
  readonly models: readonly string[]
  readonly engine: EngineName
  readonly transport: Transport['kind']
  readonly sessionId: string | undefined
  /** Resolves once the call is settled. */
  readonly whenSettled: Promise<unknown>
  readonly #app: CallSettlementApp
  readonly #listener: MoneyListener
  #reason: EndReason | undefined
  #endedMs = 0
  #isShort = false

  constructor(app: CallSettlementApp, call: AddedCall, listener: MoneyListener, closing: AbortSignal) {
    this.#app = app
    this.#listener = listener
    this.models = call.models
    this.engine = call.engine
    this.transport = call.transport
    this.sessionId = call.sessionId
    const settled = Promise.withResolvers<unknown>()
    this.whenSettled = settled.promise
    this.money = new RunningMoney(app, call, {
      listener: { end: (reason) => this.end(reason), warn: () => listener.warn() },
      closing,
      settling: (ending) => settled.resolve(ending),
    })
  }

  get isEnding(): boolean {
    return this.#reason !== undefined || this.money.isEnding
  }

  announceStop(inMs: number): void {
    if (!this.isEnding) this.#listener.stopping?.(Math.max(0, Math.floor(inMs / 1000)))
  }

  /** Warns the holder of the call that the balance covers no turn after the reserved one: once, until it does again. */
  warnIfShort(free: bigint): void {
    const wasShort = this.#isShort
    this.#isShort = free < this.money.reserved
    if (this.#isShort && !wasShort && !this.isEnding) this.#listener.warn()
  }

  /** Tells the holder of the call, once, to end it. */
  end(reason: EndReason): void {
    if (this.isEnding) return
    this.#reason = reason
    this.#endedMs = steadyClock.nowMs()
    this.#listener.end(reason)
  }

  /** Settles the call where its holder was told to end it and has not. */
  endOverdue(): void {
    if (!this.#reason || this.money.isEnding || steadyClock.nowMs() - this.#endedMs < endMs) return
    this.#app.log.error(
      { receipt: this.money.call.receiptId },
      'a call did not end when it was told to; it is settled',
    )
    this.settle()
  }

  settle(): void {
    this.money.end(this.#reason ?? 'failed').catch(() => {})
  }
}
