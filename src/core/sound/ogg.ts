import { checksumOf } from './checksum.ts'

/**
 * Writes the pages of one Ogg stream (RFC 3533). A page is returned when it has `packetsPerPage` packets or no more room, and another packet follows:
 * the last page must say that it is the last.
 */
export class OggWriter {
  readonly #serial: number
  readonly #packetsPerPage: number
  #sequence = 0
  #packets: Uint8Array[] = []
  /** How many values these packets take in the table of lengths. */
  #lacing = 0
  #position = 0n

  constructor(serial: number, packetsPerPage: number) {
    this.#serial = serial
    this.#packetsPerPage = packetsPerPage
  }

  /** A packet of a header, on a page by itself. */
  header(packet: Uint8Array): Uint8Array {
    this.#packets.push(packet)
    return this.#page(this.#sequence === 0 ? flags.first : 0)
  }

  /** @param position the stream's clock after the packet: samples at 48 kHz in Opus */
  packet(packet: Uint8Array, position: bigint): Uint8Array {
    const lacing = Math.floor(packet.length / 255) + 1
    const isFull = this.#packets.length >= this.#packetsPerPage || this.#lacing + lacing > maxLacing
    const page = isFull ? this.#page(0) : new Uint8Array(0)
    this.#packets.push(packet)
    this.#lacing += lacing
    this.#position = position
    return page
  }

  /** @param position the end of the sound, which may lie within the last packet */
  end(position: bigint): Uint8Array {
    this.#position = position
    return this.#page(flags.last)
  }

  #page(flag: number): Uint8Array {
    const lacing = this.#packets.flatMap(({ length }) => [
      ...Array<number>(Math.floor(length / 255)).fill(255),
      length % 255,
    ])
    const head = Buffer.alloc(27)
    head.write('OggS')
    head[5] = flag
    head.writeBigInt64LE(this.#position, 6)
    head.writeUInt32LE(this.#serial, 14)
    head.writeUInt32LE(this.#sequence++, 18)
    head[26] = lacing.length
    const page = Buffer.concat([head, Uint8Array.from(lacing), ...this.#packets])
    page.writeUInt32LE(checksumOf(page, 32), 22)
    this.#packets = []
    this.#lacing = 0
    return page
  }
}

/** The most values in the table of a page. */
const maxLacing = 255
const flags = { first: 2, last: 4 }
