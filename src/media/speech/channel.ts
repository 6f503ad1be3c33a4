import { UpstreamError } from '#core/spec'
import type { SoundFormat, SoundSink } from '#core/turn'

/**
 * Passes sound from an upstream that writes to a decoder that reads: chunks in order, the writer waits for the reader. Chunks that come after the
 * reader has stopped are refused, which ends the order: nobody can use the rest of a sound that cannot be read.
 */
export class SoundChannel implements SoundSink {
  readonly begun: Promise<SoundFormat | undefined>
  #begin!: (format: SoundFormat | undefined) => void
  #chunk: Uint8Array | undefined
  #isOver = false
  #isDropped = false
  #error: unknown
  /** `#arrived` resolves the wait of the reader, `#taken` that of the writer. */
  #arrived: (() => void) | undefined
  #taken: (() => void) | undefined

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
  }

  begin(format: SoundFormat): void {
    this.#begin(format)
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return
    if (this.#isDropped) throw unreadable()
    this.#chunk = bytes
    this.#arrived?.()
    await new Promise<void>((resolve) => {
      this.#taken = resolve
    })
    if (this.#isDropped) throw unreadable()
  }

  /** Call when the upstream has finished; `error` is the reason for which it failed. */
  end(error?: unknown): void {
    this.#isOver = true
    this.#error = error
    this.#begin(undefined)
    this.#arrived?.()
  }

  /** Call when nobody reads any more. */
  drop(): void {
    this.#isDropped = true
    this.#taken?.()
  }

  /** The chunks. Throws the error of the upstream after the chunks that came before it. */
  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (!this.#chunk && !this.#isOver)
          await new Promise<void>((resolve) => {
            this.#arrived = resolve
          })
        const chunk = this.#chunk
        if (chunk) {
          this.#chunk = undefined
          yield chunk
          this.#taken?.()
        } else if (this.#isOver) {
          if (this.#error !== undefined) throw this.#error
          return
        }
      }
    } finally {
      this.drop()
    }
  }
}

const unreadable = (): UpstreamError =>
  new UpstreamError('malformed', { detail: 'sound that cannot be read' })
