import { Resampler } from '#core/sound'
import { aLaw, muLaw } from './g711.ts'
import { inputSampleRate } from './opus-sound.ts'
import { SampleQueue } from './sample-queue.ts'

/** Samples of 16 bits, little-endian, at 24 kHz; or G.711 at 8 kHz. */
export type PcmFormat = 'pcm16' | 'pcmu' | 'pcma'

const formats = {
  pcm16: { rate: 24_000, sampleBytes: 2 },
  pcmu: { rate: 8_000, sampleBytes: 1 },
  pcma: { rate: 8_000, sampleBytes: 1 },
} as const

const frameSamples = inputSampleRate / 50
/**
 * The most frames of one pull, eight times the pace of sound: a minute that was sent at once is heard in eight seconds, and costs no tick a
 * millisecond.
 */
const framesPerPull = 8
/** The width of the filter for speech, which is quick and needs no more. */
const filterWidth = 16
/** The most sound that waits: as much as one utterance may have. */
const maxWaitingMs = 60_000

export type AppendResult = 'taken' | 'malformed' | 'full'

/**
 * Turns a caller's sound from a WebSocket, in base64 of any length, into frames of 20 ms at 16 kHz. Waiting sound is kept as it came until its turn.
 */
export class PcmSound {
  readonly #format: PcmFormat
  readonly #resampler: Resampler
  readonly #bytesPerFrame: number
  readonly #maxWaitingBytes: number
  #waiting: (Buffer | (() => void))[] = []
  #waitingBytes = 0
  /** The first byte of a sample whose second byte has not come. */
  #half: Buffer | undefined
  readonly #heard = new SampleQueue()

  constructor(format: PcmFormat) {
    const { rate, sampleBytes } = formats[format]
    this.#format = format
    this.#resampler = new Resampler(rate, inputSampleRate, filterWidth)
    this.#bytesPerFrame = (rate * sampleBytes) / 50
    this.#maxWaitingBytes = (rate * sampleBytes * maxWaitingMs) / 1_000
  }

  /** The milliseconds of sound that has not been pulled. */
  get waitingMs(): number {
    return (20 * this.#waitingBytes) / this.#bytesPerFrame
  }

  /** Adds sound. `malformed`: it is no base64. `full`: more than a minute would wait; none of it was taken, and it may be sent again later. */
  append(base64: string): AppendResult {
    const bytes = Buffer.from(base64, 'base64')
    // The decoder skips characters that are no base64, so that there are too few bytes.
    if (bytes.length !== bytesOf(base64)) return 'malformed'
    if (this.#waitingBytes + bytes.length > this.#maxWaitingBytes) return 'full'
    if (bytes.length > 0) this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    return 'taken'
  }

  /** Runs the action once all sound appended before has been pulled; at once, where nothing waits. An incomplete frame is filled up with silence. */
  runAfterPending(action: () => void): void {
    this.#waiting.push(action)
    if (this.#waiting.length === 1 && this.#heard.length === 0) this.#runActions()
  }

  /** Drops the sound that has not been pulled. Actions that wait for it run. */
  clear(): void {
    const actions = this.#waiting.filter((one) => typeof one === 'function')
    this.#waiting = []
    this.#waitingBytes = 0
    this.#half = undefined
    this.#heard.clear()
    for (const action of actions) action()
  }

  /** The frames of 320 samples that are due, up to eight; call every 20 ms. Use each before the next is taken, so that actions run in their place. */
  *pull(): Generator<Float32Array> {
    for (let count = 0; count < framesPerPull; count++) {
      const frame = this.#next()
      if (!frame) return
      yield frame
    }
  }

  #next(): Float32Array | undefined {
    for (;;) {
      const frame = this.#heard.take(frameSamples)
      if (frame) return frame
      const first = this.#waiting[0]
      if (first === undefined) return undefined
      if (typeof first !== 'function') this.#hear(first)
      else if (this.#heard.length > 0) this.#heard.put(new Float32Array(frameSamples - this.#heard.length))
      else this.#runActions()
    }
  }

  /** Decodes about a frame of the first event: a whole large event would block the process. */
  #hear(first: Buffer): void {
    const bytes = first.subarray(0, this.#bytesPerFrame)
    if (bytes.length === first.length) this.#waiting.shift()
    else this.#waiting[0] = first.subarray(bytes.length)
    this.#waitingBytes -= bytes.length
    this.#heard.put(this.#resampler.write(this.#samplesOf(bytes)))
  }

  #samplesOf(bytes: Buffer): Float32Array {
    if (this.#format !== 'pcm16') {
      const table = this.#format === 'pcmu' ? muLaw : aLaw
      return Float32Array.from(bytes, (byte) => table[byte]!)
    }
    const whole = this.#half ? Buffer.concat([this.#half, bytes]) : bytes
    this.#half = whole.length % 2 === 1 ? whole.subarray(-1) : undefined
    const samples = new Float32Array(whole.length >> 1)
    for (let index = 0; index < samples.length; index++)
      samples[index] = whole.readInt16LE(2 * index) / 32_768
    return samples
  }

  #runActions(): void {
    for (let first = this.#waiting[0]; typeof first === 'function'; first = this.#waiting[0]) {
      this.#waiting.shift()
      first()
    }
  }
}

/** The number of bytes in a base64 text, with or without padding. */
function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}
