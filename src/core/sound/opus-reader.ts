import type { OpusDecoderHandle } from 'libopus-wasm'
import { SoundError } from './fault.ts'
import { type OggPage, OggPages } from './ogg-pages.ts'
import { silence } from './pcm.ts'

/** The clock of Opus, whatever rate it is decoded at. */
const clockRate = 48_000
/** A packet is 120 ms of sound at most; libopus itself writes no longer one. */
const maxPacketBytes = 61_440
const maxPacketMs = 120

/** A rate in Hz at which libopus decodes. */
export type OpusRate = 8_000 | 12_000 | 16_000 | 24_000 | 48_000

/** Where it is absent, packets are counted and not decoded. */
type PacketDecoder = Pick<OpusDecoderHandle, 'decodeFloat' | 'free'>

/**
 * Reads Opus in Ogg (RFC 7845) that comes in chunks of any length, as one channel. Samples that the encoder put before the first one and after the
 * last are left out. Streams that follow one another are all read.
 */
export class OpusReader {
  readonly mediaType = 'audio/ogg'
  readonly codec = 'opus'
  readonly rate: number
  channels = 0
  readonly #decoder: PacketDecoder | undefined
  /** Whether a packet that cannot be decoded becomes silence, so that its time still passes. */
  readonly #isLenient: boolean
  #decoded = 0
  readonly #pages = new OggPages(maxPacketBytes)
  #packets = 0
  #skip = 0
  #preSkip = 0
  #given = 0
  /** The sound of the last packet, which its page may cut short. */
  #last: Float32Array | undefined

  private constructor(rate: number, decoder?: PacketDecoder, isLenient = false) {
    this.rate = rate
    this.#decoder = decoder
    this.#isLenient = isLenient
  }

  static async open(rate: OpusRate = clockRate, isLenient = false): Promise<OpusReader> {
    const { createDecoder } = await import('libopus-wasm')
    const maxFrameSize = (rate * maxPacketMs) / 1_000
    const decoder = await createDecoder({ channels: 1, sampleRate: rate, maxFrameSize })
    return new OpusReader(rate, decoder, isLenient)
  }

  /** A reader that only counts the samples. */
  static counting(): OpusReader {
    return new OpusReader(clockRate)
  }

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    for (const page of this.#pages.write(chunk)) yield* this.#page(page)
  }

  get hasGap(): boolean {
    return this.#pages.hasGap
  }

  *end(): Iterable<Float32Array> {
    const page = this.#pages.cutPage()
    if (page) yield* this.#page(page)
    // Of a stream that breaks off no clock says where the last packet ends.
    if (this.#last) yield this.#last
    this.#last = undefined
    if (this.#isLenient && this.#decoded === 0) throw new SoundError('empty', this.mediaType)
    this.#pages.end()
  }

  close(): void {
    this.#decoder?.free()
  }

  *#page({ packets, isFirst, isLast, position }: OggPage): Iterable<Float32Array> {
    if (isFirst) {
      this.#packets = 0
      this.#given = 0
    }
    for (const packet of packets) {
      if (this.#last) yield this.#last
      this.#last = this.#read(packet)
    }
    if (isLast) yield* this.#lastSamples(position)
  }

  #read(packet: Buffer): Float32Array | undefined {
    const number = this.#packets++
    if (number === 0) {
      const isHead = packet.length >= 19 && packet.toString('latin1', 0, 8) === 'OpusHead'
      // Streams of more than two channels are several streams in one packet.
      if (!isHead || packet[18] !== 0) this.#fail('unsupported')
      this.channels = packet[9]!
      this.#preSkip = this.#ofClock(packet.readUInt16LE(10))
      this.#skip = this.#preSkip
    }
    // An empty packet is a lost one; the packet after the head has the comments.
    if (number < 2 || packet.length === 0) return undefined
    const samples = this.#decoder ? this.#decode(this.#decoder, packet) : silence(this.#samplesOf(packet))
    const dropped = Math.min(this.#skip, samples.length)
    this.#skip -= dropped
    this.#given += samples.length - dropped
    return samples.slice(dropped)
  }

  #decode(decoder: PacketDecoder, packet: Uint8Array): Float32Array {
    try {
      const samples = decoder.decodeFloat(packet)
      this.#decoded += 1
      return samples
    } catch {
      return this.#isLenient ? silence(this.#samplesOf(packet)) : this.#fail('malformed')
    }
  }

  #samplesOf(packet: Uint8Array): number {
    const ms = opusMs(packet)
    if (ms === 0 || ms > maxPacketMs) this.#fail('malformed')
    return (ms * this.rate) / 1_000
  }

  /** The clock of the last page says where the sound ends within its last packet. */
  *#lastSamples(position: number): Iterable<Float32Array> {
    const last = this.#last
    this.#last = undefined
    if (!last) return
    const excess = Math.max(0, this.#given - Math.max(0, this.#ofClock(position) - this.#preSkip))
    yield last.subarray(0, Math.max(0, last.length - excess))
  }

  #ofClock(samples: number): number {
    return Math.round((samples * this.rate) / clockRate)
  }

  #fail(fault: 'unsupported' | 'malformed'): never {
    throw new SoundError(fault, this.mediaType)
  }
}

/** How long a packet sounds, by its first byte or two (RFC 6716 section 3.1). */
export function opusMs(packet: Uint8Array): number {
  const head = packet[0]!
  const kind = head >> 3
  const frameMs =
    kind < 12 ? [10, 20, 40, 60][kind & 3]! : kind < 16 ? [10, 20][kind & 1]! : [2.5, 5, 10, 20][kind & 3]!
  const code = head & 3
  return frameMs * (code === 0 ? 1 : code === 3 ? (packet[1] ?? 0) & 63 : 2)
}
