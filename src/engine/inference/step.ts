/** One call of a model, whatever attempts it takes: metered part by part, so that its cost is known however it ends. */
import { believed, type Disbelief, estimateUsage, type Seen } from '#engine/metering'
import type { Model } from '#engine/models'
import { leaveWith } from '#engine/paid'
import type { Attempt, Run } from '#engine/routing'
import type { FinishReason, Part, Turn, Usage } from '#engine/turn'
import { UpstreamError } from '#providers/spec'
import { didNothing, failureOf } from './upstream-failure.ts'

export interface StepOptions {
  run: Run
  /** Aborts when the caller goes away. */
  gone: AbortSignal
  /** True where the answer is finished for a caller who went away: it can be fetched later. */
  isFetchable: boolean
  /** Told of each token. */
  onToken: () => void
}

export class Step {
  readonly #ask: StepOptions
  /** The attempt that `#seen` and `#usage` are of. */
  #metered: Turn
  #seen: Seen = { ...unseen }
  #usage: Usage | undefined
  /** `#usage` counts the prompt only. */
  #promptOnly = false
  #finishReason: FinishReason | undefined
  #fault: UpstreamError | undefined

  constructor(options: StepOptions) {
    this.#ask = options
    this.#metered = options.run.turn
  }

  get model(): Model {
    return this.#ask.run.model
  }
  get attempts(): readonly Attempt[] {
    return this.#ask.run.attempts
  }
  get finishReason(): FinishReason | undefined {
    return this.#finishReason
  }
  get fault(): UpstreamError | undefined {
    return this.#fault
  }
  /** Nothing that was tried had any effect, as far as its upstream says: an idempotency key is free again. */
  get didNothing(): boolean {
    return this.#ask.run.failures.every(didNothing)
  }
  /** It surely came to nothing: no upstream was reached, or each refused at its door. */
  get cameToNothing(): boolean {
    const { failures } = this.#ask.run
    return this.#fault?.executed === false && failures.every(({ executed }) => !executed)
  }
  /** Who counted the tokens. */
  get usageSource(): 'upstream' | 'estimated' {
    return this.#usage && !this.#promptOnly ? 'upstream' : 'estimated'
  }

  /** The answer, once, to be read to its end. Throws a `Failure` when the upstream fails. */
  async *parts(): AsyncGenerator<Part> {
    const { run } = this.#ask
    using _leaving = leaveWith(this.#ask, run)
    try {
      for await (const part of run.parts()) {
        this.#meter(part)
        // The upstream's own figures go along only where they are believed.
        if (part.type === 'usage' && this.disbelief) {
          const { raw: _, ...plain } = part
          yield { ...plain, usage: this.usage() }
        } else yield part
      }
    } catch (error) {
      this.#fault = error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })
      throw failureOf(this.#fault)
    }
  }

  /** What was used so far, or in the end: as far as it can be. */
  usage(): Usage {
    // A step that nobody was asked for, since its key may pay for no more.
    if (this.#fault && this.attempts.length === 0) return nothing
    return this.#believed(this.#counted())
  }

  /** What the upstream claims and what was believed of it, where the claim cannot be. */
  get disbelief(): Disbelief | undefined {
    const claimed = this.#usage
    const usage = claimed && this.#believed(claimed)
    return usage === claimed ? undefined : { claimed: claimed!, believed: usage! }
  }

  #believed(usage: Usage): Usage {
    return believed(usage, { turn: this.#metered, model: this.model, seen: this.#seen })
  }

  /** By the upstream, or as far as it did not, estimated. */
  #counted(): Usage {
    if (this.#usage && !this.#promptOnly) return this.#usage
    const { output, reasoning, ...prompt } = estimateUsage(this.#metered, this.#seen)
    return this.#usage
      ? { ...this.#usage, output: Math.max(output, this.#usage.output), reasoning }
      : { ...prompt, output, reasoning }
  }

  /** An upstream that failed before anything was delivered costs its caller nothing; a caller who left pays for what was begun. */
  isFree(undelivered: boolean): boolean {
    if (!this.#fault) return false
    if (this.#fault.fault === 'aborted') return !this.#fault.executed && this.#seen.deltas === 0
    return undelivered || (this.#seen.deltas === 0 && !this.#usage)
  }

  /** Only the attempt that answered is paid: one that took over from a cut answer read what was said as its prompt. */
  #meter(part: Part): void {
    if (this.#metered !== this.#ask.run.turn) {
      this.#metered = this.#ask.run.turn
      this.#seen = { ...unseen }
      this.#usage = undefined
    }
    if (part.type === 'text' || part.type === 'refusal') this.#see(part.text)
    else if (part.type === 'reasoning') {
      this.#see(part.text)
      this.#seen.reasoningBytes += Buffer.byteLength(part.text)
    } else if (part.type === 'tool-arguments') this.#see(part.delta)
    else if (part.type === 'tool-call') {
      this.#see(part.name)
      this.#seen.calls++
    } else if (part.type === 'usage') {
      this.#usage = part.usage
      this.#promptOnly = part.promptOnly === true
    } else if (part.type === 'finish') this.#finishReason = part.reason
  }

  #see(text: string): void {
    if (text === '') return
    this.#ask.onToken()
    this.#seen.deltas++
    this.#seen.bytes += Buffer.byteLength(text)
  }
}

const unseen: Seen = { deltas: 0, bytes: 0, reasoningBytes: 0, calls: 0 }

/** Of several steps together. */
export function sumOf(usages: readonly Usage[]): Usage {
  const [first = nothing, ...others] = usages
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

/** Of a call that used nothing. */
export const nothing: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWriteInput: 0,
  mediaInput: 0,
  output: 0,
  reasoning: 0,
}
