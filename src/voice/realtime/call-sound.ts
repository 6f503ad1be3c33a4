/** The received and the spoken sound of a call, at the pace of the one clock. */
import type { SoundClock } from './clock.ts'
import type { Transport } from './parts.ts'
import { PacedSpeaker } from './speak/speaker.ts'

const tickMs = 20

export interface CallSoundOptions {
  clock: SoundClock
  play: Transport['play']
  /**
   * The frames of 20 ms at 16 kHz that are due. Called once a tick, also after a delay of the process: packets that came meanwhile have not been read
   * yet, and must not count as missing.
   */
  pull(): Iterable<Float32Array>
  hear(frame: Float32Array): void
  /**
   * How far ahead of playback sound is sent: for a line without a pace of its own, whose client would fall silent at the first delay. The lead is
   * reached at twice the pace, and counts as not yet heard.
   */
  leadMs: number
  /** The time from the moment at which a frame is due until it is heard, in ms. */
  tailMs(): number
  /** Called when a tick threw. */
  failed(error: unknown): void
}

/** The sound of a call, until it is disposed. */
export class CallSound implements Disposable {
  readonly speaker: PacedSpeaker
  readonly #options: CallSoundOptions
  readonly #leave: () => void
  /** The sound that the client has but has not played yet. */
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
    // Waits for sound that is not played any more are resolved.
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
