/** Changes of bytes and of lists of datagrams, all drawn by the seed of a case. */
import type { Random } from '../../../simulation/random.ts'

/** The longest datagram that the endpoint reads, and one byte more. */
const maxBytes = 1_501
const edges: readonly number[] = [0, 1, 2, 3, 4, 0x7f, 0x80, 0xfe, 0xff, 0x7fff, 0x8000, 0xfffe, 0xffff]

export function randomBytes(draw: Random, length: number): Buffer {
  const bytes = Buffer.alloc((length + 3) & ~3)
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(draw.between(0, 2 ** 32 - 1), at)
  return bytes.subarray(0, length)
}

/** Small numbers are as likely as large ones. */
export const someLength = (draw: Random, max: number): number =>
  Math.min(max, Math.floor(2 ** (draw.next() * Math.log2(max + 1))))

type Change = (draw: Random, bytes: Buffer, others: readonly Buffer[]) => Buffer

const place = (draw: Random, bytes: Buffer): number => draw.between(0, Math.max(0, bytes.length - 1))

/** The two ends of a part of these bytes. */
function part(draw: Random, bytes: Buffer): [from: number, to: number] {
  const from = place(draw, bytes)
  return [from, Math.min(bytes.length, from + someLength(draw, 64))]
}

const changes: readonly Change[] = [
  function flipBit(draw, bytes) {
    if (bytes.length > 0) bytes[place(draw, bytes)]! ^= 1 << draw.between(0, 7)
    return bytes
  },
  function setByte(draw, bytes) {
    if (bytes.length > 0)
      bytes[place(draw, bytes)] = draw.chance(0.5) ? draw.pick(edges) : draw.between(0, 255)
    return bytes
  },
  /** Lengths have two bytes or three: those of everything, none, and one too many. */
  function setLength(draw, bytes) {
    const width = draw.pick([2, 2, 3, 4])
    if (bytes.length < width) return bytes
    const at = draw.between(0, bytes.length - width)
    const rest = bytes.length - at - width
    const value = draw.pick([...edges, rest, rest - 1, rest + 1, bytes.length, 2 ** (8 * width) - 1])
    bytes.writeUIntBE(Math.min(Math.max(0, value), 2 ** (8 * width) - 1), at, width)
    return bytes
  },
  function truncate(draw, bytes) {
    return bytes.subarray(0, draw.between(0, bytes.length))
  },
  function append(draw, bytes) {
    return Buffer.concat([bytes, randomBytes(draw, someLength(draw, 200))])
  },
  function remove(draw, bytes) {
    const [from, to] = part(draw, bytes)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  },
  function repeat(draw, bytes) {
    const [from, to] = part(draw, bytes)
    const times = draw.between(2, 1 + someLength(draw, 20))
    const repeated = Array<Buffer>(times).fill(bytes.subarray(from, to))
    return Buffer.concat([bytes.subarray(0, from), ...repeated, bytes.subarray(to)])
  },
  function overwrite(draw, bytes) {
    const [from, to] = part(draw, bytes)
    randomBytes(draw, to - from).copy(bytes, from)
    return bytes
  },
  function swap(draw, bytes) {
    const [from, to] = part(draw, bytes)
    const end = Math.min(bytes.length, to + someLength(draw, 64))
    const parts = [bytes.subarray(0, from), bytes.subarray(to, end), bytes.subarray(from, to)]
    return Buffer.concat([...parts, bytes.subarray(end)])
  },
  function splice(draw, bytes, others) {
    if (others.length === 0) return bytes
    const other = draw.pick(others)
    const [from, to] = part(draw, other)
    const at = place(draw, bytes)
    const inserted = draw.chance(0.5) ? other.subarray(from, to) : other.subarray(from)
    return Buffer.concat([
      bytes.subarray(0, at),
      inserted,
      bytes.subarray(draw.chance(0.5) ? at : bytes.length),
    ])
  },
]

/** A copy with one change or several; `others` are spliced into it. */
export function mutated(
  draw: Random,
  bytes: Buffer,
  others: readonly Buffer[] = [],
  most = maxBytes,
): Buffer {
  let result: Buffer = Buffer.from(bytes)
  for (let left = someLength(draw, 8); left > 0; left--) {
    const change = draw.pick(changes)
    result = change(draw, result, others)
  }
  return result.subarray(0, most)
}

/** Datagrams as a bad network delivers them, and a hostile one: lost, twice, out of order, changed. */
export function disturbed(
  draw: Random,
  datagrams: readonly Buffer[],
  others: readonly Buffer[] = [],
): Buffer[] {
  const sent: Buffer[] = []
  for (const datagram of datagrams) {
    if (draw.chance(0.05)) continue
    sent.push(draw.chance(0.5) ? mutated(draw, datagram, others) : datagram)
    if (draw.chance(0.2)) sent.push(datagram)
    if (others.length > 0 && draw.chance(0.1)) sent.push(mutated(draw, draw.pick(others), others))
  }
  if (draw.chance(0.3)) {
    const keyed = sent.map((datagram) => ({ datagram, key: draw.next() }))
    return keyed.sort((a, b) => a.key - b.key).map(({ datagram }) => datagram)
  }
  return sent
}

/** The bytes in pieces of any size. */
export function pieces(draw: Random, bytes: Buffer, most: number): Buffer[] {
  const cut: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = cut.length + 1 === most ? bytes.length : 1 + someLength(draw, bytes.length - at)
    cut.push(bytes.subarray(at, at + length))
    at += length
  }
  return cut
}
