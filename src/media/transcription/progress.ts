/** The parts of a transcript as they become final, in order; they are read once, while it is made. */
import type { TranscriptPart } from './transcription.ts'

export class TranscriptPartQueue {
  readonly #parts: TranscriptPart[] = []
  #isOver = false
  #error: unknown
  #grown: (() => void) | undefined

  add(part: TranscriptPart): void {
    this.#parts.push(part)
    this.#grown?.()
  }

  /** Call when nothing more comes; `error` is the reason for which parts are missing. */
  end(error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#grown?.()
  }

  /** The parts from the beginning; the reader may leave. Throws the error of `end`. */
  async *parts(): AsyncGenerator<TranscriptPart> {
    for (let at = 0; ; at++) {
      while (at >= this.#parts.length && !this.#isOver)
        await new Promise<void>((resolve) => {
          this.#grown = resolve
        })
      const part = this.#parts[at]
      if (part) yield part
      else if (this.#error === undefined) return
      else throw this.#error
    }
  }
}
