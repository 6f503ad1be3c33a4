import type { OggVorbisDecodedAudio, OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { SoundError } from './fault.ts'
import { type OggPage, OggPages } from './ogg-pages.ts'

/** The most bytes that the decoder has room for. Setups have some kilobytes, packets of sound some hundred bytes. */
const maxPacketBytes = 120_000
/** How many packets are decoded in one go. */
const packetsAtOnce = 16
/** Offsets in the head, after seven bytes of its kind and four of a version. */
const place = { channels: 11, rate: 12 }
const headBytes = 30

/**
 * Reads Vorbis in Ogg that comes in chunks of any length, decoded by libvorbis; several channels become their mean. A setup can be made that keeps
 * libvorbis busy for long or takes much memory, so this reader is used in confined processes only. Streams that follow one another are all read if
 * their rate is the same.
 */
export class VorbisReader {
  readonly mediaType = 'audio/ogg'
  readonly codec = 'vorbis'
  rate = 0
  channels = 0
  readonly #decoder: OggVorbisDecoder
  readonly #pages = new OggPages(maxPacketBytes)
  #packets = 0
  #given = 0

  private constructor(decoder: OggVorbisDecoder) {
    this.#decoder = decoder
  }

  static async open(): Promise<VorbisReader> {
    const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
    const decoder = new OggVorbisDecoder()
    await decoder.ready
    return new VorbisReader(decoder)
  }

  async *write(chunk: Uint8Array): AsyncIterable<Float32Array> {
    for (const page of this.#pages.write(chunk)) yield* this.#page(page)
  }

  get hasGap(): boolean {
    return this.#pages.hasGap
  }

  async *end(): AsyncIterable<Float32Array> {
    const page = this.#pages.cutPage()
    if (page) yield* this.#page(page)
    this.#pages.end()
  }

  close(): void {
    this.#decoder.free()
  }

  async *#page({ packets, isFirst, isLast, position }: OggPage): AsyncIterable<Float32Array> {
    if (isFirst) await this.#restart()
    const sound: Buffer[] = []
    for (const packet of packets) if (!(await this.#isHeader(packet))) sound.push(packet)
    let last: Float32Array | undefined
    for (let at = 0; at < sound.length; at += packetsAtOnce) {
      if (last) yield last
      last = this.#meanOf(await this.#decoded(sound.slice(at, at + packetsAtOnce).map((data) => ({ data }))))
      this.#given += last.length
    }
    if (!last) return
    // The clock of the last page says where the sound ends within its packets.
    const excess = isLast ? Math.max(0, this.#given - Math.max(0, position)) : 0
    yield last.subarray(0, Math.max(0, last.length - excess))
  }

  async #restart(): Promise<void> {
    if (this.#packets > 0) await this.#decoder.reset()
    this.#packets = 0
    this.#given = 0
  }

  async #isHeader(packet: Buffer): Promise<boolean> {
    const number = this.#packets++
    if (number > 2) return false
    // Packets of sound have an even first byte, so a stream that leaves one of its three heads out is refused.
    if (packet[0] !== 2 * number + 1 || packet.toString('latin1', 1, 7) !== 'vorbis') this.#fail('malformed')
    if (number === 0) {
      this.#readHead(packet)
      await this.#decoded([], packet)
    }
    // The comments do not matter to the decoder.
    if (number === 2) await this.#decoded([{ header: { vorbisSetup: packet }, data: packet }])
    return true
  }

  #readHead(head: Buffer): void {
    if (head.length < headBytes) this.#fail('malformed')
    const rate = head.readUInt32LE(place.rate)
    const channels = head[place.channels]!
    if (channels < 1 || channels > 8 || rate < 4_000 || rate > 192_000) this.#fail('unsupported')
    if (this.rate !== 0 && rate !== this.rate) this.#fail('malformed')
    this.rate = rate
    this.channels = channels
  }

  /** The decoder takes pages as its own parser makes them; it reads only these members of a page. */
  async #decoded(codecFrames: object[], head?: Uint8Array): Promise<OggVorbisDecodedAudio> {
    const page = { data: head ?? new Uint8Array(1), codecFrames }
    type Pages = Parameters<OggVorbisDecoder['decodeOggPages']>[0]
    try {
      return await this.#decoder.decodeOggPages([page as unknown as Pages[number]])
    } catch {
      return this.#fail('malformed')
    }
  }

  #meanOf({ channelData, samplesDecoded }: OggVorbisDecodedAudio): Float32Array {
    const mean = new Float32Array(samplesDecoded)
    for (const channel of channelData)
      for (let at = 0; at < mean.length; at++) mean[at]! += channel[at]! / channelData.length
    return mean
  }

  #fail(fault: 'unsupported' | 'malformed'): never {
    throw new SoundError(fault, this.mediaType, this.codec)
  }
}
