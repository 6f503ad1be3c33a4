/** What a client hears of an answer, frame by frame: when its sound began, which frames came too late to be played, when it was lowered. */

export interface HeardOptions {
  /** What the client holds back before it plays, in ms: a browser evens out the way so. */
  bufferMs: number
}

const frameMs = 20
/** The voice of the scripted speech has one loudness; 18 dB lower is what ducking makes of it. */
const loweredShare = 0.5

export class Heard {
  readonly #bufferMs: number
  /** Of all frames with sound: how many came behind the moment at which they were due. */
  readonly counts = { frames: 0, late: 0 }
  #firstMs: number | undefined
  #firstPosition = 0
  #loudness = 0
  #lowered: { sentMs: number; heardMs: number } | undefined

  constructor({ bufferMs }: HeardOptions) {
    this.#bufferMs = bufferMs
  }

  /** A new answer begins. */
  reset(): void {
    this.#firstMs = undefined
    this.#lowered = undefined
    this.#loudness = 0
  }

  /** When the first frame came, of this answer. */
  get firstMs(): number | undefined {
    return this.#firstMs
  }

  /** When the first frame came that was lowered, and when it was to be heard. */
  get lowered(): { sentMs: number; heardMs: number } | undefined {
    return this.#lowered
  }

  /** @param position which frame of its stream it is; @param rms of its samples, where it is known */
  frame(position: number, rms: number | undefined, nowMs: number): void {
    if (this.#firstMs === undefined) {
      this.#firstMs = nowMs
      this.#firstPosition = position
    }
    const dueMs = this.#firstMs + this.#bufferMs + frameMs * (position - this.#firstPosition)
    this.counts.frames++
    // The frame that is due now is in time.
    if (nowMs > dueMs + frameMs) this.counts.late++
    if (rms === undefined) return
    if (this.#lowered === undefined && rms < loweredShare * this.#loudness)
      this.#lowered = { sentMs: nowMs, heardMs: Math.max(nowMs, dueMs) }
    this.#loudness = Math.max(this.#loudness * 0.98, rms)
  }
}

export function rmsOf(samples: Float32Array | Int16Array, full = 1): number {
  let sum = 0
  for (const sample of samples) sum += (sample / full) ** 2
  return Math.sqrt(sum / Math.max(1, samples.length))
}
