import { checksumOf } from './checksum.ts'
import { SoundError } from './fault.ts'

const headBytes = 27
const flags = { continued: 1, first: 2, last: 4 }

export interface OggPage {
  /** Those that end on it. */
  packets: Buffer[]
  isFirst: boolean
  isLast: boolean
  /** What the stream's clock says behind its last packet; -1 where none ends on it. */
  position: number
}

/** Reads the pages of Ogg (RFC 3533) that come in chunks of any length. A page whose checksum is wrong ends it, and so does a second stream beside the first. */
export class OggPages {
  readonly #maxPacketBytes: number
  /** Bytes that are not a whole page yet: 65,307 at most. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #needed = headBytes
  #packet: Uint8Array[] = []
  #packetBytes = 0
  #isLast = false

  constructor(maxPacketBytes: number) {
    this.#maxPacketBytes = maxPacketBytes
  }

  *write(chunk: Uint8Array): Iterable<OggPage> {
    this.#held.push(new Uint8Array(chunk))
    this.#heldBytes += chunk.length
    if (this.#heldBytes < this.#needed) return
    const bytes = Buffer.concat(this.#held)
    let at = 0
    for (;;) {
      const rest = bytes.subarray(at)
      this.#needed = pageLength(rest)
      if (rest.length < this.#needed) break
      const length = pageLength(rest)
      if (rest.length < length) continue
      yield this.#page(rest.subarray(0, length))
      at += length
    }
    this.#held = [bytes.subarray(at)]
    this.#heldBytes = bytes.length - at
  }

  /** All of the bytes were written: a stream that has not said that it is over was cut. */
  end(): void {
    if (!this.#isLast || this.#heldBytes > 0) this.#fail('truncated')
  }

  #page(page: Buffer): OggPage {
    const unchecked = Buffer.from(page)
    unchecked.fill(0, 22, 26)
    if (page.readUInt32BE(0) !== 0x4f676753 || checksumOf(unchecked, 32) !== page.readUInt32LE(22))
      this.#fail('malformed')
    const flag = page[5]!
    const isFirst = (flag & flags.first) !== 0
    if (isFirst) {
      this.#packet = []
      this.#packetBytes = 0
    }
    // A packet that began on a page which is not there cannot be read.
    const isTorn = (flag & flags.continued) !== 0 && this.#packet.length === 0
    if ((this.#isLast && !isFirst) || isTorn) this.#fail('malformed')
    const packets = this.#packets(page)
    this.#isLast = (flag & flags.last) !== 0
    return { packets, isFirst, isLast: this.#isLast, position: Number(page.readBigInt64LE(6)) }
  }

  #packets(page: Buffer): Buffer[] {
    const packets: Buffer[] = []
    const count = page[26]!
    let at = headBytes + count
    for (const size of page.subarray(headBytes, headBytes + count)) {
      this.#packet.push(page.subarray(at, at + size))
      this.#packetBytes += size
      at += size
      if (this.#packetBytes > this.#maxPacketBytes) this.#fail('malformed')
      if (size === 255) continue
      packets.push(Buffer.concat(this.#packet))
      this.#packet = []
      this.#packetBytes = 0
    }
    // What is held on to is a copy of its own, not a part of many pages.
    this.#packet = this.#packet.map((part) => new Uint8Array(part))
    return packets
  }

  #fail(fault: 'malformed' | 'truncated'): never {
    throw new SoundError(fault, 'audio/ogg')
  }
}

/** Bytes of the page that begins here, or as many as are needed to know. */
function pageLength(bytes: Uint8Array): number {
  if (bytes.length < headBytes) return headBytes
  const head = headBytes + bytes[26]!
  if (bytes.length < head) return head
  return bytes.subarray(headBytes, head).reduce((sum, size) => sum + size, head)
}
