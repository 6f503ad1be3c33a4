/** Datagrams over TCP: each with its length before it (RFC 4571). */

/** No datagram of a connection is longer: its paths are those of Ethernet. */
export const maxDatagramLength = 1_500

/** Puts what arrives together to datagrams. They are taken one by one, so that whoever reads them may wait between two. */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0)
  #at = 0

  push(bytes: Buffer): void {
    const rest = this.#held.subarray(this.#at)
    this.#held = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    this.#at = 0
  }

  /** The next datagram that is complete, and `malformed` where it is longer than any may be. */
  shift(): Buffer | 'malformed' | undefined {
    while (this.#held.length - this.#at >= 2) {
      const length = this.#held.readUInt16BE(this.#at)
      if (length > maxDatagramLength) return 'malformed'
      const from = this.#at + 2
      if (this.#held.length - from < length) break
      this.#at = from + length
      if (length > 0) return this.#held.subarray(from, this.#at)
    }
    // A copy, so that a few bytes do not keep what the socket read with them.
    this.#held = Buffer.from(this.#held.subarray(this.#at))
    this.#at = 0
    return undefined
  }
}

export function frame(datagram: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(2 + datagram.length)
  framed.writeUInt16BE(datagram.length, 0)
  datagram.copy(framed, 2)
  return framed
}
