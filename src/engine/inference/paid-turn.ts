/** A turn that is paid exactly: held at its worst case, metered part by part, settled whatever happens. */
import type { App } from '#app'
import { costOf, ratesOf } from '#engine/metering'
import type { Model } from '#engine/models'
import { claimOf, type Finished, type PaidCall, PaidRequest } from '#engine/paid'
import { type ModelsOptions, type PricedAttempt, priced, type Run, speakersOf } from '#engine/routing'
import type { HostedTools } from '#engine/tools'
import type { Bill, Part, Turn, Usage } from '#engine/turn'
import { Failure, fail } from '#platform/errors'
import { UpstreamError } from '#providers/spec'
import { HostedAnswer, type ToolUse, withHosted } from './hosted.ts'
import { Step, sumOf } from './step.ts'
import { TurnWatch } from './turn-watch.ts'
import { failureOf } from './upstream-failure.ts'
import { takeWorstCase } from './worst-case.ts'

export interface PaidOptions extends PaidCall {
  model: Model
  /** Its `maxOutputTokens` is set here. */
  turn: Turn
  /** Those that `turn.hosted` names; the service's own when absent. */
  tools?: HostedTools
  /** Whether the caller gets to see reasoning. */
  showsReasoning: boolean
}

export interface PaidTurn {
  /** The model that answers; it can change while nothing has been delivered, and where a cut answer is gone on with. */
  readonly model: Model
  readonly maxOutputTokens: number
  /**
   * The answer, once. Throws a `Failure` when the upstream fails. When the caller goes away it goes on or ends by the
   * provider's `on_disconnect`; whoever reads must read to the end and then call `finish`.
   */
  parts(): AsyncGenerator<Part>
  /** What was used so far, or in the end. */
  usage(): Usage
  /** Of an answer that was read to its end and is about to be delivered; it is settled at exactly that. */
  bill(): Promise<Bill>
  /**
   * Settles. `reply` is the finished JSON, kept for replay where the request claimed an idempotency key.
   * `undelivered`: the caller gets an error in place of the answer, so that a failed upstream costs nothing whatever it wrote.
   * Resolves when it is durable; it never rejects.
   */
  finish(end: Ending): Promise<Finished>
}

export interface Ending {
  statusCode: number
  failure?: Failure
  reply?: string
  undelivered?: boolean
}

/**
 * Holds the worst case and prepares the call. Throws 402 before anything is spent, and 400 where no upstream of the model
 * speaks the wire that something of the turn needs, or a hosted tool is not set up.
 */
export async function startPaidTurn(app: App, asked: PaidOptions): Promise<PaidTurn> {
  const paid = new Paid(app, { ...asked, turn: servedTurn(app, asked) })
  await paid.hold()
  return paid
}

/** The turn as it is asked; throws whatever can be refused for want of an upstream or a hosted tool, before anything is held. */
export function servedTurn(
  app: App,
  { model, turn, tools = app.tools }: Pick<PaidOptions, 'model' | 'turn' | 'tools'>,
): Turn {
  requireOwnWire({ model, turn })
  return turn.hosted ? withHosted(turn, tools) : turn
}

function requireOwnWire({ model, turn }: Pick<PaidOptions, 'model' | 'turn'>): void {
  if (!turn.onlyOwnWire) return
  // With tools that run here the turn is written anew, so that what is only passed on would be lost.
  if (!turn.hosted && speakersOf(model, turn).length > 0) return
  const { param, what } = turn.onlyOwnWire
  fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: what }, { param })
}

class Paid implements PaidTurn {
  readonly #app: App
  readonly #ask: PaidOptions
  readonly #request: PaidRequest
  readonly #watch: TurnWatch
  readonly #hosted: HostedAnswer | undefined
  readonly #steps: Step[] = []
  #maxOutputTokens = 0
  /** Once its caller was told the cost: what was held before, and what is settled, within the hold. */
  #billed: { held: bigint; cost: bigint } | undefined
  /** The caller went away while tools were at work. */
  #leftAtWork: UpstreamError | undefined

  constructor(app: App, options: PaidOptions) {
    this.#app = app
    this.#ask = options
    this.#request = new PaidRequest(app, { ...options, isFetchable: this.#isFetchable })
    this.#watch = new TurnWatch(app, options.model, this.#request.watch)
    this.#hosted =
      options.turn.hosted &&
      new HostedAnswer({
        turn: options.turn,
        tools: options.tools ?? app.tools,
        accountId: options.caller.accountId,
        nowMs: () => app.clock.nowMs(),
        signal: this.#isFetchable ? new AbortController().signal : options.gone,
        mayUse: () => this.#request.mayPay(),
        ask: (turn) => this.#askAgain(turn),
      })
  }

  get model(): Model {
    return this.#last.model
  }
  get maxOutputTokens(): number {
    return this.#maxOutputTokens
  }
  get #last(): Step {
    return this.#steps.at(-1)!
  }
  get #fault(): UpstreamError | undefined {
    return this.#last.fault ?? this.#leftAtWork
  }
  /** A whole answer that its caller can still fetch with the idempotency key is finished for them. */
  get #isFetchable(): boolean {
    return this.#ask.claim !== undefined && !this.#ask.turn.stream
  }

  /** Before the first step. */
  async hold(): Promise<void> {
    const fees = this.#hosted?.worstFees ?? 0n
    this.#maxOutputTokens = await this.#request.hold((take) =>
      takeWorstCase(this.#app, this.#models(this.#ask.turn), -fees, (step) => take(step + fees)),
    )
    this.#begin(this.#ask.turn, this.#maxOutputTokens)
  }

  /** The one hold of the answer becomes what it did cost so far and what the next step may cost at most. */
  async #askAgain(turn: Turn): Promise<Step | undefined> {
    await this.#request.mayPay(this.#ask.model.id)
    const promised = this.#spent + this.#hosted!.worstFees
    const beside = this.#request.held - promised
    try {
      const limit = await takeWorstCase(this.#app, this.#models(turn), beside, (step) =>
        this.#request.change(promised + step),
      )
      return this.#begin(turn, limit)
    } catch (error) {
      if (error instanceof Failure && error.status === 402) return undefined
      throw error
    }
  }

  #begin(asked: Turn, maxOutputTokens: number): Step {
    const { showsReasoning, background, receivedMs, requestId, gone } = this.#ask
    const turn = { ...asked, maxOutputTokens }
    const traceparent = this.#watch.asks(turn)
    const terms = {
      showsReasoning,
      background,
      receivedMs,
      requestId,
      earlierAttempts: this.#attempts.length,
      traceparent,
    }
    const mayAsk = this.#request.mayPay
    const run: Run = this.#app.inference.start({ ...this.#models(turn), ...terms, mayAsk })
    const onToken = turn.stream ? () => this.#watch.token() : () => {}
    const step = new Step({ run, gone, isFetchable: this.#isFetchable, onToken })
    this.#steps.push(step)
    return step
  }

  #models(turn: Turn): ModelsOptions {
    return { model: this.#ask.model, turn, allowed: this.#ask.caller.models }
  }

  parts(): AsyncGenerator<Part> {
    return this.#hosted ? this.#partsWith(this.#hosted) : this.#last.parts()
  }

  async *#partsWith(hosted: HostedAnswer): AsyncGenerator<Part> {
    try {
      for await (const part of hosted.parts(this.#last)) {
        if (part.type === 'finish') yield { type: 'usage', usage: this.usage() }
        yield part
      }
    } catch (error) {
      if (error instanceof Failure || !this.#ask.gone.aborted) throw error
      this.#leftAtWork = new UpstreamError('aborted', { executed: true })
      throw failureOf(this.#leftAtWork)
    }
  }

  usage(): Usage {
    return this.#steps.length === 1 ? this.#last.usage() : sumOf(this.#steps.map((step) => step.usage()))
  }

  async bill(): Promise<Bill> {
    const cost = this.#charge(false)
    const { held } = this.#request
    const { microcredits, isSure } = this.#staysWithinHold
      ? { microcredits: least(cost, held), isSure: true }
      : await this.#request.charge(cost)
    this.#billed = { held, cost: isSure ? cost : microcredits }
    return { usage: this.usage(), microcredits }
  }

  /** Who never waited, or is gone for good, can stop nothing: an answer that runs past what was promised is not theirs to pay. */
  get #staysWithinHold(): boolean {
    return this.#ask.background === true || (this.#ask.gone.aborted && !this.#isFetchable)
  }

  /** What the answer did cost so far, each step at the price of the model that answered it. */
  get #spent(): bigint {
    return this.#steps.reduce((sum, step) => sum + this.#costOf(step), this.#hosted?.spent ?? 0n)
  }

  #costOf(step: Step): bigint {
    return costOf(ratesOf(step.model.pricing, this.#app.config.defaults), step.usage())
  }

  finish({ statusCode, failure, reply, undelivered = false }: Ending): Promise<Finished> {
    const free = this.#isFree(undelivered)
    const usage = this.usage()
    const { model } = this
    const attempts = this.#attempts
    const fault = this.#fault
    const { finishReason } = this.#last
    const outcome = this.#request.outcome(failure !== undefined || fault !== undefined)
    return this.#request.settle({
      model,
      attempts,
      fault,
      failure,
      statusCode,
      ...(reply !== undefined && { reply }),
      microcredits: undelivered ? this.#charge(true) : (this.#billed?.cost ?? this.#charge(false)),
      // Whoever was told the cost is charged that: the hold was raised to it before.
      withinHold: this.#staysWithinHold || outcome === 'client_left' || this.#billed !== undefined,
      tokens: free ? { input: 0, cachedInput: 0, output: 0, reasoning: 0 } : usage,
      freeClaim: free && this.#steps.every((step) => step.didNothing),
      claims: this.#steps.flatMap(({ attempts, disbelief }) => claimOf(attempts, disbelief)),
      outcome,
      detail: this.#detail(usage, free, undelivered),
      figures: { input_tokens: usage.input, output_tokens: usage.output },
      attributes: this.#watch.answered({ attempts, usage, finishReason }),
    })
  }

  get #attempts() {
    return this.#steps.flatMap((step) => step.attempts)
  }

  /** Nothing of the answer is paid: it failed before there was anything of it, or its caller gets an error instead. */
  #isFree(undelivered: boolean): boolean {
    // A key that may pay for no more pays for what was done before.
    const isError = undelivered && this.#fault?.fault !== 'not_allowed'
    return this.#last.isFree(undelivered) && (isError || this.#steps.length === 1)
  }

  #charge(undelivered: boolean): bigint {
    if (this.#isFree(undelivered)) return 0n
    return this.#last.isFree(undelivered) ? this.#spent - this.#costOf(this.#last) : this.#spent
  }

  /** What the receipt tells beside the money; never prompt or answer text. */
  #detail(usage: Usage, free: boolean, undelivered: boolean) {
    const head = {
      stream: this.#ask.turn.stream,
      max_output_tokens: this.#maxOutputTokens,
      finish_reason: this.#last.finishReason ?? null,
      usage_source: free ? 'none' : usageSource(this.#steps),
      tokens: free ? null : usage,
    }
    const tail = {
      ...(this.#hosted && { steps: this.#steps.length, tools: this.#hosted.uses.map(useDetail) }),
      ...(this.#isRaised && { hold_raised_from: String(this.#billed!.held) }),
    }
    return { head, tail, ...(this.#hosted && { attempts: this.#pricedAttempts(undelivered) }) }
  }

  /** It cost more than was held, and took what was free. */
  get #isRaised(): boolean {
    return this.#billed !== undefined && this.#request.held > this.#billed.held
  }

  /** The receipt pays several calls, and fees of tools beside them. */
  #pricedAttempts(undelivered: boolean): PricedAttempt[] {
    const free = this.#isFree(undelivered)
    return this.#steps.flatMap((step) => {
      const isFree = free || (step === this.#last && step.isFree(undelivered))
      const cost = {
        microcredits: this.#costOf(step),
        usage: step.usage(),
        usageSource: step.usageSource,
      }
      return priced(step.attempts, isFree ? undefined : cost)
    })
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const usageSource = (steps: readonly Step[]): string =>
  steps.every((step) => step.usageSource === 'upstream') ? 'upstream' : 'estimated'

const useDetail = ({ tool, uses, failed, microcredits }: ToolUse): Record<string, unknown> => ({
  tool,
  uses,
  failed,
  microcredits: Number(microcredits),
})
