/** Sends the user's sound to the upstream; a moment of it is kept, so that a turn begins where speech did. */
import { Resampler } from '#core/sound'

const rate = 16_000
const frameMs = 20
/** The frames kept for a prefix and an interruption, which is detected 1.2 seconds after it began. */
const maxFrames = 4_000 / frameMs
const filterWidth = 16

export class UserSound {
  readonly #send: (pcm: Uint8Array) => void
  readonly #resampler: Resampler
  readonly #recent: Float32Array[] = []
  #frames = 0
  /** All frames before this one were sent, or belong to no turn. */
  #sentUntil = 0
  #isOpen = false
  #isHeld = false
  #sentFrames = 0

  /** `send` gets samples of `inputRate`, mono, 16 bit, little-endian. */
  constructor(inputRate: number, send: (pcm: Uint8Array) => void) {
    this.#resampler = new Resampler(rate, inputRate, filterWidth)
    this.#send = send
  }

  /** Takes 20 ms at 16 kHz. */
  write(frame: Float32Array): void {
    this.#recent.push(frame.slice())
    if (this.#recent.length > maxFrames) this.#recent.shift()
    this.#frames += 1
    if (this.#isOpen) this.#flush()
  }

  /** Begins a turn at this time of the call, or where the last turn ended: kept sound is sent from there, and later sound as it comes. */
  open(fromMs = 0): void {
    this.#sentUntil = Math.max(this.#sentUntil, Math.floor(fromMs / frameMs))
    this.#isOpen = true
    this.#flush()
  }

  /** Pauses a turn that may go on: later sound is sent when it is opened again, as long as it is kept. */
  pause(): void {
    this.#isOpen = false
  }

  /** Ends the turn. */
  close(): void {
    this.#isOpen = false
    this.#sentUntil = this.#frames
  }

  /** Holds back later sound until `release`, as long as it is kept, so that earlier sound is committed first. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    if (this.#isOpen) this.#flush()
  }

  /** The seconds of sound sent since the last call of this method. */
  takeSeconds(): number {
    const seconds = (this.#sentFrames * frameMs) / 1_000
    this.#sentFrames = 0
    return seconds
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Sends samples of a turn whose beginning a former session had. */
  resend(samples: Float32Array): void {
    this.#sentFrames += samples.length / (rate * (frameMs / 1_000))
    this.#send(pcmOf(this.#resampler.write(samples)))
  }

  #flush(): void {
    if (this.#isHeld) return
    const first = this.#frames - this.#recent.length
    const from = Math.max(this.#sentUntil, first)
    for (let at = from; at < this.#frames; at++)
      this.#send(pcmOf(this.#resampler.writeTransient(this.#recent[at - first]!)))
    this.#sentFrames += Math.max(0, this.#frames - from)
    this.#sentUntil = this.#frames
  }
}

/** Converts samples from -1 to 1 to 16 bits, little-endian. */
export function pcmOf(samples: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * samples.length))
  for (let at = 0; at < samples.length; at++)
    view.setInt16(2 * at, Math.max(-32_768, Math.min(32_767, Math.round(samples[at]! * 32_768))), true)
  return new Uint8Array(view.buffer)
}

export function samplesOf(pcm: Uint8Array): Float32Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  const samples = new Float32Array(pcm.byteLength >> 1)
  for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(2 * at, true) / 32_768
  return samples
}
