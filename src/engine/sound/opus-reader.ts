import type { OpusDecoderHandle } from 'libopus-wasm'
import { oggChecksum } from './ogg.ts'
import { concatenated, silence } from './pcm.ts'
import type { SoundFault } from './wav-reader.ts'

const rate = 48_000
/** A packet is 120 ms of sound at most; libopus itself writes no longer one. */
const maxPacketBytes = 61_440
const maxFrameSize = (rate * 120) / 1_000
const headBytes = 27
const isContinued = 1

/**
 * Reads Opus in Ogg (RFC 7845) that comes in chunks of any length, as one channel at 48 kHz. What the encoder put before the first sample
 * and after the last is left out. A page whose checksum is wrong ends it.
 */
export class OpusReader implements Disposable {
  readonly rate = rate
  fault: SoundFault | undefined
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

  private constructor(decoder: OpusDecoderHandle) {
    this.#decoder = decoder
  }

  static async open(): Promise<OpusReader> {
    const { createDecoder } = await import('libopus-wasm')
    return new OpusReader(await createDecoder({ channels: 1, sampleRate: rate, maxFrameSize }))
  }

  write(chunk: Uint8Array): Float32Array {
    if (this.fault || this.#isLast) return silence
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes < this.#needed) return silence
    let bytes: Uint8Array = Buffer.concat(this.#held)
    const pieces: Float32Array[] = []
    while (!this.fault && !this.#isLast) {
      this.#needed = pageLength(bytes)
      if (bytes.length < this.#needed) break
      const length = pageLength(bytes)
      this.#page(bytes.subarray(0, length), pieces)
      bytes = bytes.subarray(length)
    }
    this.#held = [bytes]
    this.#heldBytes = bytes.length
    return concatenated(pieces)
  }

  end(): Float32Array {
    if (!this.#isLast) this.fault ??= this.#packets < 2 ? 'malformed' : 'truncated'
    return silence
  }

  [Symbol.dispose](): void {
    this.#decoder.free()
  }

  #page(page: Uint8Array, pieces: Float32Array[]): void {
    const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
    const unchecked = page.slice()
    unchecked.fill(0, 22, 26)
    if (view.getUint32(0) !== 0x4f676753 || oggChecksum(unchecked) !== view.getUint32(22, true)) {
      this.fault = this.#packets < 2 ? 'malformed' : 'truncated'
      return
    }
    const count = page[26]!
    let at = headBytes + count
    // A packet that began on a page which is not there cannot be read.
    let isLost = (page[5]! & isContinued) !== 0 && this.#packet.length === 0
    for (const size of page.subarray(headBytes, headBytes + count)) {
      this.#packet.push(page.slice(at, at + size))
      this.#packetBytes += size
      at += size
      if (this.#packetBytes > maxPacketBytes) this.fault = 'malformed'
      if (this.fault) return
      if (size === 255) continue
      const packet = Buffer.concat(this.#packet)
      this.#packet = []
      this.#packetBytes = 0
      if (!isLost) this.#read(packet, pieces)
      isLost = false
    }
    this.#isLast = (page[5]! & 4) !== 0
    if (this.#isLast) this.#dropAfter(view.getBigInt64(6, true), pieces)
  }

  #read(packet: Buffer, pieces: Float32Array[]): void {
    const number = this.#packets++
    if (number === 0) {
      const isHead = packet.length >= 19 && packet.toString('latin1', 0, 8) === 'OpusHead'
      // Streams of more than two channels are several streams in one packet.
      if (!isHead || packet[18] !== 0) this.fault = 'unsupported'
      if (this.fault) return
      this.#preSkip = packet[10]! | (packet[11]! << 8)
      this.#skip = this.#preSkip
    } else if (number > 1 && packet.length > 0) {
      const samples = this.#decoded(packet)
      const dropped = Math.min(this.#skip, samples.length)
      this.#skip -= dropped
      this.#given += samples.length - dropped
      pieces.push(samples.slice(dropped))
    }
  }

  /** A packet that is no Opus becomes silence of a usual length, as players do. */
  #decoded(packet: Uint8Array): Float32Array {
    try {
      return this.#decoder.decodeFloat(packet)
    } catch {
      return new Float32Array((rate * 20) / 1_000)
    }
  }

  /** The clock of the last page says where the sound ends within its packets. */
  #dropAfter(position: bigint, pieces: Float32Array[]): void {
    let excess = this.#given - Math.max(0, Number(position) - this.#preSkip)
    while (excess > 0 && pieces.length > 0) {
      const last = pieces.pop()!
      const kept = last.subarray(0, Math.max(0, last.length - excess))
      excess -= last.length - kept.length
      if (kept.length > 0) pieces.push(kept)
    }
  }
}

/** Bytes of the page that begins here, or as many as are needed to know. */
function pageLength(bytes: Uint8Array): number {
  if (bytes.length < headBytes) return headBytes
  const head = headBytes + bytes[26]!
  if (bytes.length < head) return head
  return bytes.subarray(headBytes, head).reduce((sum, size) => sum + size, head)
}
