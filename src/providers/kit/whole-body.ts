import type { UpstreamError } from '#core/spec'
import { GrowingBytes } from '#platform/bytes'
import { tooLong } from './bounds.ts'

/** Collects a body of bounded length. */
export class WholeBody {
  readonly #bytes = new GrowingBytes()
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds as much as fits. Answers false once the body is longer than allowed. */
  add(chunk: Buffer): boolean {
    const room = this.#maxBytes - this.#bytes.length
    this.#bytes.add(chunk.length <= room ? chunk : chunk.subarray(0, room))
    return chunk.length <= room
  }

  /** The body in one buffer, for `freeBytes`. */
  take(): Buffer {
    return this.#bytes.take()
  }

  get tooLong(): UpstreamError {
    return tooLong(this.#maxBytes)
  }
}
