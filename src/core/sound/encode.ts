import { Slice } from '#platform/slices'
import { openAac } from './aac.ts'
import type { Codec, CodecOptions } from './codec.ts'
import { SoundError } from './fault.ts'
import { openFlac } from './flac.ts'
import { openMp3 } from './mp3.ts'
import { openOpus } from './opus.ts'
import type { SoundStream } from './pcm.ts'
import { Resampler } from './resample.ts'
import { slicesOf } from './slices.ts'
import { openPcm, openWav } from './wav.ts'

const formats = {
  mp3: { mediaType: 'audio/mpeg', open: openMp3 },
  opus: { mediaType: 'audio/ogg', open: openOpus },
  aac: { mediaType: 'audio/aac', open: openAac },
  flac: { mediaType: 'audio/flac', open: openFlac },
  wav: { mediaType: 'audio/wav', open: openWav },
  pcm: { mediaType: 'audio/pcm', open: openPcm },
} satisfies Record<
  string,
  { mediaType: string; open: (rate: number, more: CodecOptions) => Codec | Promise<Codec> }
>

export type SoundFormat = keyof typeof formats
export const soundFormats = Object.keys(formats) as SoundFormat[]

/** The media type without parameters: rate and channels of `audio/pcm` must be stated beside it. */
export const formatMediaType = (format: SoundFormat): string => formats[format].mediaType

export interface EncodeOptions {
  /** mp3 (constant bit rate), wav and pcm (16-bit), opus in Ogg, aac in ADTS, flac (16-bit); all of one channel. */
  format: SoundFormat
  /** The rate in Hz; absent: that of the sound. Where a format does not have the rate, the next higher one is used, 48 kHz at most. */
  rate?: number | undefined
  /** The bit rate of an mp3, in kbit/s; absent: the usual one at its rate. */
  kilobits?: number | undefined
  /** The note about its origin in the file, read once there is sound: in ID3, RIFF INFO or a Vorbis comment. `aac` and `pcm` have no place for it. */
  note?: (() => string | undefined) | undefined
}

/**
 * Encodes sound as it comes; the bytes put together are one file. Its head cannot know the length: WAV says 0xFFFFFFFF, FLAC 0
 * samples, MP3 counts no frames. The encoder is closed, and the sound too, also when nobody reads on.
 * @throws SoundError `empty` for no sound, `unsupported` for a rate that cannot be changed; what the sound throws
 */
export async function* encodeSound(sound: SoundStream, options: EncodeOptions): AsyncGenerator<Uint8Array> {
  using encoder = new Encoder(options)
  yield* encoder.encode(sound)
}

/**
 * Returns a whole file, whose head states the exact length, and the seconds of its sound.
 * @throws SoundError as `encodeSound` does, and `too_long` beyond `maxBytes`
 */
export async function encodeWhole(
  sound: SoundStream,
  { maxBytes, ...options }: EncodeOptions & { maxBytes: number },
): Promise<{ bytes: Uint8Array; seconds: number }> {
  using encoder = new Encoder(options)
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of encoder.encode(sound)) {
    length += piece.length
    if (length > maxBytes) throw new SoundError('too_long', formatMediaType(options.format))
    pieces.push(piece)
  }
  const bytes = Buffer.concat(pieces)
  bytes.set(encoder.wholeHead())
  return { bytes, seconds: encoder.seconds }
}

class Encoder {
  readonly #options: EncodeOptions
  #codec: Codec | undefined
  #resampler: Resampler | undefined
  #taken = 0
  #rate = 1

  constructor(options: EncodeOptions) {
    this.#options = options
  }

  /** The seconds of sound that were read. */
  get seconds(): number {
    return this.#taken / this.#rate
  }

  async *encode(sound: SoundStream): AsyncGenerator<Uint8Array> {
    const slice = new Slice()
    for await (const { rate, samples } of sound) {
      const codec = this.#codec ?? (await this.#open(rate))
      this.#taken += samples.length
      for await (const part of slicesOf(samples, slice)) {
        const bytes = await codec.write(this.#resampler!.write(part))
        if (bytes.length > 0) yield bytes
      }
    }
    if (this.#taken === 0) throw new SoundError('empty')
    for (const bytes of [await this.#codec!.write(this.#resampler!.end()), await this.#codec!.end()])
      if (bytes.length > 0) yield bytes
  }

  wholeHead(): Uint8Array {
    return this.#codec?.wholeHead?.() ?? new Uint8Array(0)
  }

  [Symbol.dispose](): void {
    this.#codec?.close()
  }

  async #open(rate: number): Promise<Codec> {
    this.#rate = rate
    const { format, kilobits, note } = this.#options
    const codec = await formats[format].open(this.#options.rate ?? rate, { kilobits, note: note?.() })
    this.#codec = codec
    this.#resampler = new Resampler(rate, codec.rate)
    return codec
  }
}
