/** Parts of a transcript as they become final, in order, read once while it is made. */
import type { TranscriptPart } from './transcription.ts'

export class Progress {
  readonly #parts: TranscriptPart[] = []
  #isOver = false
  #error: unknown
  #grown: (() => void) | undefined

  add(part: TranscriptPart): void {
    this.#parts.push(part)
    this.#grown?.()
  }

  /** Nothing more comes; `error` is why there is less than there should be. */
  end(error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#grown?.()
  }

  /** From the beginning; its reader may leave. Throws the error of `end`. */
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
