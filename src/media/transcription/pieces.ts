/** Makes the file that is sent for a piece of a recording. */
import { open } from 'node:fs/promises'
import { encodeWhole, formatMediaType, SoundError } from '#core/sound'
import type { RecordedSound, SoundBytes } from '#core/turn'
import type { PieceSpan } from './cut.ts'
import { formats, type TranscriptionPlan } from './plan.ts'
import type { OpenedRecording } from './transcription.ts'

/** A file, and the seconds of the recording that are in it. */
export interface PieceFile {
  sound: RecordedSound
  from: number
  to: number
}

/** The sample rate of sent sound: models hear nothing of speech above half of it. */
export const speechSampleRate = 16_000

/** The file of a piece. Throws `SoundError` for a recording that cannot be read. */
export async function pieceOf(
  { how, encoding, isCut }: TranscriptionPlan,
  { source, recording }: OpenedRecording,
  { from, to }: PieceSpan,
): Promise<PieceFile> {
  if (how === 'whole') {
    const { mediaType, seconds } = recording.measured
    return { sound: namedRecording(await bytesOf(source), mediaType, seconds), from, to }
  }
  const span = isCut ? { from, to } : {}
  if (how === 'packets') {
    const packets = await recording.packets(span)
    if (!packets) throw new SoundError('unsupported', recording.measured.mediaType, recording.measured.codec)
    const { bytes, mediaType, start, end } = packets
    return { sound: namedRecording(bytes, mediaType, end - start), from: start, to: end }
  }
  if (encoding === 'wav') {
    const { bytes, seconds } = await recording.wav(span)
    return { sound: namedRecording(bytes, 'audio/wav', seconds), from, to }
  }
  const whole = { format: encoding, rate: speechSampleRate, maxBytes: maxEncodedBytes }
  const { bytes, seconds } = await encodeWhole(recording.sound(span), whole)
  return { sound: namedRecording(bytes, formatMediaType(encoding), seconds), from, to }
}

/** The bound for encoding, which is never reached: a piece is as long as its bytes have room for. */
const maxEncodedBytes = 64 * 1024 * 1024

/** The recording with a file name. Some upstreams go by the extension, and every one accepts the right one. */
export const namedRecording = (bytes: SoundBytes, mediaType: string, seconds: number): RecordedSound => ({
  bytes,
  mediaType,
  name: `recording.${formats[mediaType] ?? 'bin'}`,
  seconds,
})

async function bytesOf(source: OpenedRecording['source']): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source
  await using file = await open(source.path)
  const bytes = new Uint8Array(source.bytes)
  let at = 0
  while (at < bytes.length) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, at)
    if (bytesRead === 0) throw new SoundError('truncated')
    at += bytesRead
  }
  return bytes
}
