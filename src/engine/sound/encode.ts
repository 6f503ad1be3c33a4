import { openAac } from './aac.ts'
import type { Codec, CodecOptions } from './codec.ts'
import { openFlac } from './flac.ts'
import { openMp3 } from './mp3.ts'
import { openOpus } from './opus.ts'
import type { Sound } from './pcm.ts'
import { Resampler } from './resample.ts'
import { inSlices } from './slices.ts'
import { openPcm, openWav } from './wav.ts'

const formats = {
  mp3: { mediaType: 'audio/mpeg', extension: 'mp3', open: openMp3 },
  opus: { mediaType: 'audio/ogg', extension: 'opus', open: openOpus },
  aac: { mediaType: 'audio/aac', extension: 'aac', open: openAac },
  flac: { mediaType: 'audio/flac', extension: 'flac', open: openFlac },
  wav: { mediaType: 'audio/wav', extension: 'wav', open: openWav },
  pcm: { mediaType: 'audio/pcm', extension: 'pcm', open: openPcm },
} satisfies Record<string, { mediaType: string; extension: string; open: Opener }>

type Opener = (options: CodecOptions) => Codec | Promise<Codec>

export type SoundFormat = keyof typeof formats
export const soundFormats = Object.keys(formats) as SoundFormat[]

/** Without parameters: one of `audio/pcm` has to say rate and channels beside it. */
export const mediaTypeOf = (format: SoundFormat): string => formats[format].mediaType
export const extensionOf = (format: SoundFormat): string => formats[format].extension

export interface EncodeOptions {
  format: SoundFormat
  /** Of the samples that are written, in Hz. */
  rate: number
  /** The rate in Hz that the file should have; absent, that of the samples. Where its format does not have it, the next higher one. */
  outputRate?: number
  /** Written into the file where its format has a place for it, such as «AI generated». */
  note?: string
  /** How many samples will be written, where that is known: wav and flac then say the exact length. */
  samples?: number
}

/**
 * Encodes sound that comes in chunks of any length. Writes follow one another: each is awaited before the next. None holds the event loop
 * for long, whatever it brings. What is opened is closed, by `using`.
 */
export class SoundEncoder {
  readonly #codec: Codec
  readonly #resampler: Resampler

  private constructor(codec: Codec, resampler: Resampler) {
    this.#codec = codec
    this.#resampler = resampler
  }

  /** @throws RangeError for rates that cannot be brought to one of the format. */
  static async open({
    format,
    rate,
    outputRate = rate,
    note,
    samples,
  }: EncodeOptions): Promise<SoundEncoder> {
    const resampling = (to: number): Resampler => new Resampler(rate, to)
    // Refused before an encoder is opened, which would have to be closed.
    const length = samples === undefined ? undefined : resampling(outputRate).lengthFor(samples)
    const codec = await formats[format].open({ rate: outputRate, note, samples: length })
    return new SoundEncoder(codec, resampling(codec.rate))
  }

  /** The rate of what comes out, in Hz. */
  get rate(): number {
    return this.#codec.rate
  }

  async write(samples: Float32Array): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = []
    await inSlices(samples.length, async (from, to) => {
      pieces.push(await this.#codec.write(this.#resampler.write(samples.subarray(from, to))))
    })
    return pieces.filter(({ length }) => length > 0)
  }

  async end(): Promise<Uint8Array[]> {
    const pieces = [await this.#codec.write(this.#resampler.end()), await this.#codec.end()]
    return pieces.filter(({ length }) => length > 0)
  }

  [Symbol.dispose](): void {
    this.#codec.close()
  }
}

/** Encodes what comes as it comes. It is closed also when nobody reads on. */
export async function* encodeStream(
  sound: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  options: EncodeOptions,
): AsyncGenerator<Uint8Array> {
  using encoder = await SoundEncoder.open(options)
  for await (const samples of sound) yield* await encoder.write(samples)
  yield* await encoder.end()
}

/** A whole file; wav and flac say their exact length. */
export async function encodeSound(
  { rate, samples }: Sound,
  options: Omit<EncodeOptions, 'rate' | 'samples'>,
): Promise<Uint8Array> {
  const whole = { ...options, rate, samples: samples.length }
  return Buffer.concat(await Array.fromAsync(encodeStream([samples], whole)))
}
