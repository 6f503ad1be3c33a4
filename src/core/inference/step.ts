/** One model call with all its attempts, metered part by part so that its cost is known however it ends. */
import { estimateUsage, type ObservedOutput, plausibleUsage, type UsageCorrection } from '#core/metering'
import { type Cost, type Model, type PriceConversion, textModels } from '#core/models'
import type { Attempt, RunListener, TurnRun } from '#core/routing'
import type { PartSink, UpstreamError } from '#core/spec'
import type { AnswerPart, FinishReason, Turn, Usage } from '#core/turn'
import { asFailure, type Failure } from '#platform/errors'
import { failureOf } from './upstream-failure.ts'

/** Receives the answer of a step, or of a whole turn. */
export interface AnswerListener extends PartSink<Failure> {
  /** The bytes of tool arguments that it has received and the caller was not sent. */
  readonly unsentArgumentBytes?: number
}

export interface StepOptions {
  run: TurnRun
  /** True when the answer is finished even if the caller disconnects, because it can be fetched later. */
  isFetchable: boolean
  /** Whether reasoning is delivered to the caller. */
  showsReasoning: boolean
  prices: PriceConversion
  /** Called for each token. */
  onToken: () => void
}

export class ModelStep implements RunListener {
  readonly #options: StepOptions
  #listener!: AnswerListener
  /** The turn of the attempt that `#seen` and `#usage` belong to. */
  #metered: Turn
  #seen: ObservedOutput = { ...noOutput }
  #shown: ShownOutput = { ...nothingShown }
  #usage: Usage | undefined
  /** The result of `usage`, kept until another part is seen. */
  #known: Usage | undefined
  /** The result of `cost`, and of what. */
  #priced: { model: Model; usage: Usage; cost: Cost } | undefined
  /** True if `#usage` counts only the prompt. */
  #promptOnly = false
  #finishReason: FinishReason | undefined
  #fault: UpstreamError | undefined
  /** True if the step ended by a defect of the platform. */
  #isBroken = false

  constructor(options: StepOptions) {
    this.#options = options
    this.#metered = options.run.turn
  }

  get model(): Model {
    return this.#options.run.model
  }
  get attempts(): readonly Attempt[] {
    return this.#options.run.attempts
  }
  /** Whether the model that is asked now goes without the reasoning that the turn wants. */
  get skipsReasoning(): boolean {
    return this.#options.run.skipsReasoning
  }
  get finishReason(): FinishReason | undefined {
    return this.#finishReason
  }
  get fault(): UpstreamError | undefined {
    return this.#fault
  }
  /** True if no attempt had an effect, as far as the upstreams report: the idempotency key may be released. */
  get mayReleaseClaim(): boolean {
    return this.#options.run.failures.every((failure) => textModels.mayReleaseClaim(failure, false))
  }
  /** True if certainly nothing was executed: no upstream was reached, or each one refused the connection. */
  get hadNoEffect(): boolean {
    const { failures } = this.#options.run
    return this.#fault?.executed === false && failures.every(({ executed }) => !executed)
  }
  /** Whether the token counts come from the upstream or are estimated. */
  get usageSource(): 'upstream' | 'estimated' {
    return this.#usage && !this.#promptOnly ? 'upstream' : 'estimated'
  }

  /** Begins the step; call it once. The listener's `done` or `failed` is called in any case. */
  start(listener: AnswerListener): void {
    this.#listener = listener
    this.#options.run.start(this)
  }

  /** Call when the caller disconnects. */
  leave(): void {
    if (!this.#options.isFetchable) this.#options.run.leave()
  }

  pause(): void {
    this.#options.run.pause()
  }

  resume(): void {
    this.#options.run.resume()
  }

  part(part: AnswerPart): void {
    this.#meter(part)
    // The upstream's raw usage is passed on only if it was not corrected.
    if (part.type === 'usage' && this.usageCorrection) {
      const { raw: _, ...plain } = part
      this.#listener.part({ ...plain, usage: this.usage() })
    } else this.#listener.part(part)
  }

  flush(): void {
    this.#listener.flush()
  }

  done(): void {
    this.#known = undefined
    this.#listener.done()
  }

  failed(fault: UpstreamError): void {
    this.#fault = fault
    this.#known = undefined
    this.#listener.failed(failureOf(fault))
  }

  /** Call when the answer cannot be passed on, by a defect of the platform. */
  markBroken(): void {
    this.#isBroken = true
  }

  failedInternally(error: unknown): void {
    this.markBroken()
    this.#known = undefined
    this.#listener.failed(asFailure(error))
  }

  /** Plausible usage so far; final once the answer has ended. */
  usage(): Usage {
    // No upstream was called, because the key no longer permits it.
    if (this.#fault && this.attempts.length === 0) return noUsage
    this.#known ??= this.#believed(this.#counted())
    return this.#known
  }

  /** What the usage so far costs. The bill, the receipt and its attempts each ask for it. */
  cost(): Cost {
    const { model } = this
    const usage = this.usage()
    if (this.#priced?.usage !== usage || this.#priced.model !== model)
      this.#priced = { model, usage, cost: textModels.cost(model, this.#options.prices, usage) }
    return this.#priced.cost
  }

  /** The upstream's claim and the corrected usage, if the claim is impossible; otherwise undefined. */
  get usageCorrection(): UsageCorrection | undefined {
    // Counts that the upstream has not reported are the platform's estimate, and no claim.
    const claimed = this.#usage && this.#counted()
    const usage = claimed && this.#believed(claimed)
    return usage === claimed ? undefined : { claimed: claimed!, believed: usage! }
  }

  #believed(usage: Usage): Usage {
    return plausibleUsage(usage, { turn: this.#metered, model: this.model, seen: this.#seen })
  }

  /** Usage reported by the upstream; what it did not report is estimated. */
  #counted(): Usage {
    if (this.#usage && !this.#promptOnly) return this.#usage
    const { output, reasoning, ...prompt } = estimateUsage(this.#metered, this.#seen)
    return this.#usage
      ? { ...this.#usage, output: Math.max(output, this.#usage.output), reasoning }
      : { ...prompt, output, reasoning }
  }

  /**
   * An upstream that failed before delivery costs the caller nothing, and neither does one whose model wrote a call that cannot be passed on, where no
   * more than its nesting was shown; a caller who disconnected pays for work that was started.
   */
  isFree(undelivered: boolean): boolean {
    if (!this.#fault) return this.#isBroken && undelivered
    if (this.#fault.fault === 'aborted') return !this.#fault.executed && this.#seen.deltas === 0
    if (undelivered || (this.#seen.deltas === 0 && !this.#usage)) return true
    // The beginning of a call is of no use to anybody. Text that was shown before it is paid, and so are arguments that can hold a text.
    const { hasWords, argumentBytes, contentBytes } = this.#shown
    const sentBytes = argumentBytes - (this.#listener.unsentArgumentBytes ?? 0)
    const isNesting =
      sentBytes <= maxFreeArgumentBytes && Math.min(contentBytes, sentBytes) <= maxFreeContentBytes
    return this.#fault.byModel && !hasWords && isNesting
  }

  /** Only the last attempt is metered: one that continued an interrupted answer read the text so far as its prompt. */
  #meter(part: AnswerPart): void {
    this.#known = undefined
    if (this.#metered !== this.#options.run.turn) {
      this.#metered = this.#options.run.turn
      this.#seen = { ...noOutput }
      this.#shown = { ...nothingShown }
      this.#usage = undefined
    }
    if (part.type === 'text' || part.type === 'refusal') {
      this.#see(part.text)
      this.#shown.hasWords ||= part.text !== ''
    } else if (part.type === 'reasoning') {
      this.#see(part.text)
      this.#shown.hasWords ||= this.#options.showsReasoning
      this.#seen.reasoningBytes += Buffer.byteLength(part.text)
    } else if (part.type === 'tool-arguments') {
      this.#see(part.delta)
      this.#show(part.delta)
    } else if (part.type === 'tool-call') {
      this.#see(part.name)
      this.#seen.calls++
    } else if (part.type === 'usage') {
      this.#usage = part.usage
      this.#promptOnly = part.promptOnly === true
    } else if (part.type === 'finish') this.#finishReason = part.reason
  }

  #show(argumentText: string): void {
    this.#shown.argumentBytes += Buffer.byteLength(argumentText)
    if (this.#shown.contentBytes <= maxFreeContentBytes)
      this.#shown.contentBytes += Buffer.byteLength(argumentText.replace(nesting, ''))
  }

  #see(text: string): void {
    if (text === '') return
    this.#options.onToken()
    this.#seen.deltas++
    this.#seen.bytes += Buffer.byteLength(text)
  }
}

/** The arguments that may be shown of a call that is free in the end: more than it takes to see that they are nested too deeply. */
const maxFreeArgumentBytes = 1_024

/** What of them may be more than nesting, such as names of members: a model that is told to can write an answer before it nests. */
const maxFreeContentBytes = 128

const nesting = /[[\]{}":,\s]+/g

/** What a caller can have seen of an answer. */
interface ShownOutput {
  /** Some text, refusal or reasoning. */
  hasWords: boolean
  argumentBytes: number
  /** What of the arguments is no bracket, quote, colon, comma or blank, counted until it is too much. */
  contentBytes: number
}

const nothingShown: ShownOutput = { hasWords: false, argumentBytes: 0, contentBytes: 0 }

const noOutput: ObservedOutput = { deltas: 0, bytes: 0, reasoningBytes: 0, calls: 0 }

/** Total usage of several steps. */
export function totalUsage(usages: readonly Usage[]): Usage {
  const [first = noUsage, ...others] = usages
  return others.reduce(
    (sum, usage) => ({
      input: sum.input + usage.input,
      cachedInput: sum.cachedInput + usage.cachedInput,
      cacheWriteInput: sum.cacheWriteInput + usage.cacheWriteInput,
      cacheWriteHourInput: (sum.cacheWriteHourInput ?? 0) + (usage.cacheWriteHourInput ?? 0),
      mediaInput: sum.mediaInput + usage.mediaInput,
      output: sum.output + usage.output,
      reasoning: sum.reasoning + usage.reasoning,
    }),
    first,
  )
}

/** Usage of a call that used nothing. */
export const noUsage: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWriteInput: 0,
  mediaInput: 0,
  output: 0,
  reasoning: 0,
}
