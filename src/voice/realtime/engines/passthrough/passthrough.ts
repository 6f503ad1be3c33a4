/**
 * A passthrough call: its caller and an upstream talk directly, and a side connection reports what happens. This server can only hang up
 * (docs/decisions/voice/passthrough.md).
 */
import type { RelayModel } from '#core/models'
import {
  type PassthroughSetup,
  type RealtimeEnd,
  type SideLink,
  type SideSettings,
  type SideSink,
  UpstreamError,
} from '#core/spec'
import { asFailure } from '#platform/errors'
import type { PassthroughApp } from '../../app.ts'
import type { MoneyListener } from '../../money/running-call.ts'
import type { RunningMoney } from '../../money/running-money.ts'
import type { EndReason, SessionSettings, UpstreamCall } from '../../parts.ts'
import { writeHungUp } from '../../store.ts'
import { within } from '../../within.ts'
import { EngineWork } from '../engine-work.ts'
import { type RelayedModel, relayModelOf } from '../relay/of-model.ts'
import { setupOf } from '../relay/setup.ts'
import { Limits } from './limits.ts'
import { hangUpWithRetry, type PassedCall, passOffer, shortenedTimeouts } from './pass-offer.ts'
import { PassedMoney } from './passed-money.ts'

export interface PassthroughOptions {
  model: RelayModel
  settings: SessionSettings
  /** The caller's offer in SDP. */
  offer: string
}

/** A call that is paid for. */
export interface BegunPassthrough {
  callId: string
  money: RunningMoney
  /** The end of the call in Unix milliseconds. */
  expiresAtMs: number
  listener: { join(to: Pick<MoneyListener, 'end' | 'warn'> & { announceEnd(): void }): void }
}

/** How long the side connection may take to open: without it nobody may talk. */
const openMs = 3_000
/** How long to wait at the end for the cost of responses that it cuts: an upstream reports it before it hangs up. */
const finalCostWaitMs = 1_000
const tickMs = 1_000

export class PassthroughCall implements SideSink {
  readonly #app: PassthroughApp
  readonly #model: RelayedModel
  readonly #setup: PassthroughSetup
  readonly #passed: PassedCall
  readonly #limits: Limits
  readonly #gone = new AbortController()
  readonly #work: EngineWork
  readonly #idleMs: number
  #begun: BegunPassthrough | undefined
  #paid: PassedMoney | undefined
  #line: SideLink | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #isConnected = false
  #isSpeaking = false
  #isPlaying = false
  /** Whether the response being played is the last that the balance covers. */
  #isLast = false
  #lastMs: number

  /** Has the offer answered; nothing is paid yet. Throws the failure where no upstream answers. */
  static async answer(
    app: PassthroughApp,
    { model, settings, offer }: PassthroughOptions,
  ): Promise<PassthroughCall> {
    const relayed = relayModelOf(app, model)
    const setup = { ...setupOf(relayed, settings), turnDetection: settings.turnDetection }
    return new PassthroughCall(app, relayed, setup, await passOffer(app, model, { setup, offer }))
  }

  private constructor(app: PassthroughApp, model: RelayedModel, setup: PassthroughSetup, passed: PassedCall) {
    this.#app = app
    this.#model = model
    this.#setup = setup
    this.#passed = passed
    this.#idleMs = app.config.voice.idleSeconds * 1000
    this.#lastMs = app.clock.nowMs()
    this.#work = new EngineWork(app, this)
    this.#limits = new Limits(setup, {
      restore: () => this.#line?.restore(setup),
      broken: () => this.#refuse('its caller or its upstream does without our limits'),
    })
  }

  /** The id of this server, once the call has one. */
  get callId(): string {
    return this.#begun?.callId ?? this.#passed.id
  }

  /** The SDP answer. */
  get answer(): string {
    return this.#passed.answer
  }

  get upstream(): UpstreamCall {
    const { provider, id } = this.#passed
    return { provider, id }
  }

  /** Call once the call is paid for. */
  begin(begun: BegunPassthrough): void {
    this.#begun = begun
    this.#paid = new PassedMoney(this.#app, {
      ...{ money: begun.money, model: this.#model, setup: this.#setup, work: this.#work },
      deployment: this.#passed.deployment,
      short: () => this.#endWhenUnpaid(),
      unpaid: () => this.end('credits'),
    })
    this.#paid.begin()
    this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#work.run(this.#watch())
    // The caller hears only what the upstream sends, so warnings cannot be passed on.
    begun.listener.join({ end: (reason) => this.end(reason), warn: () => {}, announceEnd: () => {} })
  }

  /** Ends the call, or hangs up where no call was begun. */
  end(reason: EndReason): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#timer)
    if (this.#begun) void this.#close(this.#begun, reason)
    else void this.#hangUp()
  }

  // Reports of the side connection

  active(): void {
    this.#lastMs = this.#app.clock.nowMs()
    if (this.#isConnected || this.#isOver) return
    this.#isConnected = true
    this.#work.run(this.#connected())
  }

  speaking(isSpeaking: boolean): void {
    this.#isSpeaking = isSpeaking
  }

  playing(isPlaying: boolean): void {
    this.#isPlaying = isPlaying
    if (!isPlaying && this.#isLast) this.end('credits')
  }

  began(responseId: string, maxOutputTokens: number | 'inf' | undefined): void {
    if (!this.#paid?.began(responseId)) this.#refuse('too many responses are made in it at once')
    if (this.#limits.allows(maxOutputTokens)) return
    this.#line?.cancel(responseId)
    this.#limits.loosened()
  }

  finished(responseId: string, end: RealtimeEnd): void {
    this.#paid?.finished(responseId, end)
  }

  transcribed(seconds: number | undefined): void {
    this.#paid?.transcribed(seconds)
  }

  updated(settings: SideSettings): void {
    this.#paid?.updated(settings)
    this.#limits.updated(settings)
  }

  closed(isOver: boolean, error: UpstreamError): void {
    this.#paid?.lineClosed()
    if (isOver) this.end('client')
    else this.#broke(error)
  }

  async #watch(): Promise<void> {
    const { calls, id: callId, timeouts } = this.#passed
    const { signal } = this.#gone
    try {
      const line = await calls.watch({ callId, timeouts: shortenedTimeouts(timeouts, openMs), signal }, this)
      this.#line = line
      this.#limits.opened()
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      if (!signal.aborted) this.#broke(error)
    }
  }

  #broke({ fault, detail }: UpstreamError): void {
    this.#refuse('its side connection is gone', { fault, detail })
  }

  #refuse(why: string, more: object = {}): void {
    if (this.#isOver) return
    const { deployment } = this.#passed
    const facts = { call_id: this.callId, deployment, why, ...more }
    this.#app.log.warn(facts, 'a call that runs past this server is hung up')
    this.end('failed')
  }

  async #connected(): Promise<void> {
    try {
      await this.#begun!.money.connected()
    } catch (error) {
      if (asFailure(error).status !== 402) throw error
      this.end('credits')
    }
  }

  #endWhenUnpaid(): void {
    this.#isLast = true
    if (!this.#isPlaying) this.end('credits')
  }

  #tick(): void {
    const nowMs = this.#app.clock.nowMs()
    if (this.#isSpeaking || this.#isPlaying) this.#lastMs = nowMs
    if (nowMs >= this.#begun!.expiresAtMs) this.end('expired')
    else if (nowMs - this.#lastMs >= this.#idleMs) this.end(this.#isConnected ? 'idle' : 'disconnected')
    this.#limits.check()
  }

  // The end

  /** Hangs up and returns whether that succeeded; never rejects. A call that has a row is hung up by a sweep where this fails. */
  async #hangUp(): Promise<boolean> {
    const { calls, id, timeouts, deployment } = this.#passed
    try {
      await hangUpWithRetry(calls, id, timeouts)
      return true
    } catch (error) {
      const { fault, detail } = error as Partial<UpstreamError>
      this.#app.log.warn({ deployment, fault, detail }, 'a call could not be hung up at its upstream')
      return false
    }
  }

  async #close({ callId, money }: BegunPassthrough, reason: EndReason): Promise<void> {
    const { db, log } = this.#app
    const paid = this.#paid!
    for (const id of paid.underWay) this.#line?.cancel(id)
    await within(finalCostWaitMs, paid.whenQuiet())
    const hangingUp = this.#hangUp()
    this.#gone.abort()
    await this.#line?.close()
    paid.breakOff()
    await this.#work.whenDone()
    try {
      await money.end(reason)
    } catch (error) {
      log.error({ err: error, call_id: callId }, 'a call was not settled; its sweep does it')
    }
    if (await hangingUp)
      await writeHungUp(db, money.call).catch((error: unknown) =>
        log.warn({ err: error, call_id: callId }, 'it was not written that a call was hung up; it is again'),
      )
  }
}
