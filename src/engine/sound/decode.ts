import { sniff } from '#engine/media'
import { OpusReader } from './opus-reader.ts'
import { concatenated, PcmReader, type Sound } from './pcm.ts'
import { inSlices } from './slices.ts'
import { type SoundFault, WavReader } from './wav-reader.ts'

/** Reads sound that comes in chunks of any length. */
export interface SoundReader {
  /** In Hz; known before the first sample is given out. */
  readonly rate: number | undefined
  /** Set where nothing more can be read; what came before stays good. */
  readonly fault: SoundFault | undefined
  write(chunk: Uint8Array): Float32Array
  end(): Float32Array
}

/** What the bytes are: raw 16-bit PCM has to bring its rate in Hz, the others say theirs themselves. */
export type SoundSource = { format: 'pcm'; rate: number } | { format: 'wav' } | { format: 'opus' }

/** A reader of a format that can be decoded here. One of opus is closed, by `using`; of the others that does nothing. */
export async function openSoundReader(source: SoundSource): Promise<SoundReader & Disposable> {
  if (source.format === 'opus') return OpusReader.open()
  if (source.format === 'wav') return Object.assign(new WavReader(), { [Symbol.dispose]: () => {} })
  return Object.assign(new PcmReader(), { rate: source.rate, fault: undefined, [Symbol.dispose]: () => {} })
}

export type Decoded =
  | { ok: true; sound: Sound /** Less is there than the file claims. */; isTruncated: boolean }
  /** `mediaType` is what the bytes are, where that can be said: mp3, AAC, FLAC and films are known, but have no decoder here. */
  | { ok: false; fault: SoundFault; mediaType: string | undefined }

/** Bytes that a reader is given at once. */
const chunkBytes = 1 << 14

/**
 * Decodes a whole file, by what its bytes are and not by what it is called: WAV, and Opus in Ogg. Raw PCM cannot be recognised and is
 * read only where its rate in Hz is given.
 */
export async function decodeSound(bytes: Uint8Array, pcmRate?: number): Promise<Decoded> {
  const mediaType = sniff(bytes)
  const source = sourceOf(mediaType, pcmRate)
  if (!source) return { ok: false, fault: mediaType ? 'unsupported' : 'malformed', mediaType }
  using reader = await openSoundReader(source)
  const pieces: Float32Array[] = []
  await inSlices(
    bytes.length,
    (from, to) => reader.fault === undefined && pieces.push(reader.write(bytes.subarray(from, to))),
    chunkBytes,
  )
  pieces.push(reader.end())
  const { rate, fault } = reader
  if (rate === undefined || (fault !== undefined && fault !== 'truncated'))
    return { ok: false, fault: fault ?? 'malformed', mediaType }
  return { ok: true, sound: { rate, samples: concatenated(pieces) }, isTruncated: fault === 'truncated' }
}

function sourceOf(mediaType: string | undefined, pcmRate: number | undefined): SoundSource | undefined {
  if (mediaType === 'audio/wav') return { format: 'wav' }
  if (mediaType === 'audio/ogg') return { format: 'opus' }
  return mediaType === undefined && pcmRate !== undefined ? { format: 'pcm', rate: pcmRate } : undefined
}
