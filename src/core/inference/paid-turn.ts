/** A paid turn: the worst case is held, each part is metered, and the actual cost is settled however the turn ends. */
import { type Cost, costOfStep, type Model, noCost, sumCosts } from '#core/models'
import {
  claimsOfCorrection,
  type PaidCall,
  type PaidEnd,
  PaidRequest,
  type PaidRequestResult,
} from '#core/paid'
import { deploymentsFor, type ModelsOptions, type TurnRun } from '#core/routing'
import { UpstreamError } from '#core/spec'
import type { HostedTools } from '#core/tools'
import type { AnswerPart, Bill, Turn, Usage } from '#core/turn'
import type { Tx } from '#platform/db'
import { asFailure, Failure, fail } from '#platform/errors'
import type { TurnApp } from './app.ts'
import { HostedAnswer, type HostedListener, withHostedTools } from './hosted.ts'
import { type AnswerListener, ModelStep, totalUsage } from './step.ts'
import { type EndedTurn, receiptDetail, receiptQuantities } from './turn-receipt.ts'
import { TurnTelemetry } from './turn-telemetry.ts'
import { failureOf } from './upstream-failure.ts'
import { holdWorstCase } from './worst-case.ts'

export interface PaidTurnOptions extends Omit<PaidCall, 'gone'> {
  model: Model
  /** `maxOutputTokens` is set by `startPaidTurn`. */
  turn: Turn
  /** The tools among which those of `turn.hosted` are looked up. Default: the built-in tools. */
  tools?: HostedTools
  /** Whether reasoning is delivered to the caller. */
  showsReasoning: boolean
  /** Only an answer that is stored is charged: if this process dies before, the turn is free. Settle it by `finishWith`. */
  isStored?: boolean
}

export interface PaidTurn {
  /** The model that answers; it can change until something is delivered, and when another model continues an interrupted answer. */
  readonly model: Model
  readonly maxOutputTokens: number
  /** Whether the model that is asked now goes without the reasoning that the turn wants, because earlier reasoning has not come back. */
  readonly skipsReasoning: boolean
  /** Begins the answer; call once. `listener` gets its parts and, in any case, `done` or `failed`; call `finish` then. */
  start(listener: AnswerListener): void
  /** Call when the caller reads more slowly than the answer comes: nothing more is read from the upstream until `resume`. */
  pause(): void
  resume(): void
  /** Call when the caller disconnects: the call continues or is cancelled according to the provider's `on_disconnect`. */
  leave(): void
  /** Call when the answer cannot be written, by a defect of the platform: `finish` with `undelivered` then charges nothing for it. */
  markBroken(): void
  /** Usage so far; final once the answer has ended. */
  usage(): Usage
  /** The charge of an answer that was read to its end and is about to be delivered; it is settled at exactly this amount. */
  bill(): Bill | Promise<Bill>
  /**
   * Settles the turn. `reply` is the finished JSON, stored for replay if the request claimed an idempotency key. `undelivered`: the caller gets an
   * error instead of the answer, so a failed upstream costs nothing even if it produced output. Resolves when the settlement is durable; never
   * rejects.
   */
  finish(end: Ending): Promise<PaidRequestResult>
  /**
   * Settles the turn in one transaction with what `write` writes, which gets the micro-credits that are charged: at most the hold. Throws what `write`
   * throws, and when the database stays away: the hold is then still open.
   */
  finishWith(end: Ending, write: (tx: Tx, microcredits: bigint) => Promise<void>): Promise<PaidRequestResult>
}

export interface Ending {
  statusCode: number
  failure?: Failure
  reply?: string
  undelivered?: boolean
}

/**
 * Holds the worst case and prepares the call. Throws 402 before anything is spent, and 400 when no upstream of the model speaks
 * the wire that the turn requires or when a hosted tool is not configured.
 */
export async function startPaidTurn(app: TurnApp, asked: PaidTurnOptions): Promise<PaidTurn> {
  const turn = prepareTurn(app, asked)
  const paid = new PaidTurnCall(app, turn === asked.turn ? asked : { ...asked, turn })
  await paid.hold()
  return paid
}

/** The turn as sent to the model. Throws when no upstream or hosted tool can serve it, before anything is held. */
export function prepareTurn(
  app: Pick<TurnApp, 'tools'>,
  { model, turn, tools = app.tools }: Pick<PaidTurnOptions, 'model' | 'turn' | 'tools'>,
): Turn {
  requireOwnWire({ model, turn })
  return turn.hosted ? withHostedTools(turn, tools) : turn
}

function requireOwnWire({ model, turn }: Pick<PaidTurnOptions, 'model' | 'turn'>): void {
  if (!turn.sourceWireOnly) return
  // With hosted tools the request body is serialized again, so fields that are only passed through would be lost.
  if (!turn.hosted && deploymentsFor(model, turn).length > 0) return
  const { param, what } = turn.sourceWireOnly
  fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: what }, { param })
}

class PaidTurnCall implements PaidTurn, HostedListener {
  readonly #app: TurnApp
  readonly #options: PaidTurnOptions
  readonly #request: PaidRequest
  readonly #watch: TurnTelemetry
  readonly #hosted: HostedAnswer | undefined
  readonly #steps: ModelStep[] = []
  #maxOutputTokens = 0
  /** Set once the charge was stated to the caller: the hold before, and what will be settled within the hold. */
  #billed: { held: bigint; cost: Cost; statedMicrocredits: bigint | undefined } | undefined
  #listener!: AnswerListener
  #isPaused = false
  /** Whether the caller has disconnected. */
  readonly #gone = { aborted: false }
  /** Set if the caller disconnected while hosted tools were running. */
  #leftAtWork: UpstreamError | undefined

  constructor(app: TurnApp, options: PaidTurnOptions) {
    this.#app = app
    this.#options = options
    this.#request = new PaidRequest(app, { ...options, gone: this.#gone, isFetchable: this.#isFetchable })
    this.#watch = new TurnTelemetry(app, options.model, this.#request.telemetry)
    this.#hosted =
      options.turn.hosted &&
      new HostedAnswer({
        turn: options.turn,
        tools: options.tools ?? app.tools,
        accountId: options.caller.accountId,
        nowMs: () => app.clock.nowMs(),
        mayUse: () => this.#request.requireActivePayer(),
        nextStep: (turn) => this.#nextStep(turn),
        usage: () => this.usage(),
        endsWithCaller: !this.#isFetchable,
      })
  }

  get model(): Model {
    return this.#last.model
  }
  get maxOutputTokens(): number {
    return this.#maxOutputTokens
  }
  get skipsReasoning(): boolean {
    return this.#last.skipsReasoning
  }
  get #last(): ModelStep {
    return this.#steps.at(-1)!
  }
  get #fault(): UpstreamError | undefined {
    return this.#last.fault ?? this.#leftAtWork
  }
  /** A non-streamed answer with an idempotency key is finished even if the caller disconnects, since a retry can fetch it. */
  get #isFetchable(): boolean {
    return this.#options.claim !== undefined && !this.#options.turn.stream
  }

  /** Takes the hold and prepares the first step. */
  async hold(): Promise<void> {
    const fees = this.#hosted?.worstFees ?? 0n
    this.#maxOutputTokens = await this.#request.hold((take) =>
      holdWorstCase(this.#app, this.#models(this.#options.turn), -fees, (step) => take(step + fees)),
    )
    this.#begin(this.#options.turn, this.#maxOutputTokens)
  }

  /** Changes the answer's hold to the cost so far plus the worst case of the next step. */
  async #nextStep(turn: Turn): Promise<ModelStep | undefined> {
    await this.#request.requireActivePayer(this.#options.model.id)
    const promised = this.#spent.microcredits + this.#hosted!.worstFees
    const alreadyHeld = this.#request.held - promised
    try {
      const limit = await holdWorstCase(this.#app, this.#models(turn), alreadyHeld, (step) =>
        this.#request.change(promised + step),
      )
      return this.#begin(turn, limit)
    } catch (error) {
      if (error instanceof Failure && error.status === 402) return undefined
      throw error
    }
  }

  #begin(asked: Turn, maxOutputTokens: number): ModelStep {
    const { model, caller, showsReasoning, background, receivedMs, requestId } = this.#options
    const turn = { ...asked, maxOutputTokens }
    const run: TurnRun = this.#app.inference.start({
      model,
      turn,
      allowed: caller.models,
      showsReasoning,
      background,
      receivedMs,
      requestId,
      earlierAttempts: this.#steps.reduce((sum, { attempts }) => sum + attempts.length, 0),
      traceparent: this.#watch.beginCall(turn),
      mayCall: this.#request.requireActivePayer,
    })
    const onToken = turn.stream ? () => this.#watch.token() : () => {}
    const step = new ModelStep({
      run,
      isFetchable: this.#isFetchable,
      showsReasoning,
      prices: this.#app.config.defaults,
      onToken,
    })
    this.#steps.push(step)
    if (this.#isPaused) step.pause()
    if (this.#gone.aborted) step.leave()
    return step
  }

  #models(turn: Turn): ModelsOptions {
    return { model: this.#options.model, turn, allowed: this.#options.caller.models }
  }

  start(listener: AnswerListener): void {
    this.#listener = listener
    if (this.#hosted) this.#hosted.start(this.#last, this)
    else this.#last.start(listener)
  }

  pause(): void {
    this.#isPaused = true
    this.#last.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#last.resume()
  }

  leave(): void {
    if (this.#gone.aborted) return
    this.#gone.aborted = true
    this.#hosted?.leave()
    this.#last.leave()
  }

  markBroken(): void {
    this.#last.markBroken()
  }

  part(part: AnswerPart): void {
    this.#listener.part(part)
  }

  get unsentArgumentBytes(): number {
    return this.#listener.unsentArgumentBytes ?? 0
  }

  flush(): void {
    this.#listener.flush()
  }

  done(): void {
    this.#listener.done()
  }

  /** An answer with hosted tools failed: by an upstream, a tool, its hold, or because the caller left while tools were running. */
  failed(error: unknown): void {
    if (!(error instanceof Failure) && this.#gone.aborted)
      this.#leftAtWork = new UpstreamError('aborted', { executed: true })
    this.#listener.failed(this.#leftAtWork ? failureOf(this.#leftAtWork) : asFailure(error))
  }

  usage(): Usage {
    return this.#steps.length === 1 ? this.#last.usage() : totalUsage(this.#steps.map((step) => step.usage()))
  }

  bill(): Bill | Promise<Bill> {
    const cost = this.#charge(false)
    const { held } = this.#request
    if (cost.microcredits <= held || this.#staysWithinHold) {
      this.#billed = { held, cost, statedMicrocredits: undefined }
      return { usage: this.usage(), microcredits: least(cost.microcredits, held) }
    }
    return this.#request.charge(cost.microcredits).then(({ microcredits, isSure }) => {
      this.#billed = { held, cost, statedMicrocredits: isSure ? undefined : microcredits }
      return { usage: this.usage(), microcredits }
    })
  }

  /** A background caller, or one that disconnected for good, cannot stop the answer, so is never charged more than the hold. */
  get #staysWithinHold(): boolean {
    return this.#options.background === true || (this.#gone.aborted && !this.#isFetchable)
  }

  /** Cost so far, each step at the price of the model that answered it. */
  get #spent(): Cost {
    return this.#costOfAll(this.#steps)
  }

  #costOfAll(steps: readonly ModelStep[]): Cost {
    // Without hosted tools there is one step.
    if (!this.#hosted) return steps.length === 0 ? noCost : steps[0]!.cost()
    const numbered = steps.map((step, at) => costOfStep(step.cost(), String(at + 1)))
    return sumCosts([...numbered, this.#hosted.cost])
  }

  finish(end: Ending): Promise<PaidRequestResult> {
    return this.#request.settle(this.#paidEnd(end))
  }

  finishWith(
    end: Ending,
    write: (tx: Tx, microcredits: bigint) => Promise<void>,
  ): Promise<PaidRequestResult> {
    const paid = { ...this.#paidEnd(end), withinHold: true }
    const due = least(paid.statedMicrocredits ?? paid.cost.microcredits, this.#request.held)
    return this.#request.settleWith(paid, (tx) => write(tx, due))
  }

  #paidEnd({ statusCode, failure, reply, undelivered = false }: Ending): PaidEnd {
    const free = this.#isFree(undelivered)
    const usage = this.usage()
    const { model } = this
    const attempts = this.#attempts
    const fault = this.#fault
    const { finishReason } = this.#last
    const outcome = this.#request.outcome(failure !== undefined || fault !== undefined)
    const ended: EndedTurn = {
      stream: this.#options.turn.stream,
      maxOutputTokens: this.#maxOutputTokens,
      steps: this.#steps,
      usage,
      hosted: this.#hosted,
      isFree: free,
      undelivered,
      raisedFrom: this.#raisedFrom,
    }
    return {
      model,
      attempts,
      fault,
      failure,
      statusCode,
      ...(reply !== undefined && { reply }),
      cost: (undelivered ? undefined : this.#billed?.cost) ?? this.#charge(undelivered),
      statedMicrocredits: undelivered ? undefined : this.#billed?.statedMicrocredits,
      // A reported cost is charged exactly: the hold was raised to it before.
      withinHold: this.#staysWithinHold || outcome === 'client_left' || this.#billed !== undefined,
      tokens: free ? { input: 0, cachedInput: 0, output: 0, reasoning: 0 } : usage,
      freeClaim: free && this.#steps.every((step) => step.mayReleaseClaim),
      claims: this.#steps.flatMap(({ attempts, usageCorrection }) =>
        claimsOfCorrection(attempts, usageCorrection),
      ),
      outcome,
      quantities: receiptQuantities(ended),
      detail: receiptDetail(ended),
      figures: { input_tokens: usage.input, output_tokens: usage.output },
      attributes: this.#watch.endCall({ attempts, usage, finishReason }),
    }
  }

  get #attempts() {
    return this.#steps.length === 1 ? this.#last.attempts : this.#steps.flatMap((step) => step.attempts)
  }

  /** Whether the answer is free: it failed before any output, or the caller gets an error instead. */
  #isFree(undelivered: boolean): boolean {
    // A key that was revoked between steps still pays for the earlier steps.
    const isError = undelivered && this.#fault?.fault !== 'not_allowed'
    return this.#last.isFree(undelivered) && (isError || this.#steps.length === 1)
  }

  #charge(undelivered: boolean): Cost {
    if (this.#isFree(undelivered)) return noCost
    return this.#last.isFree(undelivered) ? this.#costOfAll(this.#steps.slice(0, -1)) : this.#spent
  }

  /** The hold before it was raised from the free balance, because the cost exceeded it. */
  get #raisedFrom(): bigint | undefined {
    return this.#billed && this.#request.held > this.#billed.held ? this.#billed.held : undefined
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
