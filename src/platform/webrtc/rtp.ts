/** Packets of RTP (RFC 3550): their headers, and which packets were received before. */

export interface RtpPacket {
  payloadType: number
  /** The sequence number, 0 to 65,535. */
  sequence: number
  timestamp: number
  ssrc: number
  /** Where the payload begins: after the contributing sources and the extension. */
  payloadAt: number
  /** True if the payload ends with padding bytes, of which the last one is their number. */
  isPadded: boolean
}

const fixedBytes = 12

/** Media and RTCP share a port with other protocols (RFC 7983), and are distinguished by the second byte (RFC 5761). */
export const isMedia = (bytes: Buffer): boolean => bytes[0]! >= 128 && bytes[0]! <= 191
export const isRtcp = (bytes: Buffer): boolean => bytes[1]! >= 192 && bytes[1]! <= 223

/** Reads the header; undefined if it is incomplete. `end` is where an authentication tag begins. */
export function readRtp(bytes: Buffer, end = bytes.length): RtpPacket | undefined {
  if (end < fixedBytes || bytes[0]! >> 6 !== 2) return undefined
  let payloadAt = fixedBytes + 4 * (bytes[0]! & 0x0f)
  if ((bytes[0]! & 0x10) !== 0) {
    if (payloadAt + 4 > end) return undefined
    payloadAt += 4 + 4 * bytes.readUInt16BE(payloadAt + 2)
  }
  if (payloadAt > end) return undefined
  return {
    payloadType: bytes[1]! & 0x7f,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    payloadAt,
    isPadded: (bytes[0]! & 0x20) !== 0,
  }
}

/** The payload without its padding; undefined if the padding is longer than the payload. */
export function unpadded(payload: Buffer): Buffer | undefined {
  const padding = payload.at(-1) ?? 0
  return padding > 0 && padding <= payload.length ? payload.subarray(0, payload.length - padding) : undefined
}

export function writeRtp(fields: {
  payloadType: number
  sequence: number
  timestamp: number
  ssrc: number
}): Buffer {
  const header = Buffer.alloc(fixedBytes)
  header[0] = 0x80
  header[1] = fields.payloadType
  header.writeUInt16BE(fields.sequence, 2)
  header.writeUInt32BE(fields.timestamp >>> 0, 4)
  header.writeUInt32BE(fields.ssrc, 8)
  return header
}

/**
 * Extends a `sequence` that wraps to a number that does not (RFC 3711 3.3.1): the possible number nearest to `highest`. It is never negative: before
 * the first wrap a packet can be late, but not older than the beginning.
 */
export function extendSequence(sequence: number, highest: number | undefined): number {
  if (highest === undefined) return sequence
  const base = highest - (highest % 65_536)
  const near = base + sequence
  if (near - highest > 32_768 && base > 0) return near - 65_536
  if (highest - near >= 32_768) return near + 65_536
  return near
}

/** Refuses packets that were received before, and packets older than the last 512. */
export class ReplayWindow {
  readonly #seen = new Float64Array(512).fill(-1)
  #highest = -1

  isNew(index: number): boolean {
    return index > this.#highest - this.#seen.length && this.#seen[index % this.#seen.length] !== index
  }

  mark(index: number): void {
    this.#seen[index % this.#seen.length] = index
    if (index > this.#highest) this.#highest = index
  }
}
