import { Resampler } from '#core/sound'
import { aLaw, muLaw } from './g711.ts'
import { hearingRate } from './opus-sound.ts'
import { SampleQueue } from './sample-queue.ts'

/** Samples of 16 bits, little-endian, at 24 kHz; or G.711 at 8 kHz. */
export type PcmFormat = 'pcm16' | 'pcmu' | 'pcma'

const formats = {
  pcm16: { rate: 24_000, sampleBytes: 2 },
  pcmu: { rate: 8_000, sampleBytes: 1 },
  pcma: { rate: 8_000, sampleBytes: 1 },
} as const

const frameSamples = hearingRate / 50
/** Eight times the pace of sound: a minute that was sent at once is heard in eight seconds, and costs no tick a millisecond. */
const framesPerPull = 8
/** For speech, which is quick and needs no more. */
const filterWidth = 16
/** As much as one utterance may be. */
const maxWaitingMs = 60_000

export type AppendResult = 'taken' | 'malformed' | 'full'

/** What a caller says over a WebSocket: base64 of any length in, frames of 20 ms at 16 kHz out. What waits stays as it came until its turn. */
export class PcmSound {
  readonly #format: PcmFormat
  readonly #resampler: Resampler
  readonly #bytesPerFrame: number
  readonly #mostBytes: number
  #waiting: (Buffer | (() => void))[] = []
  #waitingBytes = 0
  /** The first half of a sample. */
  #half: Buffer | undefined
  readonly #heard = new SampleQueue()

  constructor(format: PcmFormat) {
    const { rate, sampleBytes } = formats[format]
    this.#format = format
    this.#resampler = new Resampler(rate, hearingRate, filterWidth)
    this.#bytesPerFrame = (rate * sampleBytes) / 50
    this.#mostBytes = (rate * sampleBytes * maxWaitingMs) / 1_000
  }

  /** Of sound that has not been pulled. */
  get waitingMs(): number {
    return (20 * this.#waitingBytes) / this.#bytesPerFrame
  }

  /** `malformed`: no base64. `full`: more than a minute would wait; nothing of it was taken, and it may be sent again later. */
  append(base64: string): AppendResult {
    const bytes = Buffer.from(base64, 'base64')
    // What is no base64 is skipped by the reader, so that too little comes out.
    if (bytes.length !== bytesOf(base64)) return 'malformed'
    if (this.#waitingBytes + bytes.length > this.#mostBytes) return 'full'
    if (bytes.length > 0) this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    return 'taken'
  }

  /** Once all that was appended before has been pulled; at once, where nothing waits. What is less than a frame is filled up with silence. */
  afterwards(action: () => void): void {
    this.#waiting.push(action)
    if (this.#waiting.length === 1 && this.#heard.length === 0) this.#runActions()
  }

  /** Forgets what has not been pulled. Actions that wait for it run. */
  clear(): void {
    const actions = this.#waiting.filter((one) => typeof one === 'function')
    this.#waiting = []
    this.#waitingBytes = 0
    this.#half = undefined
    this.#heard.clear()
    for (const action of actions) action()
  }

  /** Once each 20 ms: up to eight frames of 320 samples, each to be used before the next is taken, so that actions run in their place. */
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

  /** About a frame of it: a large event would hold the process. */
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

/** How many bytes so much base64 is, with its padding or without. */
function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}
