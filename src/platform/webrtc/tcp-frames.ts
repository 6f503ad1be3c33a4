/** Datagrams over TCP, each preceded by its length (RFC 4571). */

/** The maximum bytes of a datagram of a connection, because its paths are those of Ethernet. */
export const maxDatagramLength = 1_500

/** Assembles received bytes to datagrams. They are taken one by one, so that the reader may wait between two. */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0)
  #at = 0

  push(bytes: Buffer): void {
    const rest = this.#held.subarray(this.#at)
    this.#held = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    this.#at = 0
  }

  /** The next complete datagram; `malformed` if it is longer than any may be. */
  shift(): Buffer | 'malformed' | undefined {
    while (this.#held.length - this.#at >= 2) {
      const length = this.#held.readUInt16BE(this.#at)
      if (length > maxDatagramLength) return 'malformed'
      const from = this.#at + 2
      if (this.#held.length - from < length) break
      this.#at = from + length
      if (length > 0) return this.#held.subarray(from, this.#at)
    }
    // The rest is copied, so that a few bytes do not keep the whole buffer of the socket in memory.
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
