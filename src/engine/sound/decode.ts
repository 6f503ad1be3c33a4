import { sniff } from '#engine/media'
import { Slice } from '#platform/slices'
import { SoundError } from './fault.ts'
import { FlacReader } from './flac-reader.ts'
import { Mp3Reader } from './mp3-reader.ts'
import { OpusReader } from './opus-reader.ts'
import { type Pcm, PcmReader, type Sound } from './pcm.ts'
import { WavReader } from './wav-reader.ts'

/** Reads one format in chunks of any length, and throws a `SoundError` where it cannot go on. */
export interface SoundReader {
  readonly mediaType: string
  /** In Hz; known before the first sample is given out. */
  readonly rate: number
  /** What a chunk brings, in pieces that each take a few milliseconds. */
  write(chunk: Uint8Array): Iterable<Float32Array>
  end(): Iterable<Float32Array>
  /** Gives back what it holds outside of the heap; called once. */
  close(): void
}

export interface DecodeOptions {
  /** What bytes without a container are; absent, they are refused as `unrecognised`. A container that is recognised wins over it. */
  pcm?: Pcm | undefined
  /** Seconds of sound after which decoding ends with `too_long`: some bytes of silence may claim hours. */
  maxSeconds?: number
}

/** Bytes by which a format is recognised: two frames of an mp3. The others have a name in their first twelve. */
const sniffedBytes = 2_048
/** Bytes that a reader is given at once. */
const partBytes = 1 << 14

/**
 * Decodes WAV (integers of 8 to 32 bits, floats, A-law, µ-law; also of open length), MP3, FLAC, Opus in Ogg, and raw 16-bit PCM where
 * `pcm` describes it. The bytes alone decide what they are. Stereo becomes its mean. What comes out does not depend on how the bytes are cut,
 * memory does not grow with their length, and no turn of the event loop is held for long. Ending the iteration ends that of the bytes;
 * a wait for the next of them ends by the signal of whoever brings them.
 *
 * @throws SoundError, after the sound that was good
 */
export async function* decodeSound(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { pcm, maxSeconds = 3_600 }: DecodeOptions = {},
): AsyncGenerator<Sound> {
  const slice = new Slice()
  let reader: SoundReader | undefined
  let seconds = 0
  try {
    for await (const part of partsOf(bytes)) {
      reader ??= await readerOf(part, pcm)
      for (const samples of reader.write(part)) {
        seconds += samples.length / reader.rate
        if (seconds > maxSeconds) throw new SoundError('too_long', reader.mediaType)
        if (samples.length > 0) yield { rate: reader.rate, samples }
        if (slice.isOver()) await slice.next()
      }
      if (slice.isOver()) await slice.next()
    }
    for (const samples of reader?.end() ?? []) if (samples.length > 0) yield { rate: reader!.rate, samples }
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

async function readerOf(head: Uint8Array, pcm: Pcm | undefined): Promise<SoundReader> {
  const mediaType = sniff(head)
  if (mediaType === 'audio/wav') return new WavReader()
  if (mediaType === 'audio/flac') return new FlacReader()
  if (mediaType === 'audio/ogg') return await OpusReader.open()
  if (mediaType === 'audio/mpeg') return await Mp3Reader.open()
  if (mediaType) throw new SoundError('unsupported', mediaType)
  if (pcm) return new PcmReader(pcm)
  throw new SoundError('unrecognised')
}
