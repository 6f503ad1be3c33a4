/** The answer that a realtime model is making: its timeouts, and how much sound and text is plausible. */
import { type RealtimeEnd, type RealtimeSink, type Timeouts, UpstreamError } from '#core/spec'
import { CallTimers } from './call-timers.ts'

/** OpenAI counts 20 tokens for a second of its sound and Gemini 25; this is the slowest that any is taken to count. */
const tokensPerSecond = 10
const bytesPerSecond = 48_000
/** The bound of text answers, which have up to 128 bytes per token. */
const charactersPerToken = 64
/** The most calls and items of one answer. */
const maxPieces = 128

export class LiveAnswer {
  readonly #timers: CallTimers
  readonly #idleMs: number
  readonly #sink: RealtimeSink
  #bytesLeft: number
  #charactersLeft: number
  #pieces = 0
  #isCancelled = false

  /** `expire` is called when the upstream says nothing, so that its session is over. */
  constructor(
    sink: RealtimeSink,
    { timeouts, maxOutputTokens }: { timeouts: Timeouts; maxOutputTokens: number },
    expire: (error: UpstreamError) => void,
  ) {
    this.#sink = sink
    this.#timers = new CallTimers(timeouts, expire)
    this.#timers.enter('firstToken', timeouts.firstTokenMs)
    this.#idleMs = timeouts.idleMs
    this.#bytesLeft = Math.ceil((bytesPerSecond * maxOutputTokens) / tokensPerSecond) + bytesPerSecond
    this.#charactersLeft = charactersPerToken * maxOutputTokens + 1_000
  }

  /** Stops passing the answer on: whoever requested it wants no more of it. */
  cancel(): void {
    this.#isCancelled = true
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Called when something of the answer came. */
  moved(): void {
    if (this.#timers.phase === 'firstToken') this.#timers.enter('idle', this.#idleMs)
    else this.#timers.read(true)
  }

  /** Called when all of the answer came; its end and its usage have to come within this time. */
  ending(withinMs: number): void {
    this.#timers.enter('ending', withinMs)
  }

  began(itemId: string): void {
    this.#piece()
    if (!this.#isCancelled) this.#sink.began(itemId)
  }

  sound(itemId: string, pcm: Uint8Array): void {
    this.#bytesLeft -= pcm.length
    if (this.#bytesLeft < 0) throw tooMuch('sound')
    if (!this.#isCancelled && pcm.length > 0) this.#sink.sound(itemId, pcm)
  }

  words(itemId: string, delta: string, spoken: boolean): void {
    this.#charactersLeft -= delta.length
    if (this.#charactersLeft < 0) throw tooMuch('text')
    if (!this.#isCancelled && delta !== '') this.#sink.words(itemId, delta, spoken)
  }

  functionCall(call: Parameters<RealtimeSink['functionCall']>[0]): void {
    this.#piece()
    this.#charactersLeft -= call.arguments.length
    if (this.#charactersLeft < 0) throw tooMuch('text')
    if (!this.#isCancelled) this.#sink.functionCall(call)
  }

  finish(end: RealtimeEnd): void {
    this.#timers.end()
    this.#sink.finished(end)
  }

  /** Drops the answer, since its connection is over. */
  drop(): void {
    this.#timers.end()
  }

  #piece(): void {
    this.#pieces += 1
    if (this.#pieces > maxPieces) throw tooMuch('items')
  }
}

const tooMuch = (what: string): UpstreamError =>
  new UpstreamError('malformed', { detail: `more ${what} than the answer was allowed` })
