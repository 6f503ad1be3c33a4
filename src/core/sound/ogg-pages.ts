import { checksumOf } from './checksum.ts'
import { SoundError } from './fault.ts'

const headBytes = 27
const flags = { continued: 1, first: 2, last: 4 }

export interface OggPage {
  /** The packets that end on the page. */
  packets: Buffer[]
  isFirst: boolean
  isLast: boolean
  /** The stream's clock after the last packet of the page; -1 where no packet ends on it. */
  position: number
}

/**
 * Reads the pages of Ogg (RFC 3533) that come in chunks of any length. A page with a wrong checksum is refused, and so is a second stream beside the
 * first. A packet that began, or goes on, on a page which is not there is left out.
 */
export class OggPages {
  readonly #maxPacketBytes: number
  /** Bytes that are not a whole page yet: 65,307 at most. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #needed = headBytes
  #packet: Uint8Array[] = []
  #packetBytes = 0
  #isLast = false
  #hasGap = false

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

  /** Whether a packet was left out. */
  get hasGap(): boolean {
    return this.#hasGap
  }

  /** What is there of a page that breaks off; its checksum cannot be compared. Call when all bytes were written. */
  cutPage(): OggPage | undefined {
    const page = Buffer.concat(this.#held)
    const at = headBytes + (page[26] ?? 0)
    if (this.#isLast || page.length < at || page.readUInt32BE(0) !== 0x4f676753) return undefined
    const { isFirst, lacksPacketStart } = this.#begin(page[5]!)
    let count = 0
    for (let end = at; count < page[26]!; count++) {
      end += page[headBytes + count]!
      if (end > page.length) break
    }
    return { packets: this.#packets(page, lacksPacketStart, count), isFirst, isLast: false, position: -1 }
  }

  /** Call when all bytes were written: a stream without its last page was cut off. */
  end(): void {
    if (!this.#isLast || this.#heldBytes > 0) this.#fail('truncated')
  }

  #page(page: Buffer): OggPage {
    const unchecked = Buffer.from(page)
    unchecked.fill(0, 22, 26)
    if (page.readUInt32BE(0) !== 0x4f676753 || checksumOf(unchecked, 32) !== page.readUInt32LE(22))
      this.#fail('malformed')
    const flag = page[5]!
    const { isFirst, lacksPacketStart } = this.#begin(flag)
    const packets = this.#packets(page, lacksPacketStart, page[26]!)
    this.#isLast = (flag & flags.last) !== 0
    return { packets, isFirst, isLast: this.#isLast, position: Number(page.readBigInt64LE(6)) }
  }

  /** Whether a page is the first of its stream, and whether it begins with the rest of a packet whose beginning is not there. */
  #begin(flag: number): { isFirst: boolean; lacksPacketStart: boolean } {
    const isFirst = (flag & flags.first) !== 0
    if (isFirst) {
      this.#packet = []
      this.#packetBytes = 0
    }
    if (this.#isLast && !isFirst) this.#fail('malformed')
    const isContinued = (flag & flags.continued) !== 0
    const hasGap = isContinued !== this.#packet.length > 0
    this.#hasGap ||= hasGap
    if (hasGap) this.#packet = []
    return { isFirst, lacksPacketStart: hasGap && isContinued }
  }

  /**
   * @param lacksPacketStart whether the page begins with the rest of a packet whose beginning is not there
   * @param count of the sizes that are read
   */
  #packets(page: Buffer, lacksPacketStart: boolean, count: number): Buffer[] {
    const packets: Buffer[] = []
    let at = headBytes + page[26]!
    let isLeftOut = lacksPacketStart
    if (this.#packet.length === 0) this.#packetBytes = 0
    for (const size of page.subarray(headBytes, headBytes + count)) {
      if (isLeftOut) {
        at += size
        isLeftOut = size === 255
        continue
      }
      this.#packet.push(page.subarray(at, at + size))
      this.#packetBytes += size
      at += size
      if (this.#packetBytes > this.#maxPacketBytes) this.#fail('malformed')
      if (size === 255) continue
      packets.push(Buffer.concat(this.#packet))
      this.#packet = []
      this.#packetBytes = 0
    }
    // The parts that are kept are copied, so that they do not keep many pages in memory.
    this.#packet = this.#packet.map((part) => new Uint8Array(part))
    return packets
  }

  #fail(fault: 'malformed' | 'truncated'): never {
    throw new SoundError(fault, 'audio/ogg')
  }
}

/** The length of the page that begins here, or the number of bytes that are needed to know it. */
function pageLength(bytes: Uint8Array): number {
  if (bytes.length < headBytes) return headBytes
  const head = headBytes + bytes[26]!
  if (bytes.length < head) return head
  return bytes.subarray(headBytes, head).reduce((sum, size) => sum + size, head)
}
