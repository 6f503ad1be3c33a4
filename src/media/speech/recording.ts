/** A file of sound that grows, read twice: by the listener as it comes, and as a whole to be stored. */
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

  /** Adds a chunk. Throws `SoundError` too_long beyond the most bytes. */
  add(chunk: Uint8Array): void {
    this.#length += chunk.length
    if (this.#length > this.#maxBytes) throw new SoundError('too_long')
    this.#chunks.push(chunk)
    this.#grown?.()
  }

  /** Call when nothing more comes; `error` is the reason for which sound is missing. */
  end(error?: unknown): void {
    this.#isOver = true
    this.#error = error
    this.#grown?.()
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** The chunks from the beginning, as they come; the reader may leave. Throws the error of `end`. */
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

/** Writes the lengths into the head of a WAV. One that was streamed has none; a stored one must have its own. */
export function withWavLength(wav: Buffer): Buffer {
  wav.writeUInt32LE(wav.length - 8, 4)
  let at = 12
  // Other chunks stand before the data, each padded to an even length.
  while (wav.toString('latin1', at, at + 4) !== 'data') {
    const length = wav.readUInt32LE(at + 4)
    at += 8 + length + (length % 2)
  }
  wav.writeUInt32LE(wav.length - at - 8, at + 4)
  return wav
}
