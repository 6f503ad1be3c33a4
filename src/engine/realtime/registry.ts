/** The calls of this process: how many it takes, their money, and what the database says of them every few seconds. */
import type { App } from '#app'
import { sweepCalls } from './abandoned.ts'
import { Codecs } from './codecs.ts'
import { type MoneyListener, type RunningCall, RunningMoney } from './money/running-money.ts'
import { type Settling, settleCall } from './money/settle.ts'
import { mostAwayMs } from './money/until-back.ts'
import type { EndReason } from './parts.ts'
import { deleteProcess, writeProcess } from './process-store.ts'
import { type Checking, whyUnpaid } from './still-paid.ts'
import { type Ticked, writeTicks } from './store.ts'

export type RegistryApp = Settling & Checking & Pick<App, 'processes'>

export interface RegistryOptions {
  /** How many calls this process takes; 0: it takes none, and only ends those of dead processes. */
  capacity: number
  /** Where other processes reach it. */
  address?: string | undefined
}

/** A call as its session gives it. */
export interface AddedCall extends RunningCall {
  /** Of the call and of what works in it: all of which its key may use. */
  models: readonly string[]
}

const tickMs = 5_000
/** Of a statement of a tick; the next one is due then. */
const tickTimeoutMs = 4_000
/** A call that is not connected by then is ended. */
const connectMs = 15_000
/** Who was told to end a call has this long; then it is settled without. */
const endMs = 20_000
/** A stop waits so long for calls to end, and so long again for them to be settled. */
const stopMs = 2_000

/** Begins to keep calls. Disposing it ends those that are left. */
export async function openRealtimeCalls(app: RegistryApp, options: RegistryOptions): Promise<RealtimeCalls> {
  const calls = new RealtimeCalls(app, options)
  await calls.open()
  return calls
}

export class RealtimeCalls implements AsyncDisposable {
  /** For calls over WebRTC. */
  readonly codecs: Codecs
  readonly #app: RegistryApp
  readonly #options: RegistryOptions
  readonly #calls = new Map<string, RegisteredCall>()
  readonly #closing = new AbortController()
  #places = 0
  #isDraining = false
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> | undefined
  /** When the database answered a tick last. */
  #answeredMs = performance.now()

  constructor(app: RegistryApp, options: RegistryOptions) {
    this.#app = app
    this.#options = options
    this.codecs = new Codecs(options.capacity)
  }

  async open(): Promise<void> {
    this.#app.processes.afterSweep(() => sweepCalls(this.#app))
    if (this.#options.capacity === 0) return
    await this.#writeLease()
    this.#timer = setInterval(() => void this.tick(), tickMs)
    this.#timer.unref()
  }

  get processId(): string {
    return this.#app.processes.id
  }
  /** Calls that run, and places that were reserved. */
  get busy(): number {
    return this.#calls.size + this.#places
  }

  /** A place for a call that is being prepared, until it is disposed; undefined where none is free, or this process is being stopped. */
  reserve(): Disposable | undefined {
    if (this.#isDraining || this.busy >= this.#options.capacity) return undefined
    this.#places++
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#places--
        isTaken = false
      },
    }
  }

  /** Takes over a call whose beginning is committed (`beginCall`). */
  add(call: AddedCall, listener: MoneyListener): RunningMoney {
    const registered = new RegisteredCall(this.#app, call, listener, this.#closing.signal)
    this.#calls.set(call.callId, registered)
    registered.over.then(
      () => this.#calls.delete(call.callId),
      () => this.#calls.delete(call.callId),
    )
    return registered.money
  }

  /** Ends a call of this process, as if its client wanted it. False where it has none of that id. */
  end(callId: string, reason: EndReason): boolean {
    const call = this.#calls.get(callId)
    call?.end(reason)
    return call !== undefined
  }

  /** No further call is taken from here on. */
  async drain(): Promise<void> {
    this.#isDraining = true
    if (this.#options.capacity > 0) await this.#writeLease()
  }

  /** Also runs by itself, every five seconds; never rejects. */
  tick(): Promise<void> {
    this.#ticking ??= this.#tick()
      .catch((error: unknown) =>
        this.#app.log.warn({ err: error }, 'a tick of calls failed; it is tried again'),
      )
      .finally(() => {
        this.#ticking = undefined
      })
    return this.#ticking
  }

  async #tick(): Promise<void> {
    const known = [...this.#calls.values()]
    const rows = await this.#writeTicks(known)
    if (rows) {
      const byId = new Map(rows.map((row) => [row.call_id, row]))
      for (const call of known) this.#judge(call, byId.get(call.money.call.callId))
      for (const row of rows) if (!this.#calls.has(row.call_id)) await this.#endUnknown(row)
      await this.#checkPayers(known)
    }
    for (const call of known) {
      call.endOverdue()
      void call.money.tick()
    }
  }

  /** Undefined where the database does not answer; calls end when that lasts. */
  async #writeTicks(known: readonly RegisteredCall[]): Promise<Ticked[] | undefined> {
    const ticks = known.map(({ money }) => ({
      call_id: money.call.callId,
      turns: money.turns,
      connected_at: money.connectedAt ?? null,
    }))
    const { db, clock } = this.#app
    const now = new Date(clock.nowMs())
    try {
      const rows = await writeTicks(db, { processId: this.processId, ticks, now, timeoutMs: tickTimeoutMs })
      this.#answeredMs = performance.now()
      return rows
    } catch (error) {
      this.#app.log.warn({ err: error }, 'calls could not be written; it is tried again')
      // Other processes may take this one for dead by now.
      if (performance.now() - this.#answeredMs > mostAwayMs) for (const call of known) call.end('failed')
      return undefined
    }
  }

  #judge(call: RegisteredCall, row: Ticked | undefined): void {
    const nowMs = this.#app.clock.nowMs()
    // Another process has ended it.
    if (!row) call.end('failed')
    else if (row.end_asked_at) call.end('client')
    else if (row.expires_at.getTime() <= nowMs) call.end('expired')
    else if (!row.connected_at && isLate(row, nowMs)) call.end('disconnected')
  }

  /** One of this process that it does not have: whoever began it has not given it, or it was lost. */
  async #endUnknown(row: Ticked): Promise<void> {
    if (!isLate(row, this.#app.clock.nowMs())) return
    const reason = row.connected_at ? 'failed' : 'disconnected'
    await settleCall(this.#app, { accountId: row.account_id, callId: row.call_id }, { reason })
  }

  async #checkPayers(calls: readonly RegisteredCall[]): Promise<void> {
    await Promise.all(
      calls.map(async (call) => {
        if (call.isEnding) return
        const why = await whyUnpaid(this.#app, call.money.call.payer, call.models)
        if (why) call.end(why)
      }),
    )
  }

  #writeLease(): Promise<unknown> {
    const { capacity, address } = this.#options
    return writeProcess(this.#app.db, {
      process_id: this.processId,
      address: address ?? null,
      capacity,
      draining: this.#isDraining,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDraining = true
    clearInterval(this.#timer)
    const left = [...this.#calls.values()]
    for (const call of left) call.end('stopped')
    const over = Promise.allSettled(left.map((call) => call.over))
    await within(stopMs, over)
    for (const call of left) call.settle()
    await within(stopMs, over)
    // What is left is ended by the sweep of another process.
    this.#closing.abort()
    await over
    await this.#ticking
    if (this.#options.capacity > 0)
      await deleteProcess(this.#app.db, this.processId).catch((error: unknown) =>
        this.#app.log.warn({ err: error }, 'a process of calls could not sign off'),
      )
  }
}

const isLate = ({ created_at: createdAt }: Ticked, nowMs: number): boolean =>
  createdAt.getTime() + connectMs <= nowMs

/** One call of this process, from its beginning to its settlement. */
class RegisteredCall {
  readonly money: RunningMoney
  readonly models: readonly string[]
  /** Once it is settled. */
  readonly over: Promise<unknown>
  readonly #app: RegistryApp
  readonly #listener: MoneyListener
  #reason: EndReason | undefined
  #endedMs = 0

  constructor(app: RegistryApp, call: AddedCall, listener: MoneyListener, closing: AbortSignal) {
    this.#app = app
    this.#listener = listener
    this.models = call.models
    const settled = Promise.withResolvers<unknown>()
    this.over = settled.promise
    this.money = new RunningMoney(app, call, {
      listener: { end: (reason) => this.end(reason), warn: () => listener.warn() },
      closing,
      settling: (ending) => settled.resolve(ending),
    })
  }

  get isEnding(): boolean {
    return this.#reason !== undefined || this.money.isEnding
  }

  /** Tells whoever has it, once. */
  end(reason: EndReason): void {
    if (this.isEnding) return
    this.#reason = reason
    this.#endedMs = performance.now()
    this.#listener.end(reason)
  }

  /** Whoever was told has not ended it. */
  endOverdue(): void {
    if (!this.#reason || this.money.isEnding || performance.now() - this.#endedMs < endMs) return
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

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = Promise.withResolvers<void>()
  const timeout = setTimeout(timer.resolve, ms)
  await Promise.race([work, timer.promise])
  clearTimeout(timeout)
}
