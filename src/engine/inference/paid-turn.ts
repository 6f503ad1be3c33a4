/** A turn that is paid exactly: held at its worst case, metered part by part, settled whatever happens. */
import type { App, Caller } from '#app'
import {
  costOf,
  dearest,
  estimateUsage,
  inputBound,
  inputWorstCase,
  outputTokensFor,
  outputWorstCase,
  type Rates,
  ratesOf,
} from '#engine/metering'
import type { Model } from '#engine/models'
import { continuationTokens, type ModelsAsk, type Run, roomFor, speakersOf } from '#engine/routing'
import { Failure, fail } from '#platform/errors'
import type { Claim, Hold, Settled } from '#platform/ledger'
import type { Trail } from '#platform/trace'
import { UpstreamError } from '#providers/spec'
import type { FinishReason, Part, Turn, Usage } from './inference.ts'
import { TurnWatch } from './turn-watch.ts'
import { didNothing, failureOf } from './upstream-failure.ts'

export interface PaidAsk {
  caller: Caller
  model: Model
  /** Its `maxOutputTokens` is set here. */
  turn: Turn
  /** Whether the caller gets to see reasoning. */
  showsReasoning: boolean
  endpoint: string
  requestId: string
  receivedMs: number
  claim?: Claim | undefined
  customerId?: string | undefined
  referenceId?: string | undefined
  /** Aborts when the caller goes away. */
  gone: AbortSignal
  /** Of the request, for its log line and its spans. */
  trail?: Trail | undefined
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
  /**
   * Settles. `reply` is the finished JSON, kept for replay where the request claimed an idempotency key.
   * `undelivered`: the caller gets an error in place of the answer, so that a failed upstream costs nothing whatever it wrote.
   * Resolves when it is durable; it never rejects.
   */
  finish(end: Ending): Promise<Settled>
}

export interface Ending {
  statusCode: number
  failure?: Failure
  reply?: string
  undelivered?: boolean
}

/** The smallest answer worth starting when the balance clamps the limit (decisions §6). */
const smallestOutputTokens = 256
const graceMs = 60_000
/** As web servers log a caller who did not wait for the answer. */
const clientLeft = 499

/**
 * Holds the worst case and prepares the call. Throws 402 before anything is spent, and 400 where no upstream of the model
 * speaks the wire that something of the turn needs.
 */
export async function startPaidTurn(app: App, ask: PaidAsk): Promise<PaidTurn> {
  requireOwnWire(ask)
  const watch = new TurnWatch(app, ask)
  const { hold, maxOutputTokens } = await watch.hold(() => holdTurn(app, ask))
  const turn: Turn = { ...ask.turn, maxOutputTokens }
  const { showsReasoning, receivedMs, requestId } = ask
  const traceparent = watch.asks(turn)
  const run = app.inference.start({
    ...modelsAskOf(ask),
    turn,
    showsReasoning,
    receivedMs,
    requestId,
    traceparent,
  })
  return new Paid(app, ask, turn, hold, run, watch)
}

function requireOwnWire({ model, turn }: PaidAsk): void {
  if (!turn.onlyOwnWire || speakersOf(model, turn).length > 0) return
  const { param, what } = turn.onlyOwnWire
  fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: what }, { param })
}

const modelsAskOf = ({ model, turn, caller }: PaidAsk): ModelsAsk => ({ model, turn, allowed: caller.models })

/**
 * The caller's own limit is held as it is. Without one the whole of the model is tried, then what the balance and caps
 * leave; others may take of it in between, hence the few rounds.
 */
async function holdTurn(app: App, ask: PaidAsk): Promise<{ hold: Hold; maxOutputTokens: number }> {
  const models = app.inference.modelsFor(modelsAskOf(ask))
  const rates = dearest(models.map(({ pricing }) => ratesOf(pricing, app.config.defaults)))
  const bound = inputBound(ask.turn)
  if (ask.model.resumes) bound.text += continuationTokens
  const input = inputWorstCase(rates, bound)
  const requested = ask.turn.requestedOutputTokens
  const { usualOutputTokens: usual = Number.POSITIVE_INFINITY } = ask.turn
  const wanted = requested ?? Math.min(usual, roomFor(ask.model, ask.turn))
  let maxOutputTokens = Math.min(wanted, ask.model.maxOutputTokens)
  for (let round = 1; ; round++) {
    try {
      return {
        hold: await takeHold(app, ask, input + worstAnswer(ask.model, rates, maxOutputTokens)),
        maxOutputTokens,
      }
    } catch (error) {
      const have = haveOf(error)
      if (have === undefined || requested !== undefined || round === 4) throw error
      const paid = outputTokensFor(answerRates(ask.model, rates), have > input ? have - input : 0n)
      maxOutputTokens = Math.min(maxOutputTokens, paid)
      if (maxOutputTokens < smallestOutputTokens) throw error
    }
  }
}

/** An answer that may be gone on with elsewhere is read there as prompt once more, perhaps into a cache. */
function answerRates(model: Model, rates: Rates): Rates {
  const reading = rates.cacheWrite > rates.input ? rates.cacheWrite : rates.input
  return model.resumes ? { ...rates, output: rates.output + reading } : rates
}

const worstAnswer = (model: Model, rates: Rates, tokens: number): bigint =>
  outputWorstCase(answerRates(model, rates), tokens)

function haveOf(error: unknown): bigint | undefined {
  if (!(error instanceof Failure) || error.status !== 402) return undefined
  return (error.detail as { haveMicrocredits?: bigint }).haveMicrocredits
}

async function takeHold(app: App, ask: PaidAsk, microcredits: bigint): Promise<Hold> {
  const hold = await app.ledger.hold({
    payer: ask.caller,
    receiptId: ask.requestId,
    endpoint: ask.endpoint,
    model: ask.model.id,
    microcredits,
    claim: ask.claim,
    customerId: ask.customerId,
    referenceId: ask.referenceId,
    started: true,
    lifetimeMs: app.inference.longestMs(ask.model) + graceMs,
  })
  app.metrics.heldMicrocredits.inc(Number(microcredits))
  return hold
}

class Paid implements PaidTurn {
  readonly #app: App
  readonly #ask: PaidAsk
  readonly #turn: Turn
  readonly #hold: Hold
  readonly #run: Run
  readonly #watch: TurnWatch
  /** The attempt that `#seen` and `#usage` are of. */
  #metered: Turn
  #seen = { deltas: 0, bytes: 0, reasoningBytes: 0 }
  #usage: Usage | undefined
  /** `#usage` counts the prompt only. */
  #promptOnly = false
  #finishReason: FinishReason | undefined
  #fault: UpstreamError | undefined

  constructor(app: App, ask: PaidAsk, turn: Turn, hold: Hold, run: Run, watch: TurnWatch) {
    this.#app = app
    this.#ask = ask
    this.#turn = turn
    this.#hold = hold
    this.#run = run
    this.#watch = watch
    this.#metered = run.turn
  }

  get model(): Model {
    return this.#run.model
  }
  get maxOutputTokens(): number {
    return this.#turn.maxOutputTokens
  }

  async *parts(): AsyncGenerator<Part> {
    const { gone } = this.#ask
    const leave = (): void => {
      if (!this.#isFetchable()) this.#run.leave()
    }
    if (gone.aborted) leave()
    gone.addEventListener('abort', leave, { once: true })
    try {
      for await (const part of this.#run.parts()) {
        this.#meter(part)
        yield part
      }
    } catch (error) {
      this.#fault = error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })
      throw failureOf(this.#fault)
    } finally {
      gone.removeEventListener('abort', leave)
    }
  }

  /** A whole answer that its caller can still fetch with the idempotency key is finished for them. */
  #isFetchable(): boolean {
    return this.#ask.claim !== undefined && !this.#turn.stream
  }

  /** Only the attempt that answered is paid: one that took over from a cut answer read what was said as its prompt. */
  #meter(part: Part): void {
    if (this.#metered !== this.#run.turn) {
      this.#metered = this.#run.turn
      this.#seen = { deltas: 0, bytes: 0, reasoningBytes: 0 }
      this.#usage = undefined
    }
    if (part.type === 'text' || part.type === 'refusal') this.#see(part.text)
    else if (part.type === 'reasoning') {
      this.#see(part.text)
      this.#seen.reasoningBytes += Buffer.byteLength(part.text)
    } else if (part.type === 'tool-arguments') this.#see(part.delta)
    else if (part.type === 'tool-call') this.#see(part.name)
    else if (part.type === 'usage') {
      this.#usage = part.usage
      this.#promptOnly = part.promptOnly === true
    } else if (part.type === 'finish') this.#finishReason = part.reason
  }

  #see(text: string): void {
    if (text === '') return
    if (this.#turn.stream) this.#watch.token()
    this.#seen.deltas++
    this.#seen.bytes += Buffer.byteLength(text)
  }

  usage(): Usage {
    if (this.#usage && !this.#promptOnly) return this.#usage
    const { output, reasoning, ...prompt } = estimateUsage(this.#metered, this.#seen)
    return this.#usage
      ? { ...this.#usage, output: Math.max(output, this.#usage.output), reasoning }
      : { ...prompt, output, reasoning }
  }

  async finish(end: Ending): Promise<Settled> {
    const free = this.#isFree(end.undelivered === true)
    const usage = this.usage()
    const failed = end.failure !== undefined || this.#fault !== undefined
    const outcome = this.#outcome(end.failure)
    const settlement = {
      microcredits: free ? 0n : costOf(ratesOf(this.model.pricing, this.#app.config.defaults), usage),
      // Who is gone can stop nothing any more: an answer that runs past what was promised is not theirs to pay.
      withinHold: outcome === 'client_left',
      state: failed ? ('failed' as const) : ('completed' as const),
      statusCode: this.#fault?.fault === 'aborted' && this.#ask.gone.aborted ? clientLeft : end.statusCode,
      model: this.#run.model.id,
      tokens: free ? { input: 0, cachedInput: 0, output: 0, reasoning: 0 } : usage,
      detail: this.#detail(outcome, usage, free, end.failure),
      reply: this.#ask.claim ? end.reply : undefined,
      freeClaim: free && this.#run.failures.every(didNothing),
      urgent: this.#ask.claim !== undefined,
    }
    const settled = await this.#watch.settle(
      {
        model: this.model,
        attempts: this.#run.attempts,
        usage,
        finishReason: this.#finishReason,
        trouble: this.#fault?.fault ?? end.failure?.code,
      },
      () => this.#hold.settle(settlement),
    )
    this.#app.metrics.chargedMicrocredits.inc(Number(settled.chargedMicrocredits))
    this.#app.metrics.lostMicrocredits.inc(Number(settled.lossMicrocredits))
    return settled
  }

  /** An upstream that failed before anything was delivered costs its caller nothing; a caller who left pays for what was begun. */
  #isFree(undelivered: boolean): boolean {
    if (!this.#fault) return false
    if (this.#fault.fault === 'aborted') return !this.#fault.executed && this.#seen.deltas === 0
    return undelivered || (this.#seen.deltas === 0 && !this.#usage)
  }

  /** What the receipt tells beside the money; never prompt or answer text. */
  #detail(
    outcome: string,
    usage: Usage,
    free: boolean,
    failure: Failure | undefined,
  ): Record<string, unknown> {
    return {
      outcome,
      stream: this.#turn.stream,
      max_output_tokens: this.#turn.maxOutputTokens,
      finish_reason: this.#finishReason ?? null,
      usage_source: free ? 'none' : this.#usage && !this.#promptOnly ? 'upstream' : 'estimated',
      tokens: free ? null : usage,
      attempts: this.#run.attempts,
      total_ms: this.#app.clock.nowMs() - this.#ask.receivedMs,
      ...(failure && { error_code: failure.code }),
    }
  }

  #outcome(failure: Failure | undefined): string {
    const failed = failure !== undefined || this.#fault !== undefined
    // An answer that was finished to be fetched later is as good as delivered.
    if (this.#ask.gone.aborted && (failed || !this.#isFetchable())) return 'client_left'
    return failed ? 'failed' : 'completed'
  }
}
