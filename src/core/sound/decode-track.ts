import { stat } from 'node:fs/promises'
import path from 'node:path'
import { GrowingBytes } from '#platform/bytes'
import type { Outcome, Requester } from '#platform/confined'
import type { Counted } from './decode.ts'
import { decodePcm, heardRate, sampleBytes } from './decode-pcm.ts'
import type { DecodeAnswer, DecodeInput } from './decode-process.ts'
import { SoundError } from './fault.ts'
import type { RecordingSource } from './recording.ts'
import type { Workshop } from './recordings.ts'
import { bytesOf, chunksOf } from './source.ts'
import { fileOf, type Track } from './track.ts'

/** What is longer takes a process of its own, so that it takes no time from everybody else. */
const maxSecondsInPlace = 120
/** Of a file whose length is not known before it is decoded. */
const maxBytesInPlace = 1 << 20

/** On which its readers stand. */
const rooms = ['engine/magic', 'platform/slices'].map((room) => path.join(import.meta.dirname, '../..', room))

/** CPU time: the slowest codec takes a tenth of it. */
const decodeMs = (seconds: number): number => 10_000 + 60 * seconds
const maxOutputBytes = 1 << 16
const roomBytes = 1 << 16
/** Of AAC, that its decoder may leave out at the ends. */
const maxMissingSeconds = 0.5

/** One channel of 16 kHz and 16 bits, with what is not heard; `counted` is absent for AAC, which was counted before. */
export interface Decoded {
  pcm: RecordingSource
  counted: Counted | undefined
}

/** Who decodes, with what, and where. */
export interface Decoding {
  workshop: Workshop
  requester: Requester
  folders: AsyncDisposableStack
}

/**
 * Decodes all of a track.
 * @param seconds of the file, where they are known
 * @throws SoundError, SPOOL_FULL, and the signal's reason
 */
export async function decodeTrack(
  decoding: Decoding,
  track: Track,
  { seconds, maxSeconds }: { seconds: number | undefined; maxSeconds: number },
): Promise<Decoded> {
  if (track.media === 'audio/aac') return decodeAac(decoding, track, seconds!)
  const isShort =
    seconds === undefined ? bytesOf(track.file) <= maxBytesInPlace : seconds <= maxSecondsInPlace
  const decoded = isShort && !isVorbis(track) ? await decodeInPlace(track, seconds === undefined) : undefined
  return decoded ?? decodeInProcess(decoding, track, seconds ?? maxSeconds)
}

const isVorbis = ({ media, isUncountable }: Track): boolean => isUncountable && media === 'audio/ogg'

/** Undefined where it takes longer than was thought. */
async function decodeInPlace(track: Track, mayBeLonger: boolean): Promise<Decoded | undefined> {
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
  { workshop: { decoding, spool }, requester, folders }: Decoding,
  track: Track,
  seconds: number,
): Promise<Decoded> {
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
  const answer = finished(outcome, track) as DecodeAnswer
  if ('fault' in answer) throw new SoundError(answer.fault, track.mediaType, answer.codec)
  return { pcm: await sizedFile(place), counted: answer }
}

async function decodeAac(
  { workshop, requester, folders }: Decoding,
  track: Track,
  seconds: number,
): Promise<Decoded> {
  const ffmpeg = await workshop.ffmpeg()
  if (!ffmpeg) throw new SoundError('unsupported', track.mediaType, 'aac')
  const { path: file } = await fileOf(track.file, workshop.spool, folders)
  const folder = folders.use(await workshop.spool.folder(pcmBytes(seconds)))
  const place = path.join(folder.path, 'pcm')
  finished(await ffmpeg.decodeAac({ ...requester, file, place, folder, timeoutMs: decodeMs(seconds) }), track)
  const pcm = await sizedFile(place)
  // What ffmpeg cannot decode it leaves out, and the clock would not go on.
  const missing = seconds - pcm.bytes / sampleBytes / heardRate
  if (Math.abs(missing) > maxMissingSeconds) throw new SoundError('malformed', track.mediaType, 'aac')
  return { pcm, counted: undefined }
}

const pcmBytes = (seconds: number): number => Math.ceil((seconds + 1) * heardRate * sampleBytes) + roomBytes

function finished(outcome: Outcome, { mediaType }: Track): unknown {
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
