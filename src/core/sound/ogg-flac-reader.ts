import { FlacReader } from './flac-reader.ts'
import { OggPages } from './ogg-pages.ts'

/** The most bytes of a packet: a frame, or a block of the head, such as a picture. */
const maxPacketBytes = 1 << 20
/** The bytes of the first packet before the head of FLAC: its name in Ogg, a version, and how many packets of the head follow. */
const mappingBytes = 9

/** Reads FLAC in Ogg (RFC 9639 section 10.1): its packets, put together, are FLAC. */
export class OggFlacReader {
  readonly mediaType = 'audio/ogg'
  readonly codec = 'flac'
  readonly #flac = new FlacReader()
  readonly #pages = new OggPages(maxPacketBytes)
  #isBegun = false

  get rate(): number {
    return this.#flac.rate
  }

  get channels(): number {
    return this.#flac.channels
  }

  get hasGap(): boolean {
    return this.#pages.hasGap
  }

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    for (const { packets } of this.#pages.write(chunk)) yield* this.#read(packets)
  }

  *end(): Iterable<Float32Array> {
    yield* this.#read(this.#pages.cutPage()?.packets ?? [])
    yield* this.#flac.end()
    this.#pages.end()
  }

  close(): void {}

  *#read(packets: readonly Uint8Array[]): Iterable<Float32Array> {
    for (const packet of packets) {
      yield* this.#flac.write(this.#isBegun ? packet : packet.subarray(mappingBytes))
      this.#isBegun = true
    }
  }
}
