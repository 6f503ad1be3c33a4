/** The calls of this process: how many it takes, their money, and the check of their rows every few seconds. */
import { setTimeout as pause } from 'node:timers/promises'
import { sessionKeyIds } from '#platform/auth'
import { type Repetition, repetitions, steadyClock } from '#platform/clock'
import { type HangUpFunction, hangUpLeft, sweepCalls } from './abandoned.ts'
import type { CallRegistryApp } from './app.ts'
import { Codecs } from './codecs.ts'
import { HostLinks } from './host-links.ts'
import type { MoneyListener } from './money/running-call.ts'
import type { RunningMoney } from './money/running-money.ts'
import { settleCall } from './money/settle.ts'
import { maxAwayMs } from './money/until-back.ts'
import type { EndReason } from './parts.ts'
import { deleteProcess, writeProcess } from './process-store.ts'
import { type AddedCall, RegisteredCall } from './registered-call.ts'
import { availableBalance, unpaidEndReason } from './still-paid.ts'
import { type TickedCall, writeTicks } from './store.ts'
import { within } from './within.ts'

export interface RegistryOptions {
  /** How many calls this process takes; 0: it takes none, and only ends calls of dead processes. */
  capacity: number
  /** KHERAD_SECRET, by which processes of one database recognise each other. */
  secret?: string | undefined
  /** Ends a call at an upstream that talks with the caller directly. */
  hangUp?: HangUpFunction | undefined
  /** Milliseconds of a clock that only goes forward, by which the database's silence is measured; the process's if absent. */
  nowMs?: (() => number) | undefined
}

const tickMs = 5_000
/** The timeout of a tick's statement; the next tick is due then. */
const tickTimeoutMs = 4_000
/** The time after which a call that is not connected is ended. */
const connectMs = 15_000
/** How long a stop waits for calls to end, and again for them to be settled. */
const stopMs = 2_000
/** How often a drain checks whether calls are left. */
const lookMs = 100

/** Opens the registry of calls. Disposing it ends the calls that are left. */
export async function openRealtimeCalls(
  app: CallRegistryApp,
  options: RegistryOptions,
): Promise<RealtimeCalls> {
  const calls = new RealtimeCalls(app, options)
  await calls.open()
  return calls
}

export class RealtimeCalls implements AsyncDisposable {
  /** The codecs for calls over WebRTC. */
  readonly codecs: Codecs
  /** The links to other processes that hold calls. */
  readonly hosts: HostLinks
  readonly #app: CallRegistryApp
  readonly #options: RegistryOptions
  readonly #calls = new Map<string, RegisteredCall>()
  readonly #closing = new AbortController()
  #places = 0
  #address: string | undefined
  #isDraining = false
  #draining: Promise<void> | undefined
  /** The time at which calls that are left at a drain are ended. */
  #drainEndMs = 0
  #ticks: Repetition | undefined
  #listener: AsyncDisposable | undefined
  #ticking: Promise<void> | undefined
  #hangingUp: Promise<void> | undefined
  readonly #nowMs: () => number
  /** The time at which the database last answered a tick. */
  #answeredMs: number

  constructor(app: CallRegistryApp, options: RegistryOptions) {
    this.#app = app
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => steadyClock.nowMs())
    this.#answeredMs = this.#nowMs()
    this.codecs = new Codecs(options.capacity)
    this.hosts = new HostLinks(app, options.secret)
  }

  async open(): Promise<void> {
    const { metrics, processes } = this.#app
    processes.afterSweep(async () => {
      await sweepCalls(this.#app)
      this.#hangUpLeft()
    })
    metrics.realtimeCalls?.setSource(() => this.#counts())
    metrics.realtimeCapacity?.setSource(() => [[{}, this.capacity]])
    if (this.#options.capacity === 0) return
    await this.#writeLease()
    this.#ticks = repetitions.every(tickMs, 'tick of calls', () => this.tick())
    this.#listener = this.#app.db.listen(['people_changed'], {
      message: (_channel, personId) => void this.#checkPerson(personId),
      up: () => {},
      down: () => {},
    })
  }

  get processId(): string {
    return this.#app.processes.id
  }
  /** How many calls the process takes at a time; none while it is stopped. */
  get capacity(): number {
    return this.#isDraining ? 0 : this.#options.capacity
  }
  /** The number of running calls and reserved places. */
  get busy(): number {
    return this.#calls.size + this.#places
  }

  /** Reserves a place for a call that is being prepared, until it is disposed; undefined where none is free, or this process is being stopped. */
  reservePlace(): Disposable | undefined {
    if (this.busy >= this.capacity) return undefined
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
    registered.whenSettled.then(
      () => this.#calls.delete(call.callId),
      () => this.#calls.delete(call.callId),
    )
    if (this.#isDraining) registered.announceStop(this.#drainEndMs - steadyClock.nowMs())
    return registered.money
  }

  /** Ends a call of this process, as if its client wanted that. Returns false where the process has no call of that id. */
  end(callId: string, reason: EndReason): boolean {
    const call = this.#calls.get(callId)
    call?.end(reason)
    return call !== undefined
  }

  /** Sets the address at which other processes reach this one. */
  async reachableAt(address: string): Promise<void> {
    this.#address = address
    await this.#writeLease()
  }

  /** Takes no further call from here on. Running calls are told, and ended when their time is over; resolves when none is left. */
  drain(withinMs: number): Promise<void> {
    this.#draining ??= this.#drain(withinMs)
    return this.#draining
  }

  async #drain(withinMs: number): Promise<void> {
    this.#isDraining = true
    const settleMs = Math.min(stopMs, withinMs / 4)
    this.#drainEndMs = steadyClock.nowMs() + withinMs - settleMs
    for (const call of this.#calls.values()) call.announceStop(withinMs - settleMs)
    if (this.#options.capacity > 0)
      await this.#writeLease().catch((error: unknown) =>
        this.#app.log.warn({ err: error }, 'others could not be told that this process takes no more calls'),
      )
    while (this.busy > 0 && steadyClock.nowMs() < this.#drainEndMs) await pause(lookMs)
    const left = [...this.#calls.values()]
    for (const call of left) call.end('stopped')
    await within(settleMs, Promise.allSettled(left.map((call) => call.whenSettled)))
  }

  /** Checks all calls; also runs by itself, every five seconds. Never rejects. */
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

  /** Writes a tick of the calls; undefined where the database does not answer. Calls end when that lasts. */
  async #writeTicks(known: readonly RegisteredCall[]): Promise<TickedCall[] | undefined> {
    const ticks = known.map(({ money }) => ({
      call_id: money.call.callId,
      turns: money.turns,
      connected_at: money.connectedAt ?? null,
    }))
    const { db, clock } = this.#app
    const now = new Date(clock.nowMs())
    try {
      const rows = await writeTicks(db, { processId: this.processId, ticks, now, timeoutMs: tickTimeoutMs })
      this.#answeredMs = this.#nowMs()
      // Other processes may have taken this one for dead, and deleted its row.
      await this.#writeLease()
      return rows
    } catch (error) {
      this.#app.log.warn({ err: error }, 'calls could not be written; it is tried again')
      // Other processes may take this one for dead by now.
      if (this.#nowMs() - this.#answeredMs > maxAwayMs) for (const call of known) call.end('failed')
      return undefined
    }
  }

  #judge(call: RegisteredCall, row: TickedCall | undefined): void {
    const nowMs = this.#app.clock.nowMs()
    // Another process has ended the call.
    if (!row) call.end('failed')
    else if (row.end_asked_at) call.end('client')
    else if (row.expires_at.getTime() <= nowMs) call.end('expired')
    // A passthrough call shows no connection before somebody speaks.
    else if (call.engine !== 'passthrough' && !row.connected_at && isLate(row, nowMs))
      call.end('disconnected')
  }

  /** Ends a call in the database that this process does not have: its beginning never registered it, or it was lost. */
  async #endUnknown(row: TickedCall): Promise<void> {
    if (!isLate(row, this.#app.clock.nowMs())) return
    const reason = row.connected_at ? 'failed' : 'disconnected'
    await settleCall(this.#app, { accountId: row.account_id, callId: row.call_id }, { reason })
    this.#hangUpLeft()
  }

  /** Hangs up calls without waiting: an upstream that does not answer holds nothing up. */
  #hangUpLeft(): void {
    const { hangUp } = this.#options
    if (!hangUp) return
    this.#hangingUp ??= hangUpLeft(this.#app, hangUp)
      .catch((error: unknown) =>
        this.#app.log.warn({ err: error }, 'calls could not be hung up; it is tried again'),
      )
      .finally(() => {
        this.#hangingUp = undefined
      })
  }

  /** Ends the calls of a person whose session has ended, who has left the account, or whose role no longer permits them, without waiting for a tick. */
  async #checkPerson(personId: string): Promise<void> {
    if (this.#calls.size === 0) return
    try {
      const keyIds = await sessionKeyIds(this.#app.db, personId)
      await this.#checkPayers(
        [...this.#calls.values()].filter((call) => keyIds.has(call.money.call.payer.keyId)),
      )
    } catch (error) {
      this.#app.log.warn({ err: error }, 'the calls of a person could not be checked; the next tick does it')
    }
  }

  async #checkPayers(calls: readonly RegisteredCall[]): Promise<void> {
    await Promise.all(
      calls.map(async (call) => {
        if (call.isEnding) return
        const why = await unpaidEndReason(this.#app, call)
        if (why) return call.end(why)
        const free = await availableBalance(this.#app, call.money.call.payer)
        if (free !== undefined) call.warnIfShort(free)
      }),
    )
  }

  #writeLease(): Promise<unknown> {
    return writeProcess(this.#app.db, {
      process_id: this.processId,
      address: this.#address ?? null,
      capacity: this.#options.capacity,
      draining: this.#isDraining,
    })
  }

  *#counts(): Generator<readonly [{ engine: string; transport: string }, number]> {
    const kinds = Map.groupBy(this.#calls.values(), ({ engine, transport }) => `${engine} ${transport}`)
    for (const calls of kinds.values()) {
      const { engine, transport } = calls[0]!
      yield [{ engine, transport }, calls.length]
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0)
    void this.#ticks?.stop()
    await this.#listener?.[Symbol.asyncDispose]()
    this.hosts[Symbol.dispose]()
    const left = [...this.#calls.values()]
    for (const call of left) call.end('stopped')
    const over = Promise.allSettled(left.map((call) => call.whenSettled))
    await within(stopMs, over)
    for (const call of left) call.settle()
    await within(stopMs, over)
    // Calls that are left are ended by the sweep of another process.
    this.#closing.abort()
    await over
    await this.#ticking
    await within(stopMs, this.#hangingUp ?? Promise.resolve())
    if (this.#options.capacity > 0)
      await deleteProcess(this.#app.db, this.processId).catch((error: unknown) =>
        this.#app.log.warn({ err: error }, 'a process of calls could not sign off'),
      )
  }
}

const isLate = ({ created_at: createdAt }: TickedCall, nowMs: number): boolean =>
  createdAt.getTime() + connectMs <= nowMs
