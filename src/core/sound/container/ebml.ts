import type { ByteWindow } from './file-window.ts'

/** Elements of Matroska and WebM (RFC 9559) whose children are visited, and those of which something is read. */
const ids = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
  discardPadding: 0x75a2,
}
const masterElements = new Set([ids.segment, ids.cluster, ids.blockGroup])

/** A size of nothing but ones: the element ends where an element begins that cannot be in it. Recorders write such sizes. */
const unknownSize = Number.POSITIVE_INFINITY

export interface MatroskaElements {
  /** Whether everything that is declared is there. */
  isWhole: boolean
  /** Whether more follows the segment, which is not read here but which other players may play. */
  hasMore: boolean
  /** By track, the nanoseconds at the end of its last block that are no sound. */
  discards: Map<number, number>
}

/** Walks from element to element without a stack: an element that may have children is stepped into, any other is stepped over. */
export function walkMatroska(file: ByteWindow): MatroskaElements {
  const discards = new Map<number, number>()
  let track = 0
  let at = 0
  let end = file.length
  while (at < end) {
    const element = elementAt(file, at)
    if (!element) return { isWhole: false, hasMore: false, discards }
    const { id, from, size } = element
    const isOpened = masterElements.has(id)
    if (from + size > file.length && !(size === unknownSize && isOpened))
      return { isWhole: false, hasMore: false, discards }
    // Elements after the segment are not read.
    if (id === ids.segment && size !== unknownSize) end = from + size
    if (id === ids.block || id === ids.simpleBlock) {
      track = integerAt(file.at(from, maxIntegerBytes), 0)?.value ?? 0
      discards.delete(track)
    }
    if (id === ids.discardPadding && size > 0 && size <= 6)
      discards.set(track, file.at(from, size).readIntBE(0, size))
    at = isOpened ? from : from + size
  }
  return { isWhole: at === end, hasMore: end < file.length, discards }
}

const maxIntegerBytes = 8
const maxIdBytes = 4

function elementAt(file: ByteWindow, at: number): { id: number; from: number; size: number } | undefined {
  const head = file.at(at, maxIdBytes + maxIntegerBytes)
  const width = Math.clz32(head[0]!) - 23
  if (width > maxIdBytes || width >= head.length) return undefined
  const size = integerAt(head, width)
  return size && { id: head.readUIntBE(0, width), from: at + width + size.width, size: size.value }
}

/** An integer whose width is given by the zeros before its first bit that is one. */
function integerAt(bytes: Buffer, at: number): { value: number; width: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first === 0) return undefined
  const width = Math.clz32(first) - 23
  if (at + width > bytes.length) return undefined
  let value = first & (0xff >> width)
  let isUnknown = value === 0xff >> width
  for (let index = 1; index < width; index++) {
    value = value * 256 + bytes[at + index]!
    isUnknown &&= bytes[at + index] === 0xff
  }
  return { value: isUnknown ? unknownSize : value, width }
}
