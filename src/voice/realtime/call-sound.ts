/** What a call hears and says, at the pace of the one clock. */
import type { SoundClock } from './clock.ts'
import type { Transport } from './parts.ts'
import { PacedSpeaker } from './speak/speaker.ts'

const tickMs = 20

export interface CallSoundOptions {
  clock: SoundClock
  play: Transport['play']
  /**
   * Frames of 20 ms at 16 kHz that are due. Once a tick, after a delay of the process, too: what came by the network meanwhile has not been
   * read yet, and is not to be taken for missing.
   */
  pull(): Iterable<Float32Array>
  hear(frame: Float32Array): void
  /**
   * So far ahead of the ear is sound sent: for a line without a pace of its own, whose client would fall silent at the first delay. It is
   * reached at twice the pace, and counts as not yet heard.
   */
  leadMs: number
  /** From the moment at which a frame is due to the ear, in ms. */
  tailMs(): number
  /** Its tick threw. */
  failed(error: unknown): void
}

/** Until it is disposed. */
export class CallSound implements Disposable {
  readonly speaker: PacedSpeaker
  readonly #options: CallSoundOptions
  readonly #leave: () => void
  /** What the client has and has not played yet. */
  #aheadMs = 0
  #isSounding = false

  constructor(options: CallSoundOptions) {
    this.#options = options
    this.speaker = new PacedSpeaker({
      play: (frame, itemId) => {
        this.#isSounding = itemId !== undefined
        options.play(frame, itemId)
      },
      tailMs: () => options.tailMs() + this.#aheadMs,
    })
    this.#leave = options.clock.join({
      tick: (frames) => {
        for (const frame of options.pull()) options.hear(frame)
        for (let frame = 0; frame < frames; frame++) this.#say()
      },
      failed: options.failed,
    })
  }

  [Symbol.dispose](): void {
    this.#leave()
    // Nobody waits for sound that is not played any more.
    this.speaker.cut()
  }

  #say(): void {
    const { leadMs } = this.#options
    this.speaker.tick()
    if (!this.#isSounding) this.#aheadMs = Math.max(0, this.#aheadMs - tickMs)
    else if (this.#aheadMs + tickMs <= leadMs && this.speaker.waitingMs > 0) {
      this.speaker.tick()
      if (this.#isSounding) this.#aheadMs += tickMs
    }
  }
}
