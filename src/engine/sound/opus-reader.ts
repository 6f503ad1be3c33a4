import type { OpusDecoderHandle } from 'libopus-wasm'
import { checksumOf } from './checksum.ts'
import { SoundError } from './fault.ts'

const rate = 48_000
/** A packet is 120 ms of sound at most; libopus itself writes no longer one. */
const maxPacketBytes = 61_440
const maxFrameSize = (rate * 120) / 1_000
const headBytes = 27
const flags = { continued: 1, first: 2, last: 4 }

/**
 * Reads Opus in Ogg (RFC 7845) that comes in chunks of any length, as one channel at 48 kHz. What the encoder put before the first sample
 * and after the last is left out. Streams that follow one another are read on. A page whose checksum is wrong ends it.
 */
export class OpusReader {
  readonly mediaType = 'audio/ogg'
  readonly rate = rate
  readonly #decoder: OpusDecoderHandle
  /** Bytes that are not a whole page yet: 65,307 at most. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #needed = headBytes
  #packet: Uint8Array[] = []
  #packetBytes = 0
  #packets = 0
  #skip = 0
  #preSkip = 0
  #given = 0
  #isLast = false
  /** Sound of the last packet, which its page may end earlier. */
  #last: Float32Array | undefined

  private constructor(decoder: OpusDecoderHandle) {
    this.#decoder = decoder
  }

  static async open(): Promise<OpusReader> {
    const { createDecoder } = await import('libopus-wasm')
    return new OpusReader(await createDecoder({ channels: 1, sampleRate: rate, maxFrameSize }))
  }

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    this.#held.push(new Uint8Array(chunk))
    this.#heldBytes += chunk.length
    if (this.#heldBytes < this.#needed) return
    const bytes = Buffer.concat(this.#held)
    let at = 0
    for (;;) {
      const rest = bytes.subarray(at)
      this.#needed = pageLength(rest)
      if (rest.length < this.#needed) break
      const length = pageLength(rest)
      if (rest.length < length) continue
      yield* this.#page(rest.subarray(0, length))
      at += length
    }
    this.#held = [bytes.subarray(at)]
    this.#heldBytes = bytes.length - at
  }

  end(): Float32Array[] {
    if (!this.#isLast || this.#heldBytes > 0) this.#fail('truncated')
    return []
  }

  close(): void {
    this.#decoder.free()
  }

  *#page(page: Buffer): Iterable<Float32Array> {
    const unchecked = Buffer.from(page)
    unchecked.fill(0, 22, 26)
    if (page.readUInt32BE(0) !== 0x4f676753 || checksumOf(unchecked, 32) !== page.readUInt32LE(22))
      this.#fail('malformed')
    const flag = page[5]!
    if ((flag & flags.first) !== 0) this.#restart()
    // A packet that began on a page which is not there cannot be read.
    if (this.#isLast || ((flag & flags.continued) !== 0 && this.#packet.length === 0)) this.#fail('malformed')
    const count = page[26]!
    let at = headBytes + count
    for (const size of page.subarray(headBytes, headBytes + count)) {
      this.#packet.push(page.subarray(at, at + size))
      this.#packetBytes += size
      at += size
      if (this.#packetBytes > maxPacketBytes) this.#fail('malformed')
      if (size === 255) continue
      const packet = Buffer.concat(this.#packet)
      this.#packet = []
      this.#packetBytes = 0
      if (this.#last) yield this.#last
      this.#last = this.#read(packet)
    }
    // What is held on to is a copy of its own, not a part of many pages.
    this.#packet = this.#packet.map((part) => new Uint8Array(part))
    this.#isLast = (flag & flags.last) !== 0
    if (this.#isLast) yield* this.#lastSamples(Number(page.readBigInt64LE(6)))
  }

  #restart(): void {
    this.#packets = 0
    this.#given = 0
    this.#packet = []
    this.#packetBytes = 0
    this.#isLast = false
  }

  #read(packet: Buffer): Float32Array | undefined {
    const number = this.#packets++
    if (number === 0) {
      const isHead = packet.length >= 19 && packet.toString('latin1', 0, 8) === 'OpusHead'
      // Streams of more than two channels are several streams in one packet.
      if (!isHead || packet[18] !== 0) this.#fail('unsupported')
      this.#preSkip = packet.readUInt16LE(10)
      this.#skip = this.#preSkip
    }
    // An empty packet is a lost one; what follows the head are its comments.
    if (number < 2 || packet.length === 0) return undefined
    const samples = this.#decoded(packet)
    const dropped = Math.min(this.#skip, samples.length)
    this.#skip -= dropped
    this.#given += samples.length - dropped
    return samples.slice(dropped)
  }

  #decoded(packet: Uint8Array): Float32Array {
    try {
      return this.#decoder.decodeFloat(packet)
    } catch {
      return this.#fail('malformed')
    }
  }

  /** The clock of the last page says where the sound ends within its last packet. */
  *#lastSamples(position: number): Iterable<Float32Array> {
    const last = this.#last
    this.#last = undefined
    if (!last) return
    const excess = Math.max(0, this.#given - Math.max(0, position - this.#preSkip))
    yield last.subarray(0, Math.max(0, last.length - excess))
  }

  #fail(fault: 'unsupported' | 'malformed' | 'truncated'): never {
    throw new SoundError(fault, this.mediaType)
  }
}

/** Bytes of the page that begins here, or as many as are needed to know. */
function pageLength(bytes: Uint8Array): number {
  if (bytes.length < headBytes) return headBytes
  const head = headBytes + bytes[26]!
  if (bytes.length < head) return head
  return bytes.subarray(headBytes, head).reduce((sum, size) => sum + size, head)
}
