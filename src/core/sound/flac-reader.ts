import { BitReader, EndOfBitsError } from './bits.ts'
import { checksumOf } from './checksum.ts'
import { SoundError } from './fault.ts'
import { FlacFrame, type FlacInfo } from './flac-frame.ts'
import { noSamples } from './pcm.ts'

/** The most bytes of a frame: more than its samples need when they are not coded, with room to spare. */
const maxFrameBytes = 1 << 20
/**
 * Reads FLAC (RFC 9639) that comes in chunks of any length, up to 8 channels and 32 bits. Every frame is compared with its checksum, and the number
 * of samples with what the head declares.
 */
export class FlacReader {
  readonly mediaType = 'audio/flac'
  readonly codec = 'flac'
  #info: FlacInfo | undefined
  #state: 'magic' | 'block' | 'skip' | 'frames' = 'magic'
  #isLastBlock = false
  #skip = 0
  #held: Uint8Array = new Uint8Array(0)
  #later: Uint8Array[] = []
  #laterBytes = 0
  /** The bytes that must be there before a frame is tried again: a frame does not state how long it is. */
  #needed = 0
  #samples = 0

  get rate(): number {
    return this.#info!.rate
  }

  get channels(): number {
    return this.#info!.channels
  }

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    this.#later.push(new Uint8Array(chunk))
    this.#laterBytes += chunk.length
    if (this.#held.length + this.#laterBytes < this.#needed) return
    yield* this.#read(false)
  }

  *end(): Iterable<Float32Array> {
    yield* this.#read(true)
    const declared = this.#info?.samples ?? 0
    const isWhole = declared > 0 && this.#samples >= declared
    if (this.#state !== 'frames' || this.#samples < declared || (this.#held.length > 0 && !isWhole))
      this.#fail('truncated')
  }

  close(): void {}

  *#read(isEnd: boolean): Iterable<Float32Array> {
    const bytes = Buffer.concat([this.#held, ...this.#later])
    this.#later = []
    this.#laterBytes = 0
    let at = 0
    while (this.#state !== 'frames') {
      const next = this.#head(bytes, at)
      if (next === undefined) break
      at = next
    }
    while (this.#state === 'frames' && at < bytes.length) {
      const frame = this.#frame(bytes.subarray(at), isEnd)
      if (!frame) break
      at += frame.length
      yield frame.samples
    }
    this.#held = new Uint8Array(bytes.subarray(at))
    if (this.#state !== 'frames') this.#needed = 0
    else this.#needed = Math.ceil(this.#held.length * 1.25) + 64
    if (this.#held.length > maxFrameBytes) this.#fail('malformed')
  }

  /** Reads the blocks before the frames. Returns where the next one begins, or `undefined` when more bytes are needed. */
  #head(bytes: Buffer, at: number): number | undefined {
    const left = bytes.length - at
    if (this.#state === 'magic') {
      if (left < 4) return undefined
      this.#state = 'block'
      return at + 4
    }
    if (this.#state === 'skip') {
      const step = Math.min(left, this.#skip)
      this.#skip -= step
      if (this.#skip === 0) this.#state = this.#isLastBlock ? 'frames' : 'block'
      return this.#skip === 0 ? at + step : step > 0 ? at + step : undefined
    }
    if (left < 4) return undefined
    const isInfo = (bytes[at]! & 0x7f) === 0
    const length = bytes.readUIntBE(at + 1, 3)
    if (isInfo === (this.#info !== undefined) || (isInfo && length < 34)) this.#fail('malformed')
    if (isInfo && left < 38) return undefined
    if (isInfo) this.#info = this.#infoOf(bytes.subarray(at + 4, at + 38))
    this.#isLastBlock = (bytes[at]! & 0x80) !== 0
    this.#skip = length
    this.#state = 'skip'
    return at + 4
  }

  #infoOf(block: Buffer): FlacInfo {
    const info: FlacInfo = {
      maxBlock: block.readUInt16BE(2),
      rate: block.readUIntBE(10, 3) >> 4,
      channels: ((block[12]! >> 1) & 7) + 1,
      bits: (((block[12]! & 1) << 4) | (block[13]! >> 4)) + 1,
      samples: (block[13]! & 15) * 2 ** 32 + block.readUInt32BE(14),
    }
    if (info.maxBlock < 16 || info.bits < 4 || info.rate < 4_000 || info.rate > 192_000)
      throw new SoundError('unsupported', this.mediaType)
    return info
  }

  /** The frame with which the bytes begin; `undefined` when it is not whole. */
  #frame(bytes: Uint8Array, isEnd: boolean): { samples: Float32Array; length: number } | undefined {
    const declared = this.#info!.samples
    if (declared > 0 && this.#samples >= declared) return this.#skipTrailer(bytes)
    try {
      const bits = new BitReader(bytes)
      const samples = new FlacFrame(bits, this.#info!).read()
      const length = bits.bytesRead
      if (checksumOf(bytes.subarray(0, length), 16) !== bits.read(16)) this.#fail('malformed')
      this.#samples += samples.length
      return { samples, length: length + 2 }
    } catch (error) {
      if (!(error instanceof EndOfBitsError)) throw error
      if (isEnd) this.#fail('truncated')
      return undefined
    }
  }

  /** Skips what follows the last frame, where some writers put a tag. Further frames are refused, since the head does not declare their sound. */
  #skipTrailer(bytes: Uint8Array): { samples: Float32Array; length: number } | undefined {
    // A last byte of 0xff may begin a frame, which only the next byte shows.
    const open = bytes.at(-1) === 0xff ? 1 : 0
    if (open === bytes.length) return undefined
    for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1))
      if ((bytes[at + 1]! & 0xfe) === 0xf8) this.#fail('malformed')
    return { samples: noSamples, length: bytes.length - open }
  }

  #fail(fault: 'malformed' | 'truncated'): never {
    throw new SoundError(fault, this.mediaType)
  }
}
