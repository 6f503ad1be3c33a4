import { hasText, sniff } from '#core/magic'
import { Slice } from '#platform/slices'
import { AdtsReader } from './adts-reader.ts'
import { SoundError } from './fault.ts'
import { FlacReader } from './flac-reader.ts'
import { Mp3Reader } from './mp3-reader.ts'
import { type OpusRate, OpusReader } from './opus-reader.ts'
import { type Pcm, PcmReader, type Sound } from './pcm.ts'
import { VorbisReader } from './vorbis-reader.ts'
import { WavReader } from './wav-reader.ts'

/** Reads one format in chunks of any length, and throws a `SoundError` where it cannot go on. */
export interface SoundReader {
  readonly mediaType: string
  readonly codec: string
  /** In Hz, and how many are in the file; known before the first sample is given out. */
  readonly rate: number
  readonly channels: number
  /** What a chunk brings, in pieces that each take a few milliseconds. */
  write(chunk: Uint8Array): Iterable<Float32Array> | AsyncIterable<Float32Array>
  end(): Iterable<Float32Array>
  /** Gives back what it holds outside of the heap; called once. */
  close(): void
}

export interface DecodeOptions {
  /** What bytes without a container are; absent, they are refused as `unrecognised`. A container that is recognised wins over it. */
  pcm?: Pcm | undefined
  /** Seconds of sound after which decoding ends with `too_long`: some bytes of silence may claim hours. */
  maxSeconds?: number
  /** At which Opus is decoded, instead of 48 kHz. */
  opusRate?: OpusRate
  /** What the bytes are, where that is known of more than their beginning, as behind a long tag. */
  mediaType?: string | undefined
  /** Whether this runs in a confined process: only there Vorbis is decoded. */
  isConfined?: boolean
  /** Whether each piece is used before the next one is wanted: then its memory may be used again. */
  isPassing?: boolean
}

/** What a file is, and how many samples one of its channels has. */
export interface Counted {
  mediaType: string
  codec: string
  rate: number
  channels: number
  samples: number
}

/** Bytes by which a format is recognised: two frames of an mp3. The others have a name in their first twelve. */
const sniffedBytes = 2_048
/** Bytes that a reader is given at once. */
const partBytes = 1 << 14

/**
 * Decodes WAV (integers of 8 to 32 bits, floats, A-law, µ-law; also of open length), MP3, FLAC, Opus in Ogg, in confined processes Vorbis
 * in Ogg, and raw 16-bit PCM where `pcm` describes it. The bytes alone decide what they are. Stereo becomes its mean. What comes out does not depend on how the bytes are cut,
 * memory does not grow with their length, and no turn of the event loop is held for long. Ending the iteration ends that of the bytes;
 * a wait for the next of them ends by the signal of whoever brings them.
 *
 * @throws SoundError, after the sound that was good
 */
export async function* decodeSound(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: DecodeOptions = {},
): AsyncGenerator<Sound> {
  for await (const { reader, samples } of readSound(bytes, options)) yield { rate: reader.rate, samples }
}

/** As `decodeSound`, with what reads it. */
export const readSound = (
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<{ reader: SoundReader; samples: Float32Array }> =>
  read(bytes, (head) => readerOf(head, options), options.maxSeconds)

/**
 * Counts the samples that `decodeSound` gives, to one, without decoding. It does for WAV, MP3, Opus in Ogg, and AAC in ADTS; FLAC and Vorbis say how long they are
 * by decoding only.
 * @throws SoundError as `decodeSound` does, but for faults within packets; `unsupported` for the others
 */
export async function countSound(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { maxSeconds, mediaType }: Pick<DecodeOptions, 'maxSeconds' | 'mediaType'> = {},
): Promise<Counted> {
  let counted: Counted | undefined
  for await (const { reader, samples } of read(bytes, (head) => counterOf(head, mediaType), maxSeconds)) {
    const { codec, rate, channels } = reader
    counted ??= { mediaType: reader.mediaType, codec, rate, channels, samples: 0 }
    counted.samples += samples.length
  }
  return counted!
}

async function* read(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  open: (head: Uint8Array) => SoundReader | Promise<SoundReader>,
  maxSeconds = 3_600,
): AsyncGenerator<{ reader: SoundReader; samples: Float32Array }> {
  const slice = new Slice()
  let reader: SoundReader | undefined
  let seconds = 0
  try {
    for await (const part of partsOf(bytes)) {
      reader ??= await open(part)
      for await (const samples of reader.write(part)) {
        if (slice.isOver()) await slice.next()
        // Before its first frame a reader knows no rate, and nothing by nothing is no number.
        if (samples.length === 0) continue
        seconds += samples.length / reader.rate
        if (seconds > maxSeconds) throw new SoundError('too_long', reader.mediaType)
        yield { reader, samples }
      }
      if (slice.isOver()) await slice.next()
    }
    for (const samples of reader?.end() ?? []) if (samples.length > 0) yield { reader: reader!, samples }
    if (seconds === 0) throw new SoundError('empty', reader?.mediaType)
  } finally {
    reader?.close()
  }
}

/** The bytes in parts of a bounded length; the first is long enough to be recognised, if there are so many. */
async function* partsOf(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const slice = new Slice()
  let held: Uint8Array[] | undefined = []
  let heldBytes = 0
  for await (const chunk of bytes) {
    // A source that never waits would hold the loop with chunks of nothing.
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

/** Behind its first page, of which this is the whole. */
const vorbisHead = 28
export const beginsLikeVorbis = (head: Uint8Array): boolean => hasText(head, vorbisHead + 1, 'vorbis')

async function readerOf(
  head: Uint8Array,
  { pcm, opusRate, mediaType = sniff(head), isConfined, isPassing = false }: DecodeOptions,
): Promise<SoundReader> {
  if (mediaType === 'audio/wav') return new WavReader()
  if (mediaType === 'audio/flac') return new FlacReader()
  if (mediaType === 'audio/ogg' && !beginsLikeVorbis(head)) return await OpusReader.open(opusRate)
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

/** Of what has one codec and is not read here. */
const codecOf = (mediaType: string): string | undefined =>
  ({ 'audio/aac': 'aac', 'audio/ogg': 'vorbis', 'audio/flac': 'flac' })[mediaType]
