import { type PartSink, type TextRun, UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'

/** One answer of the sandbox under way: pushes what `answer` makes, until it is stopped. */
export class SandboxRun implements TextRun {
  readonly #sink: PartSink
  readonly #stop = new AbortController()
  #paused: PromiseWithResolvers<void> | undefined
  #begun = false
  #over = false

  constructor(sink: PartSink, answer: (run: SandboxRun, signal: AbortSignal) => Promise<void>) {
    this.#sink = sink
    this.#answer(answer).then(
      () => this.#end(undefined),
      (error: unknown) =>
        this.#end(error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })),
    )
  }

  /** Set while the receiver is behind: no part may be given before it resolves. */
  get paused(): Promise<void> | undefined {
    return this.#paused?.promise
  }

  part(part: AnswerPart): void {
    if (!this.#over) this.#sink.part(part)
  }

  flush(): void {
    if (!this.#over) this.#sink.flush()
  }

  pause(): void {
    if (!this.#over) this.#paused ??= Promise.withResolvers()
  }

  resume(): void {
    this.#paused?.resolve()
    this.#paused = undefined
  }

  stop(): void {
    this.#stop.abort()
    this.resume()
    this.#end(new UpstreamError('aborted', { executed: this.#begun }))
  }

  async #answer(answer: (run: SandboxRun, signal: AbortSignal) => Promise<void>): Promise<void> {
    // The receiver has to know the run before anything comes.
    await undefined
    if (this.#over) return
    this.#begun = true
    await answer(this, this.#stop.signal)
  }

  #end(failure: UpstreamError | undefined): void {
    if (this.#over) return
    this.#over = true
    if (failure) this.#sink.failed(failure)
    else this.#sink.done()
  }
}
