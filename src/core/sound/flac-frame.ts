import type { BitReader } from './bits.ts'
import { checksumOf } from './checksum.ts'
import { SoundError } from './fault.ts'

export interface FlacInfo {
  /** The most samples of one channel in a frame. */
  maxBlock: number
  /** The rate in Hz. */
  rate: number
  channels: number
  /** The bits of a sample. */
  bits: number
  /** All samples of one channel; 0 if the writer did not know. */
  samples: number
}

/** The most samples of all channels of a frame, which is decoded in one go. */
const maxFrameSamples = 1 << 17

const blockSizes: readonly number[] = [
  0, 192, 576, 1152, 2304, 4608, 0, 0, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768,
]
const sampleWidths: readonly number[] = [0, 8, 12, -1, 16, 20, 24, 32]
const rates: readonly number[] = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
]
const fixedPredictors: readonly (readonly number[])[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]]

/** The head of a frame (RFC 9639, 9.1). */
export interface FlacFrameHead {
  /** Whether frames have different sizes: then the number is that of the first sample, else that of the frame. */
  isVariable: boolean
  number: number
  /** The samples of one channel. */
  blockSize: number
  /** In Hz; 0: as the head of the file says. */
  rate: number
  assignment: number
  channels: number
  /** The bits of a sample; 0: as the head of the file says. */
  sampleBits: number
}

/** Reads the head of a frame. Throws as `FlacFrame` does. */
export function readFlacFrameHead(bits: BitReader): FlacFrameHead {
  if (bits.read(15) !== 0b111_1111_1111_1100) failFrame()
  const isVariable = bits.read(1) === 1
  const sizeCode = bits.read(4)
  const rateCode = bits.read(4)
  const assignment = bits.read(4)
  const sampleBits = sampleWidths[bits.read(3)]!
  bits.read(1)
  const number = readCodedNumber(bits)
  const blockSize =
    sizeCode === 6 ? bits.read(8) + 1 : sizeCode === 7 ? bits.read(16) + 1 : blockSizes[sizeCode]!
  const rate = rateCode < 12 ? rates[rateCode]! : readRate(bits, rateCode)
  if (checksumOf(bits.bytes.subarray(0, bits.bytesRead), 8) !== bits.read(8)) failFrame()
  if (assignment > 10 || sampleBits < 0 || rateCode === 15 || blockSize === 0) failFrame()
  const channels = assignment >= 8 ? 2 : assignment + 1
  return { isVariable, number, blockSize, rate, assignment, channels, sampleBits }
}

/** Rates that have no code follow as thousands, ones or tens of Hz. */
const readRate = (bits: BitReader, code: number): number =>
  code === 12 ? 1_000 * bits.read(8) : (code === 14 ? 10 : 1) * bits.read(16)

/** A number that is coded as in UTF-8, in up to seven bytes. */
function readCodedNumber(bits: BitReader): number {
  const first = bits.read(8)
  const ones = Math.clz32(~(first << 24))
  let number = ones === 0 ? first : first & (0xff >> (ones + 1))
  for (let byte = 1; byte < ones; byte++) number = number * 64 + (bits.read(8) & 0x3f)
  return number
}

function failFrame(): never {
  throw new SoundError('malformed', 'audio/flac')
}

/** Reads one frame of FLAC. Throws a `EndOfBitsError` where the bytes end before the frame does, and a `SoundError` where they are no frame. */
export class FlacFrame {
  readonly #bits: BitReader
  readonly #info: FlacInfo

  constructor(bits: BitReader, info: FlacInfo) {
    this.#bits = bits
    this.#info = info
  }

  /** Reads all but the two bytes of the checksum. Returns the mean of the channels, within [-1, 1]. */
  read(): Float32Array {
    const { blockSize, assignment } = this.#header()
    const { channels, bits } = this.#info
    const side = assignment < 8 ? -1 : assignment === 9 ? 0 : 1
    const data = Array.from({ length: channels }, (_, channel) =>
      this.#subframe(blockSize, bits + (channel === side ? 1 : 0)),
    )
    const samples = new Float32Array(blockSize)
    const scale = 2 ** (bits - 1) * channels
    for (let index = 0; index < blockSize; index++) {
      let sum = 0
      for (const channel of data) sum += channel[index]!
      const [first, second] = data as [Float64Array, Float64Array]
      // Stereo is written as one channel and the difference, or as middle and difference.
      if (assignment === 8) sum = 2 * first[index]! - second[index]!
      else if (assignment === 9) sum = 2 * second[index]! + first[index]!
      else if (assignment === 10) sum = 2 * first[index]! + Math.abs(second[index]! % 2)
      samples[index] = sum / scale
    }
    this.#bits.align()
    return samples
  }

  #header(): { blockSize: number; assignment: number } {
    const head = readFlacFrameHead(this.#bits)
    const { blockSize, assignment, sampleBits } = head
    const { channels, maxBlock, bits } = this.#info
    if (channels !== head.channels || (sampleBits !== 0 && sampleBits !== bits)) failFrame()
    if (blockSize > maxBlock || blockSize * channels > maxFrameSamples) failFrame()
    return { blockSize, assignment }
  }

  #subframe(blockSize: number, width: number): Float64Array {
    const bits = this.#bits
    bits.read(1)
    const type = bits.read(6)
    const wasted = bits.read(1) === 1 ? bits.unary() + 1 : 0
    if (wasted >= width) failFrame()
    const samples = new Float64Array(blockSize)
    const own = width - wasted
    if (type === 0) samples.fill(bits.readSigned(own))
    else if (type === 1) for (let index = 0; index < blockSize; index++) samples[index] = bits.readSigned(own)
    else if (type >= 8 && type <= 12) this.#predicted(samples, own, fixedPredictors[type - 8]!, 0)
    else if (type >= 32) this.#predicted(samples, own, undefined, type - 31)
    else failFrame()
    if (wasted > 0) for (let index = 0; index < blockSize; index++) samples[index]! *= 2 ** wasted
    return samples
  }

  /** Reads samples of which each is the weighted sum of those before it, and a residual. */
  #predicted(
    samples: Float64Array,
    width: number,
    fixed: readonly number[] | undefined,
    linear: number,
  ): void {
    const bits = this.#bits
    const order = fixed?.length ?? linear
    if (order > samples.length) failFrame()
    for (let index = 0; index < order; index++) samples[index] = bits.readSigned(width)
    let weights = fixed
    let unit = 1
    if (!weights) {
      const precision = bits.read(4) + 1
      const shift = bits.readSigned(5)
      if (precision > 15 || shift < 0) failFrame()
      unit = 2 ** shift
      weights = Array.from({ length: order }, () => bits.readSigned(precision))
    }
    this.#residual(samples, order)
    for (let index = order; index < samples.length; index++) {
      let sum = 0
      for (let back = 0; back < order; back++) sum += weights[back]! * samples[index - 1 - back]!
      samples[index]! += Math.floor(sum / unit)
    }
  }

  /** Reads the residual as Rice codes, in parts that each have a parameter of their own. */
  #residual(samples: Float64Array, order: number): void {
    const bits = this.#bits
    const method = bits.read(2)
    if (method > 1) failFrame()
    const parts = 2 ** bits.read(4)
    const size = samples.length / parts
    if (!Number.isInteger(size) || size < order) failFrame()
    const width = method === 0 ? 4 : 5
    for (let part = 0; part < parts; part++) {
      const parameter = bits.read(width)
      const end = (part + 1) * size
      const from = part === 0 ? order : part * size
      if (parameter === 2 ** width - 1) {
        const raw = bits.read(5)
        for (let at = from; at < end; at++) samples[at] = raw === 0 ? 0 : bits.readSigned(raw)
        continue
      }
      for (let at = from; at < end; at++) {
        const folded = bits.unary() * 2 ** parameter + bits.read(parameter)
        samples[at] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
      }
    }
  }
}
