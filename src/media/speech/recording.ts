/** A file of sound that grows, read twice: as it comes by whoever listens, and whole by whoever stores it. */
import { SoundError } from '#core/sound'

export class Recording {
  readonly #maxBytes: number
  readonly #chunks: Uint8Array[] = []
  #length = 0
  #isOver = false
  #error: unknown
  #grown: (() => void) | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Throws `SoundError` too_long beyond its bytes. */
  add(chunk: Uint8Array): void {
    this.#length += chunk.length
    if (this.#length > this.#maxBytes) throw new SoundError('too_long')
    this.#chunks.push(chunk)
    this.#grown?.()
  }

  /** Nothing more comes; `error` is why there is less than there should be. */
  end(error?: unknown): void {
    this.#isOver = true
    this.#error = error
    this.#grown?.()
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** From the beginning, as it comes; its reader may leave. Throws the error of `end`. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; at++) {
      while (at >= this.#chunks.length && !this.#isOver)
        await new Promise<void>((resolve) => {
          this.#grown = resolve
        })
      const chunk = this.#chunks[at]
      if (chunk) yield chunk
      else if (this.#error === undefined) return
      else throw this.#error
    }
  }
}

/** A WAV that was streamed says no length in its head; a stored one says its own. */
export function withLength(wav: Buffer): Buffer {
  wav.writeUInt32LE(wav.length - 8, 4)
  let at = 12
  // Other chunks stand before it, of an even length each.
  while (wav.toString('latin1', at, at + 4) !== 'data') {
    const length = wav.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  wav.writeUInt32LE(wav.length - at - 8, at + 4)
  return wav
}
