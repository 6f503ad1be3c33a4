import { BitWriter } from './bits.ts'
import { checksumOf } from './checksum.ts'
import { type Codec, type CodecOptions, noBytes } from './codec.ts'
import { toInt16 } from './pcm.ts'
import { vorbisComment } from './vorbis-comment.ts'

/** The samples of a frame; only the last frame has fewer. */
const blockSize = 4_096
/** The residual of a whole frame is coded in 2^4 parts, each with a parameter of its own. */
const partitionOrder = 4

/** FLAC (RFC 9639), 16-bit mono, with the fixed predictors: speech becomes about half of its PCM. */
export function openFlac(rate: number, { note }: CodecOptions): Codec {
  let head = headOf(rate, 0, note)
  let taken = 0
  const block = new Int32Array(blockSize)
  let filled = 0
  let frames = 0
  const out = (pieces: Uint8Array[]): Uint8Array => {
    const bytes = Buffer.concat([head, ...pieces])
    head = noBytes
    return bytes
  }
  const frame = (): Uint8Array => {
    const bytes = frameOf(block.subarray(0, filled), frames, rate)
    frames += 1
    filled = 0
    return bytes
  }
  return {
    rate,
    write: (piece) => {
      const pieces: Uint8Array[] = []
      taken += piece.length
      for (const sample of piece) {
        block[filled++] = toInt16(sample)
        if (filled === blockSize) pieces.push(frame())
      }
      return out(pieces)
    },
    end: () => out(filled > 0 ? [frame()] : []),
    wholeHead: () => headOf(rate, taken, note),
    close: () => {},
  }
}

function headOf(rate: number, samples: number, note?: string): Uint8Array {
  const info = new BitWriter()
  info.put(blockSize, 16)
  info.put(blockSize, 16)
  info.put(0, 24) // the smallest and the largest frame: not known
  info.put(0, 24)
  info.put(rate, 20)
  info.put(0, 3) // channels less one
  info.put(15, 5) // bits of a sample less one
  // 36 bits; 0 says that the number of samples is not known, as does an MD5 of zeros.
  info.put(Math.floor(samples / 2 ** 32), 4)
  info.put(samples >>> 16, 16)
  info.put(samples & 0xffff, 16)
  const comment = vorbisComment('kherad', note)
  const blocks = [
    [0, Buffer.concat([info.bytes(), Buffer.alloc(16)])],
    [0x80 | 4, comment], // the last block
  ] as const
  return Buffer.concat([
    Buffer.from('fLaC'),
    ...blocks.flatMap(([type, body]) => {
      const head = Buffer.alloc(4)
      head.writeUInt32BE(body.length)
      head[0] = type
      return [head, body]
    }),
  ])
}

/** Hertz by their codes in a frame; other rates follow as a number of 16 bits. */
const rateCodes = new Map([
  [8_000, 4],
  [16_000, 5],
  [22_050, 6],
  [24_000, 7],
  [32_000, 8],
  [44_100, 9],
  [48_000, 10],
  [96_000, 11],
])
const inHertz = 13
const inHead = 0

/** A frame states its rate although the head does: Chromium plays no frames that leave it to the head ("PTS is not defined"). */
function frameOf(block: Int32Array, number: number, rate: number): Uint8Array {
  const rateCode = rateCodes.get(rate) ?? (rate <= 0xffff ? inHertz : inHead)
  const bits = new BitWriter()
  bits.put(0xfff8, 16) // frames of a fixed size
  bits.put(block.length === blockSize ? 0b1100 : 0b0111, 4)
  bits.put(rateCode, 4)
  bits.put(0, 4) // mono
  bits.put(0b1000, 4) // 16 bits
  for (const byte of codedNumber(number)) bits.put(byte, 8)
  if (block.length !== blockSize) bits.put(block.length - 1, 16)
  if (rateCode === inHertz) bits.put(rate, 16)
  bits.put(checksumOf(bits.bytes(), 8), 8)
  putSamples(bits, block)
  const bytes = bits.bytes()
  const check = checksumOf(bytes, 16)
  return Buffer.concat([bytes, Uint8Array.of(check >> 8, check & 0xff)])
}

/** A number, coded as in UTF-8; some hours of sound need four bytes. */
function codedNumber(number: number): Uint8Array {
  if (number < 0x80) return Uint8Array.of(number)
  let extra = 1
  while (number >= 2 ** (6 + 5 * extra)) extra += 1
  const bytes = new Uint8Array(extra + 1)
  let rest = number
  for (let at = extra; at > 0; at--) {
    bytes[at] = 0x80 | (rest & 0x3f)
    rest = Math.floor(rest / 64)
  }
  bytes[0] = ((0xff00 >> (extra + 1)) & 0xff) | rest
  return bytes
}

/** Writes one channel in the shortest of three ways: a constant, the difference to a prediction, or the samples as they are. */
function putSamples(bits: BitWriter, block: Int32Array): void {
  if (block.every((sample) => sample === block[0])) {
    bits.put(0, 8)
    bits.put(block[0]! & 0xffff, 16)
    return
  }
  const { order, residual } = bestPrediction(block)
  const parts = ricePartitions(residual, order, block.length)
  const cost = parts.reduce((sum, part) => sum + part.bits + 4, 16 * order + 6)
  if (cost >= 16 * block.length) {
    bits.put(0b0000_0010, 8)
    for (const sample of block) bits.put(sample & 0xffff, 16)
    return
  }
  bits.put((0b001000 | order) << 1, 8)
  for (const sample of block.subarray(0, order)) bits.put(sample & 0xffff, 16)
  bits.put(0, 2) // Rice parameters of 4 bits
  bits.put(parts.length === 1 ? 0 : partitionOrder, 4)
  for (const { parameter, values } of parts) {
    bits.put(parameter, 4)
    for (const value of values) {
      // Negative numbers take the odd places.
      const folded = value < 0 ? -2 * value - 1 : 2 * value
      bits.zeros(folded >>> parameter)
      bits.put(1, 1)
      bits.put(folded & ((1 << parameter) - 1), parameter)
    }
  }
}

/** The differences of the order, 0 to 4, whose sum is least. */
function bestPrediction(block: Int32Array): { order: number; residual: Int32Array } {
  let best = { order: 0, residual: block }
  let least = sizeOf(block, 4)
  let last = block
  for (let order = 1; order <= 4 && order < block.length; order++) {
    const next = new Int32Array(block.length)
    for (let at = order; at < block.length; at++) next[at] = last[at]! - last[at - 1]!
    const size = sizeOf(next, 4)
    if (size < least) {
      least = size
      best = { order, residual: next }
    }
    last = next
  }
  return best
}

function sizeOf(values: Int32Array, from: number): number {
  let sum = 0
  for (let at = from; at < values.length; at++) sum += Math.abs(values[at]!)
  return sum
}

interface RicePartition {
  parameter: number
  values: Int32Array
  bits: number
}

function ricePartitions(residual: Int32Array, order: number, length: number): RicePartition[] {
  const count = length === blockSize ? 2 ** partitionOrder : 1
  const size = length / count
  return Array.from({ length: count }, (_, index) =>
    ricePartition(residual.subarray(index === 0 ? order : index * size, (index + 1) * size)),
  )
}

/** The Rice parameter whose power of two is nearest to the mean, and what the part costs with it. */
function ricePartition(values: Int32Array): RicePartition {
  const mean = (2 * sizeOf(values, 0)) / Math.max(1, values.length)
  const parameter = Math.max(0, Math.min(14, Math.floor(Math.log2(mean * Math.LN2 + 1))))
  let bits = 0
  for (const value of values) bits += ((value < 0 ? -2 * value - 1 : 2 * value) >>> parameter) + 1 + parameter
  return { parameter, values, bits }
}
