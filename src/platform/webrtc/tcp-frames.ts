/** Datagrams over TCP: each with its length before it (RFC 4571). */

/** No datagram of a connection is longer: its paths are those of Ethernet. */
export const longestDatagram = 1_500

/** Puts what arrives together to datagrams; holds less than one. */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0)

  /** The datagrams that are complete with these bytes; undefined where one is longer than any may be. */
  push(bytes: Buffer): Buffer[] | undefined {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const frames: Buffer[] = []
    let at = 0
    while (all.length - at >= 2) {
      const length = all.readUInt16BE(at)
      if (length > longestDatagram) return undefined
      if (all.length - at - 2 < length) break
      if (length > 0) frames.push(all.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
    // A copy, so that a few bytes do not keep what the socket read with them.
    this.#held = Buffer.from(all.subarray(at))
    return frames
  }
}

export function frame(datagram: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(2 + datagram.length)
  framed.writeUInt16BE(datagram.length, 0)
  datagram.copy(framed, 2)
  return framed
}
