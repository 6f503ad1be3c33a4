import type { OpusDecoderHandle } from 'libopus-wasm'
import { hasFec, JitterBuffer, maxPacketMs, type NextPacket } from './jitter-buffer.ts'
import { SampleQueue } from './sample-queue.ts'

export const inputSampleRate = 16_000
const frameMs = 20
const frameSamples = (inputSampleRate * frameMs) / 1_000
const samplesPerMs = inputSampleRate / 1_000
/** The most frames of one pull: a backlog is worked off at three times the pace of sound. */
const framesPerPull = 3
/** Concealed sound begins to sound like a robot after this time. */
const maxConcealedMs = 100
/** After this many consecutive packets that libopus refuses, the other side does not speak Opus. */
const maxErrors = 50

/**
 * Turns a caller's Opus packets of RTP into frames of 20 ms at 16 kHz, in order. Lost sound is taken from the next packet where that repeats it
 * (in-band FEC), is concealed for 100 ms at most (PLC), and is silence after that.
 */
export class OpusSound {
  readonly #decoder: OpusDecoderHandle
  readonly #buffer = new JitterBuffer()
  readonly #decoded = new SampleQueue()
  /** The packet that is next, after a gap that is being filled. */
  #next: NextPacket | undefined
  #concealedMs = 0
  #errors = 0
  #restored = 0
  #madeUpMs = 0

  /** @param decoder decodes to 16 kHz, mono; the code that made it frees it */
  constructor(decoder: OpusDecoderHandle) {
    this.#decoder = decoder
  }

  /** Counts of packets: `restored` are lost packets that the next one repeated, `madeUpMs` is the sound that was concealed. */
  get counts() {
    return { ...this.#buffer.counts, restored: this.#restored, madeUpMs: this.#madeUpMs }
  }

  /** Whether fifty consecutive packets were no Opus: the call is to end then. */
  get hasFailed(): boolean {
    return this.#errors >= maxErrors
  }

  /** @param sequence the extended number, which does not wrap; @param timestamp of 48 kHz, which wraps at 32 bits. The packet is kept. */
  packet(packet: Uint8Array, sequence: number, timestamp: number): void {
    this.#buffer.put(packet, sequence, timestamp)
  }

  /** The frames of 320 samples that are due, up to three; none before the first packet has come. Call every 20 ms. */
  pull(): Float32Array[] {
    this.#buffer.tick()
    const frames: Float32Array[] = []
    while (frames.length < framesPerPull) {
      const frame = this.#decoded.take(frameSamples)
      if (frame) frames.push(frame)
      else if (!this.#decodeMore()) break
    }
    return frames
  }

  #decodeMore(): boolean {
    this.#next ??= this.#buffer.next()
    if (!this.#next) return this.#buffer.takeFiller() && this.#conceal(frameMs)
    if (this.#next.gapMs > 0) return this.#fillGap(this.#next)
    const { packet, ms } = this.#next
    this.#next = undefined
    return this.#decode(packet, ms)
  }

  #decode(packet: Uint8Array, ms: number): boolean {
    try {
      this.#decoded.put(
        clipped(this.#decoder.decodeFloat(packet, { maxFrameSize: maxPacketMs * samplesPerMs })),
      )
    } catch {
      this.#errors += 1
      return this.#conceal(ms)
    }
    this.#errors = 0
    this.#concealedMs = 0
    return true
  }

  /** Fills a piece of the gap; the packet after it may repeat the sound right before it. */
  #fillGap(next: NextPacket): boolean {
    const { gapMs, ms, packet, isLoss } = next
    const isRepaired = isLoss && gapMs <= ms && hasFec(packet)
    if (isRepaired && this.#restore(packet, gapMs)) {
      next.gapMs = 0
      return true
    }
    const pieceMs = gapMs > ms && gapMs - ms < frameMs ? gapMs - ms : Math.min(frameMs, gapMs)
    next.gapMs -= pieceMs
    return this.#conceal(pieceMs)
  }

  #restore(packet: Uint8Array, ms: number): boolean {
    try {
      const frameSize = ms * samplesPerMs
      this.#decoded.put(clipped(this.#decoder.decodeFloat(packet, { decodeFec: true, frameSize })))
    } catch {
      return false
    }
    this.#restored += 1
    this.#concealedMs = 0
    return true
  }

  #conceal(ms: number): boolean {
    const samples = ms * samplesPerMs
    const isSilence = this.#concealedMs + ms > maxConcealedMs
    this.#decoded.put(
      isSilence ? new Float32Array(samples) : clipped(this.#decoder.decodePacketLossFloat(samples)),
    )
    this.#concealedMs += ms
    this.#madeUpMs += ms
    return true
  }
}

/** Clips the samples in place: libopus exceeds full scale, and far exceeds it for packets that no encoder made. */
function clipped(samples: Float32Array): Float32Array {
  for (let index = 0; index < samples.length; index++) {
    const sample = samples[index]!
    if (!(sample <= 1 && sample >= -1)) samples[index] = sample > 0 ? 1 : sample < 0 ? -1 : 0
  }
  return samples
}
