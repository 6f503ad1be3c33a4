/**
 * The small part of H.264 that is written here: the head of a stream, and slices of macroblocks that are given sample by sample (I_PCM) or copied
 * from the picture before. With these a part of each picture changes although the rest is a loop that was encoded once.
 */
import type { PixelSize } from '#core/turn'
import { BitWriter } from './bits.ts'

export const macroblock = 16
/** Bits of `frame_num`, as h264-mp4-encoder writes its slices: pictures are counted within a loop. */
const frameNumberBits = 5
const pcmType = { intra: 25, inter: 30 }
/** Samples of a macroblock: luma, and a quarter of it for each chroma. */
export const pcmBytes = 384

const [idr, inter, sequence] = [0x65, 0x61, 0x67]

export const rowsOf = (height: number): number => Math.ceil(height / macroblock)
export const columnsOf = (width: number): number => Math.ceil(width / macroblock)

/** `seq_parameter_set_rbsp` (7.3.2.1) of constrained baseline, with the colours of BT.709 and a fixed rate. */
export function sequenceParameters({ width, height }: PixelSize, fps: number): Uint8Array {
  const [columns, rows] = [columnsOf(width), rowsOf(height)]
  const bits = new BitWriter(64)
  bits
    .number(66, 8)
    .number(0xc0, 8)
    .number(levelOf(columns * rows, fps), 8)
  bits
    .golomb(0)
    .golomb(frameNumberBits - 4)
    .golomb(2)
    .golomb(1)
    .flags(0)
  bits
    .golomb(columns - 1)
    .golomb(rows - 1)
    .flags(1, 1, 1)
  bits.golomb(0).golomb((columns * macroblock - width) / 2)
  bits.golomb(0).golomb((rows * macroblock - height) / 2)
  // Fields for players (annex E): no aspect ratio of samples, no overscan; the colours; no place of the chroma samples.
  bits.flags(1, 0, 0).flags(1).number(5, 3).flags(0, 1).number(1, 8).number(1, 8).number(1, 8).flags(0)
  bits
    .flags(1)
    .number(1, 32)
    .number(2 * fps, 32)
    .flags(1)
  // No buffer is modelled. Pictures are shown in the order in which they come.
  bits.flags(0, 0, 0).flags(1).flags(1).golomb(0).golomb(0).golomb(9).golomb(9).golomb(0).golomb(1)
  return unit(sequence, bits.ended())
}

/** The levels of table A-1, by the most macroblocks of a picture and of a second. */
const levels = [
  [30, 1_620, 40_500],
  [31, 3_600, 108_000],
  [40, 8_192, 245_760],
  [50, 22_080, 589_824],
] as const

function levelOf(macroblocks: number, fps: number): number {
  const level = levels.find(([, most, ofSecond]) => macroblocks <= most && macroblocks * fps <= ofSecond)
  if (!level) throw new Error(`no level of H.264 has ${macroblocks} macroblocks`)
  return level[0]
}

export interface SlicePosition {
  /** The number of the picture, counted from the last one that needs no other. */
  number: number
  /** The first macroblock of the slice, counted row by row. */
  first: number
}

/**
 * A slice that needs no other picture.
 * @param margin the first row, all of whose macroblocks are the same
 */
export function wholeSlice(
  { first }: SlicePosition,
  margin: { samples: Uint8Array; columns: number },
  macroblocks: readonly Uint8Array[],
): Uint8Array {
  const bits = new BitWriter(64 + margin.columns * 2 + (macroblocks.length + 1) * (pcmBytes + 4))
  bits.golomb(first).golomb(2).golomb(0).number(0, frameNumberBits)
  // The id is the one that the encoder gives: pictures that need no other never follow on each other.
  bits.golomb(1).flags(0, 0).golomb(0).golomb(1)
  bits.golomb(pcmType.intra).align().bytes(margin.samples)
  // Each macroblock is predicted from the one to its left, in luma and chroma, with no coefficient; its code depends on how many coefficients that
  // one had (9.2.1).
  for (let column = 1; column < margin.columns; column++) {
    bits.golomb(2).golomb(1).golomb(0)
    if (column === 1) bits.number(0b000011, 6)
    else bits.number(1, 1)
  }
  for (const samples of macroblocks) bits.golomb(pcmType.intra).align().bytes(samples)
  return unit(idr, bits.ended())
}

/**
 * A slice in which some macroblocks have new samples, and the others are those of the picture before.
 * @param changed the new macroblocks by their place in the slice, ascending
 */
export function changedSlice(
  { number, first }: SlicePosition,
  count: number,
  changed: readonly (readonly [place: number, samples: Uint8Array])[] = [],
): Uint8Array {
  const bits = new BitWriter(64 + changed.length * (pcmBytes + 8))
  bits.golomb(first).golomb(0).golomb(0).number(number, frameNumberBits)
  bits.flags(0, 0, 0).golomb(0).golomb(1)
  let next = 0
  for (const [place, samples] of changed) {
    bits
      .golomb(place - next)
      .golomb(pcmType.inter)
      .align()
      .bytes(samples)
    next = place + 1
  }
  if (next < count) bits.golomb(count - next)
  return unit(inter, bits.ended())
}

/** A unit, with the bytes that keep its content from looking like the beginning of another unit (7.3.1). */
function unit(head: number, content: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(1 + content.length + Math.ceil(content.length / 2))
  bytes[0] = head
  let [at, zeros] = [1, 0]
  for (const byte of content) {
    if (zeros === 2 && byte <= 3) {
      bytes[at++] = 3
      zeros = 0
    }
    bytes[at++] = byte
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return bytes.subarray(0, at)
}
