import { stat } from 'node:fs/promises'
import path from 'node:path'
import { GrowingBytes } from '#platform/bytes'
import type { ConfinedResult, Requester } from '#platform/confined'
import type { CountedSound } from './decode.ts'
import { decodePcm, sampleBytes, speechSampleRate } from './decode-pcm.ts'
import type { DecodeAnswer, DecodeInput } from './decode-process.ts'
import { SoundError } from './fault.ts'
import type { ForeignSound } from './foreign.ts'
import type { RecordingSource } from './recording.ts'
import type { RecordingTools } from './recordings.ts'
import { bytesOf, chunksOf } from './source.ts'
import { fileOf, type Track } from './track.ts'

/** Longer sound is decoded in a process of its own, so that it takes no time from other requests. */
export const maxSecondsInPlace = 120
/** The most bytes that are decoded here, of a file whose length is not known before it is decoded. */
const maxBytesInPlace = 1 << 20

/** The rooms that the readers of a decoding process import. */
export const rooms = ['core/magic', 'platform/slices'].map((room) =>
  path.join(import.meta.dirname, '../..', room),
)

/** The CPU time for decoding; the slowest codec takes a tenth of it. */
export const decodeMs = (seconds: number): number => 10_000 + 60 * seconds
export const maxOutputBytes = 1 << 16
const roomBytes = 1 << 16
/** The most seconds of AAC that its decoder may leave out at the ends. */
const maxMissingSeconds = 0.5

/** One channel of 16 kHz and 16 bits, with the parts that are no part of the recording; `counted` is absent for AAC, which was counted before. */
export interface DecodedSound {
  pcm: RecordingSource
  counted: CountedSound | undefined
}

/** What decoding needs: the workshop, the requester, and the folders. */
export interface DecodeContext {
  workshop: RecordingTools
  requester: Requester
  folders: AsyncDisposableStack
}

/**
 * Decodes all of a track.
 * @param seconds the length of the file, where it is known
 * @throws SoundError, SPOOL_FULL, and the signal's reason
 */
export async function decodeTrack(
  decoding: DecodeContext,
  track: Track,
  { seconds, maxSeconds }: { seconds: number | undefined; maxSeconds: number },
): Promise<DecodedSound> {
  const { foreign } = track
  if (foreign) return decodeForeign(decoding, { ...track, foreign }, maxSeconds)
  if (track.media === 'audio/aac') return decodeAac(decoding, track, seconds!)
  const isShort =
    seconds === undefined ? bytesOf(track.file) <= maxBytesInPlace : seconds <= maxSecondsInPlace
  const decoded = isShort && !track.isVorbis ? await decodeInPlace(track, seconds === undefined) : undefined
  return decoded ?? decodeInProcess(decoding, track, seconds ?? maxSeconds)
}

/** Decodes in this process; undefined where the sound is longer than was thought. */
async function decodeInPlace(track: Track, mayBeLonger: boolean): Promise<DecodedSound | undefined> {
  const pcm = new GrowingBytes()
  const options = { mediaType: track.media, maxSeconds: maxSecondsInPlace + 1 }
  try {
    const counted = await decodePcm(chunksOf(track.file), options, (bytes) => pcm.add(bytes))
    return { pcm: pcm.take(), counted }
  } catch (error) {
    if (mayBeLonger && error instanceof SoundError && error.fault === 'too_long') return undefined
    throw error
  }
}

async function decodeInProcess(
  { workshop: { decoding, spool }, requester, folders }: DecodeContext,
  track: Track,
  seconds: number,
): Promise<DecodedSound> {
  const { path: file } = await fileOf(track.file, spool, folders)
  const folder = folders.use(await spool.folder(pcmBytes(seconds)))
  const place = path.join(folder.path, 'pcm')
  const input: DecodeInput = { file, mediaType: track.media, maxSeconds: seconds + 1, place }
  const outcome = await decoding({
    ...requester,
    module: path.join(import.meta.dirname, 'decode-process.ts'),
    input,
    timeoutMs: decodeMs(seconds),
    maxOutputBytes,
    files: [file, ...rooms],
    scratch: folder,
  })
  const answer = outcomeValue(outcome, track) as DecodeAnswer
  if ('fault' in answer) throw new SoundError(answer.fault, track.mediaType, answer.codec)
  return { pcm: await sizedFile(place), counted: answer }
}

async function decodeAac(decoding: DecodeContext, track: Track, seconds: number): Promise<DecodedSound> {
  const pcm = await decodeByFfmpeg(decoding, track, { format: 'aac', codec: 'aac' }, seconds + 1)
  // ffmpeg leaves out what it cannot decode, so that later sound would come too early.
  const missing = seconds - pcm.bytes / sampleBytes / speechSampleRate
  if (Math.abs(missing) > maxMissingSeconds) throw new SoundError('malformed', track.mediaType, 'aac')
  return { pcm, counted: undefined }
}

/** No recording of a telephone has fewer bytes for a second of sound: by it a small file takes little room. */
const leastBytesPerSecond = 10
const leastForeignSeconds = 60

/** Decodes what only ffmpeg reads; how long it is, is known only then. */
async function decodeForeign(
  decoding: DecodeContext,
  track: Track & { foreign: ForeignSound },
  maxSeconds: number,
): Promise<DecodedSound> {
  const { foreign, mediaType, isTruncated } = track
  const likely = leastForeignSeconds + bytesOf(track.file) / leastBytesPerSecond
  const pcm = await decodeByFfmpeg(decoding, track, foreign, Math.min(maxSeconds, likely) + 1)
  const samples = pcm.bytes / sampleBytes
  if (samples === 0) throw new SoundError(isTruncated ? 'truncated' : 'malformed', mediaType, foreign.codec)
  if (samples / speechSampleRate > likely) throw new SoundError('too_long', mediaType)
  const { codec } = foreign
  return { pcm, counted: { mediaType, codec, rate: speechSampleRate, channels: 1, samples, isTruncated } }
}

async function decodeByFfmpeg(
  { workshop, requester, folders }: DecodeContext,
  track: Track,
  { format, codec }: ForeignSound,
  maxSeconds: number,
): Promise<{ path: string; bytes: number }> {
  const ffmpeg = await workshop.ffmpeg()
  if (!ffmpeg) throw new SoundError('unsupported', track.mediaType, codec)
  const { path: file } = await fileOf(track.file, workshop.spool, folders)
  const folder = folders.use(await workshop.spool.folder(pcmBytes(maxSeconds)))
  const place = path.join(folder.path, 'pcm')
  const timeoutMs = decodeMs(maxSeconds)
  outcomeValue(
    await ffmpeg.decode({ ...requester, format, file, place, folder, timeoutMs, maxSeconds }),
    track,
  )
  return sizedFile(place)
}

const pcmBytes = (seconds: number): number =>
  Math.ceil((seconds + 1) * speechSampleRate * sampleBytes) + roomBytes

/** What a process answered. Throws SoundError. */
export function outcomeValue(outcome: ConfinedResult, { mediaType }: Pick<Track, 'mediaType'>): unknown {
  if ('value' in outcome) return outcome.value
  throw new SoundError(outcome.lost === 'busy' ? 'busy' : 'malformed', mediaType)
}

const sizedFile = (file: string): Promise<{ path: string; bytes: number }> =>
  stat(file).then(
    ({ size }) => ({ path: file, bytes: size }),
    () => {
      throw new SoundError('malformed')
    },
  )
