/** Packets of RTP (RFC 3550): their headers, and which of them came before. */

export interface RtpPacket {
  payloadType: number
  /** 0 to 65,535. */
  sequence: number
  timestamp: number
  ssrc: number
  /** Where the payload begins: behind the contributing sources and the extension. */
  payloadAt: number
  /** The payload ends with bytes that fill it up; the last one counts them. */
  isPadded: boolean
}

const fixedBytes = 12

/** Media and RTCP share a port (RFC 7983), and are told apart by the second byte (RFC 5761). */
export const isMedia = (bytes: Buffer): boolean => bytes[0]! >= 128 && bytes[0]! <= 191
export const isRtcp = (bytes: Buffer): boolean => bytes[1]! >= 192 && bytes[1]! <= 223

/** Undefined where the header is not whole. `end`: where an authentication tag begins. */
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

/** Without what fills it up; undefined where that is longer than the payload. */
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
 * The number that does not wrap of a `sequence` that does (RFC 3711 3.3.1): the one next to `highest`. Never negative: before
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

/** Refuses what came before, and what is older than the last 512. */
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
