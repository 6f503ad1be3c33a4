import { hasText, skipId3 } from '#core/magic'
import { type AdtsFrame, adtsFrameAt, headBytes } from './adts.ts'
import { SoundError } from './fault.ts'
import { silence } from './pcm.ts'

/** The bytes of a tag that give its length. */
const tagBytes = 10

/**
 * Counts the samples of ADTS in chunks of any length: there is no decoder for it here. Frames stand side by side, with tags between them or none; any
 * other bytes are refused.
 */
export class AdtsReader {
  readonly mediaType = 'audio/aac'
  readonly codec = 'aac'
  rate = 0
  channels = 0
  readonly #onFrame: ((place: number, frame: AdtsFrame) => void) | undefined
  #held: Uint8Array = new Uint8Array(0)
  /** The offset of the held bytes in the file. */
  #place = 0
  #skip = 0
  /** The frame whose last byte is still to come, and its offset in the file. */
  #open: { place: number; frame: AdtsFrame } | undefined

  /** @param onFrame called with the offset of each whole frame in the file */
  constructor(onFrame?: (place: number, frame: AdtsFrame) => void) {
    this.#onFrame = onFrame
  }

  close(): void {}

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    yield* this.#read(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), tagBytes)
  }

  *end(): Iterable<Float32Array> {
    yield* this.#read(this.#held, 1)
    if (this.#skip > 0) throw new SoundError('truncated', this.mediaType)
  }

  /** @param needed the bytes that must be there for a head to be read */
  *#read(bytes: Uint8Array, needed: number): Iterable<Float32Array> {
    let at = 0
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at)
      this.#skip -= skipped
      at += skipped
      if (this.#skip > 0) break
      if (this.#open) yield this.#count(this.#open)
      if (bytes.length - at < needed) break
      const tag = tagAt(bytes, at)
      const frame = tag > 0 ? undefined : adtsFrameAt(bytes, at)
      if (tag === 0 && !frame)
        throw new SoundError(this.#isCut(bytes, at) ? 'truncated' : 'malformed', this.mediaType)
      if (frame && this.rate !== 0 && frame.rate !== this.rate)
        throw new SoundError('malformed', this.mediaType)
      this.#skip = frame?.bytes ?? tag
      if (frame) this.#open = { place: this.#place + at, frame }
    }
    this.#place += at
    this.#held = new Uint8Array(bytes.subarray(at))
  }

  #isCut(bytes: Uint8Array, at: number): boolean {
    return this.rate !== 0 && bytes.length - at < headBytes && bytes[at] === 0xff
  }

  #count({ place, frame }: { place: number; frame: AdtsFrame }): Float32Array {
    this.#open = undefined
    this.rate = frame.rate
    this.channels ||= frame.channels
    this.#onFrame?.(place, frame)
    return silence(frame.samples)
  }
}

const tagAt = (bytes: Uint8Array, at: number): number =>
  skipId3(bytes.subarray(at, at + tagBytes)) || (hasText(bytes, at, 'TAG') ? 128 : 0)
