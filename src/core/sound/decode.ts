import { hasText, sniff } from '#core/magic'
import { Slice } from '#platform/slices'
import { AdtsReader } from './adts-reader.ts'
import { SoundError } from './fault.ts'
import { FlacReader } from './flac-reader.ts'
import { Mp3Reader } from './mp3-reader.ts'
import { OggFlacReader } from './ogg-flac-reader.ts'
import { type OpusRate, OpusReader } from './opus-reader.ts'
import { type Pcm, PcmReader, type Sound } from './pcm.ts'
import { VorbisReader } from './vorbis-reader.ts'
import { WavReader } from './wav-reader.ts'

/** Reads one format in chunks of any length, and throws a `SoundError` where it cannot go on. */
export interface SoundReader {
  readonly mediaType: string
  readonly codec: string
  /** The rate in Hz, and the number of channels in the file; both are known before the first sample is returned. */
  readonly rate: number
  readonly channels: number
  /** Whether something was left out of which the beginning or the middle is missing. */
  readonly hasGap?: boolean
  /** Returns the samples of a chunk, in pieces that each take a few milliseconds. */
  write(chunk: Uint8Array): Iterable<Float32Array> | AsyncIterable<Float32Array>
  end(): Iterable<Float32Array> | AsyncIterable<Float32Array>
  /** Frees what it holds outside of the heap; call once. */
  close(): void
}

export interface DecodeOptions {
  /** The form of bytes without a container; absent: they are refused as `unrecognised`. A container that is recognised takes precedence. */
  pcm?: Pcm | undefined
  /** Seconds of sound after which decoding ends with `too_long`: some bytes of silence may claim hours. */
  maxSeconds?: number | undefined
  /** The rate at which Opus is decoded, instead of 48 kHz. */
  opusRate?: OpusRate
  /** The media type of the bytes, where it was found from more than their beginning, as after a long tag. */
  mediaType?: string | undefined
  /** Whether this runs in a confined process: only there Vorbis is decoded. */
  isConfined?: boolean
  /** Whether each piece is used before the next one is wanted: then its memory may be used again. */
  isPassing?: boolean
  /**
   * Called where a file breaks off, or is broken from there on: the sound before that is then all of it, and is no error. Absent: it is one, as it
   * has to be for sound that was paid. Where nothing was good, it is an error all the same.
   */
  onTruncated?: (() => void) | undefined
}

/** What a file is, and how many samples one of its channels has. */
export interface CountedSound {
  mediaType: string
  codec: string
  rate: number
  channels: number
  samples: number
  /** Whether the file breaks off: the samples are those before. */
  isTruncated: boolean
}

/** The bytes by which a format is recognised: two frames of an mp3. The other formats have a name in their first twelve bytes. */
const sniffedBytes = 2_048
/** The most bytes that a reader is given at once. */
const partBytes = 1 << 14

/**
 * Decodes WAV (integers of 8 to 32 bits, floats, A-law, µ-law; also of open length), MP3, FLAC, FLAC and Opus in Ogg, in confined processes Vorbis in
 * Ogg, and raw 16-bit PCM where `pcm` describes it. The bytes alone decide what they are. Stereo becomes its mean. The samples do not depend on how the bytes
 * are cut, memory does not grow with their length, and no turn of the event loop is held for long. Ending the iteration ends that of the bytes; a
 * wait for the next bytes ends by the signal of their source.
 *
 * @throws SoundError, after the sound that was good
 */
export async function* decodeSound(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: DecodeOptions = {},
): AsyncGenerator<Sound> {
  for await (const { reader, samples } of readSound(bytes, options)) yield { rate: reader.rate, samples }
}

/** Decodes like `decodeSound`, and yields the reader too. */
export const readSound = (
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<{ reader: SoundReader; samples: Float32Array }> =>
  read(bytes, (head) => readerOf(head, options), options)

/**
 * Counts exactly the samples that `decodeSound` yields, without decoding, as far as the file is good. This works for WAV, MP3, Opus in Ogg, and AAC in
 * ADTS; the length of FLAC and Vorbis is known only by decoding.
 * @throws SoundError where nothing can be counted; `unsupported` for other formats
 */
export async function countSound(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { maxSeconds, mediaType }: Pick<DecodeOptions, 'maxSeconds' | 'mediaType'> = {},
): Promise<CountedSound> {
  let counted: CountedSound | undefined
  let isTruncated = false
  const options = {
    maxSeconds,
    onTruncated: () => {
      isTruncated = true
    },
  }
  for await (const { reader, samples } of read(bytes, (head) => counterOf(head, mediaType), options)) {
    const { codec, rate, channels } = reader
    counted ??= { mediaType: reader.mediaType, codec, rate, channels, samples: 0, isTruncated }
    counted.samples += samples.length
  }
  return { ...counted!, isTruncated }
}

async function* read(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  open: (head: Uint8Array) => SoundReader | Promise<SoundReader>,
  { maxSeconds = 3_600, onTruncated }: Pick<DecodeOptions, 'maxSeconds' | 'onTruncated'>,
): AsyncGenerator<{ reader: SoundReader; samples: Float32Array }> {
  const slice = new Slice()
  let reader: SoundReader | undefined
  let seconds = 0
  try {
    for await (const part of partsOf(bytes)) {
      reader ??= await open(part)
      for await (const samples of reader.write(part)) {
        if (slice.isOver()) await slice.next()
        // Before its first frame a reader knows no rate, and zero divided by zero is not a number.
        if (samples.length === 0) continue
        seconds += samples.length / reader.rate
        if (seconds > maxSeconds) throw new SoundError('too_long', reader.mediaType)
        yield { reader, samples }
      }
      if (slice.isOver()) await slice.next()
    }
    for await (const samples of reader?.end() ?? []) {
      if (samples.length === 0) continue
      seconds += samples.length / reader!.rate
      yield { reader: reader!, samples }
    }
    if (seconds === 0) throw new SoundError('empty', reader?.mediaType)
    if (reader?.hasGap) throw new SoundError('malformed', reader.mediaType)
  } catch (error) {
    if (!onTruncated || seconds === 0 || !isBroken(error)) throw error
    onTruncated()
  } finally {
    reader?.close()
  }
}

/** Whether a file is broken from there on; sound that is too long is not. */
const isBroken = (error: unknown): boolean =>
  error instanceof SoundError && (error.fault === 'truncated' || error.fault === 'malformed')

/** The bytes in parts of a bounded length; the first part is long enough to be recognised, if there are enough bytes. */
async function* partsOf(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const slice = new Slice()
  let held: Uint8Array[] | undefined = []
  let heldBytes = 0
  for await (const chunk of bytes) {
    // A source that never waits would hold the loop with empty chunks.
    if (slice.isOver()) await slice.next()
    let whole = chunk
    if (held) {
      if (chunk.length === 0) continue
      held.push(new Uint8Array(chunk))
      heldBytes += chunk.length
      if (heldBytes < sniffedBytes && !isNamed(Buffer.concat(held))) continue
      whole = Buffer.concat(held)
      held = undefined
    }
    for (let at = 0; at < whole.length; at += partBytes) yield whole.subarray(at, at + partBytes)
  }
  if (held && heldBytes > 0) yield Buffer.concat(held)
}

const named = new Set(['audio/wav', 'audio/flac', 'audio/ogg'])
const isNamed = (bytes: Uint8Array): boolean => named.has(sniff(bytes) ?? '')

/** The bytes before the first packet of Ogg: the head of its first page, which has nothing else. */
const oggHeadBytes = 28
export const beginsLikeVorbis = (head: Uint8Array): boolean => hasText(head, oggHeadBytes + 1, 'vorbis')
export const beginsLikeOggFlac = (head: Uint8Array): boolean => hasText(head, oggHeadBytes + 1, 'FLAC')

async function readerOf(
  head: Uint8Array,
  { pcm, opusRate, mediaType = sniff(head), isConfined, isPassing = false, onTruncated }: DecodeOptions,
): Promise<SoundReader> {
  if (mediaType === 'audio/wav') return new WavReader()
  if (mediaType === 'audio/flac') return new FlacReader()
  if (mediaType === 'audio/ogg' && beginsLikeOggFlac(head)) return new OggFlacReader()
  if (mediaType === 'audio/ogg' && !beginsLikeVorbis(head))
    return await OpusReader.open(opusRate, onTruncated !== undefined)
  if (mediaType === 'audio/ogg' && isConfined) return await VorbisReader.open()
  if (mediaType === 'audio/mpeg') return await Mp3Reader.open(isPassing)
  if (mediaType) throw new SoundError('unsupported', mediaType, codecOf(mediaType))
  if (pcm) return new PcmReader(pcm)
  throw new SoundError('unrecognised')
}

function counterOf(head: Uint8Array, mediaType = sniff(head)): SoundReader {
  if (mediaType === 'audio/wav') return new WavReader(true)
  if (mediaType === 'audio/mpeg') return Mp3Reader.counting()
  if (mediaType === 'audio/aac') return new AdtsReader()
  if (mediaType === 'audio/ogg' && !beginsLikeVorbis(head)) return OpusReader.counting()
  throw mediaType
    ? new SoundError('unsupported', mediaType, codecOf(mediaType))
    : new SoundError('unrecognised')
}

/** The codec of a format that has only one and is not read here. */
const codecOf = (mediaType: string): string | undefined =>
  ({ 'audio/aac': 'aac', 'audio/ogg': 'vorbis', 'audio/flac': 'flac' })[mediaType]
