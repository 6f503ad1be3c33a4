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
/** The elements that can be read as far as they go: all that is in them is a row of elements. */
const levelElements = new Set([ids.segment, ids.cluster])

/** A size of nothing but ones: the element ends where an element begins that cannot be in it. Recorders write such sizes. */
const unknownSize = Number.POSITIVE_INFINITY

export interface MatroskaElements {
  /** Whether everything that is declared is there. */
  isWhole: boolean
  /** How many bytes can be read: those before an element that is cut off or that makes no sense. */
  readableBytes: number
  /** The sizes of the segment and of its last cluster, where these go beyond the end of the file. */
  cutSizes: readonly SizeField[]
  /** Whether there is a cluster: only there is sound. */
  hasCluster: boolean
  /** Whether more follows the segment, which is not read here but which other players may play. */
  hasMore: boolean
  /** By track, the nanoseconds at the end of its last block that are no sound. */
  discards: Map<number, number>
}

/** Where the size of an element stands, and how many bytes it has. */
export interface SizeField {
  at: number
  width: number
}

/** A size as it is written in a field of this width. */
export function sizeBytes(size: number, width: number): Uint8Array {
  const bytes = new Uint8Array(width)
  let left = size
  for (let index = width - 1; index >= 0; index--) {
    bytes[index] = left % 256
    left = Math.floor(left / 256)
  }
  bytes[0]! |= 1 << (8 - width)
  return bytes
}

/** A cluster within the segment: no other element that is cut off can be read as far as it goes. */
const maxCutSizes = 2

/** Walks from element to element without a stack: an element that may have children is stepped into, any other is stepped over. */
export function walkMatroska(file: ByteWindow): MatroskaElements {
  const discards = new Map<number, number>()
  const cutSizes: SizeField[] = []
  let track = 0
  let hasCluster = false
  let at = 0
  let end = file.length
  const cutOff = (): MatroskaElements => ({
    ...{ isWhole: false, readableBytes: at, cutSizes, hasCluster, hasMore: false, discards },
  })
  while (at < end) {
    const element = elementAt(file, at)
    if (!element) return cutOff()
    const { id, from, size, sizeField } = element
    const isOpened = masterElements.has(id)
    hasCluster ||= id === ids.cluster
    if (from + size > file.length && !(size === unknownSize && isOpened)) {
      if (!levelElements.has(id) || cutSizes.length >= maxCutSizes) return cutOff()
      cutSizes.push(sizeField)
      at = from
      continue
    }
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
  const isWhole = at === end && cutSizes.length === 0
  return {
    isWhole,
    readableBytes: isWhole ? file.length : at,
    cutSizes,
    hasCluster,
    hasMore: end < file.length,
    discards,
  }
}

const maxIntegerBytes = 8
const maxIdBytes = 4

interface MatroskaElement {
  id: number
  /** Where its content begins, and the bytes of that. */
  from: number
  size: number
  sizeField: SizeField
}

function elementAt(file: ByteWindow, at: number): MatroskaElement | undefined {
  const head = file.at(at, maxIdBytes + maxIntegerBytes)
  const width = Math.clz32(head[0]!) - 23
  if (width > maxIdBytes || width >= head.length) return undefined
  const size = integerAt(head, width)
  return (
    size && {
      id: head.readUIntBE(0, width),
      from: at + width + size.width,
      size: size.value,
      sizeField: { at: at + width, width: size.width },
    }
  )
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
