import path from 'node:path'
import type { ConfinedResult, Requester } from '#platform/confined'
import type { Container, UnknownSound, UnpackedSound } from './container/unpack.ts'
import { SoundError } from './fault.ts'
import { type ForeignSound, foreignEntry, foreignFile, isCutForeign } from './foreign.ts'
import type { RecordingSource } from './recording.ts'
import type { RecordingTools } from './recordings.ts'
import { bytesOf, chunksOf, partOf, recognise } from './source.ts'
import type { SoundPart } from './trim.ts'
import type { UnpackAnswer, UnpackInput } from './unpack-process.ts'

/** The sound of a file as a file of its codec. */
export interface Track {
  file: RecordingSource
  /** The type of the track as `sniff` names it; `mediaType` is that of the whole file, by its tracks. */
  media: string
  mediaType: string
  /** True: the length is known only by decoding. */
  isUncountable: boolean
  isVorbis: boolean
  /** What ffmpeg is told of a file that nothing else here reads. */
  foreign?: ForeignSound
  part: SoundPart
  /** Rate and channels where a container states them. */
  stated?: { rate: number; channels: number }
  hasVideo: boolean
  /** The seconds that are in the file beside this track: infinite where no upstream should get the file as it is. */
  otherSeconds: number
  /** Whether the file breaks off, or begins in the middle of a frame. */
  isTruncated: boolean
}

/** CPU time: the slowest file takes half of it. */
const unpackMs = (bytes: number): number => Math.min(60_000, 5_000 + bytes / 2_000)
/**
 * The most bytes of an unpacked file, with room for the heads of packets, which containers keep shorter: seven bytes of AAC, one and a half of
 * others.
 */
const unpackedBytes = (bytes: number): number => Math.ceil(1.5 * bytes) + (1 << 20)
const maxOutputBytes = 1 << 16
/** The most bytes of a file that goes through memory, so that a process can be started before its file is known. */
const maxShortBytes = 1 << 20

/**
 * Recognises a file, and takes the sound out of its container if it has one.
 * @param folders the folders of the track are closed with them
 * @throws SoundError, SPOOL_FULL, and the signal's reason
 */
export async function openTrack(
  workshop: RecordingTools,
  source: RecordingSource,
  requester: Requester,
  folders: AsyncDisposableStack,
): Promise<Track> {
  const { container, media, from, head, isVorbis, isFlac, isUnusual } = await recognise(source)
  if (container) return unpackTrack(workshop, { source, container }, requester, folders)
  if (media === undefined) throw new SoundError(bytesOf(source) === 0 ? 'empty' : 'unrecognised')
  const foreign = foreignFile(media)
  const isBegun = from > 0 || head !== undefined
  const part = { from, to: bytesOf(source), head }
  return {
    file: isBegun ? await partOf(source, part, workshop.spool, folders) : source,
    media,
    mediaType: media,
    isUncountable: isVorbis || isFlac || foreign !== undefined,
    isVorbis,
    ...(foreign && { foreign }),
    part: wholePart,
    hasVideo: false,
    otherSeconds: isUnusual || foreign ? Number.POSITIVE_INFINITY : 0,
    isTruncated: isBegun || (foreign !== undefined && (await isCutForeign(foreign, source))),
  }
}

const wholePart: SoundPart = { skipSeconds: 0, discardSeconds: 0 }

async function unpackTrack(
  workshop: RecordingTools,
  { source, container }: { source: RecordingSource; container: Container },
  requester: Requester,
  folders: AsyncDisposableStack,
): Promise<Track> {
  const isShort = bytesOf(source) <= maxShortBytes
  const { outcome, file } = isShort
    ? await unpackShort(workshop, { source, container }, requester)
    : await unpackFile(workshop, { source, container }, requester, folders)
  const kind = container === 'mp4' ? 'mp4' : 'webm'
  if ('lost' in outcome) throw new SoundError(outcome.lost === 'busy' ? 'busy' : 'malformed', `audio/${kind}`)
  const answer = outcome.value as UnpackAnswer
  if ('fault' in answer) throw new SoundError(answer.fault, `audio/${kind}`, answer.codec)
  const { rate, channels, hasVideo, isTruncated } = answer
  const about = {
    ...{ mediaType: `${hasVideo ? 'video' : 'audio'}/${kind}`, hasVideo, isTruncated },
    stated: { rate, channels },
  }
  if ('unknown' in answer) return { ...about, ...unknownTrack(source, answer, about.mediaType) }
  const { codec, packets, otherSeconds, hasMore } = answer
  return {
    ...about,
    file: packets === undefined ? { path: file!, bytes: answer.bytes } : Buffer.from(packets, 'base64'),
    media: mediaOf(codec),
    isUncountable: codec === 'vorbis' || codec === 'flac',
    isVorbis: codec === 'vorbis',
    part: partOfRecording(answer),
    otherSeconds: hasMore ? Number.POSITIVE_INFINITY : otherSeconds,
  }
}

const partOfRecording = ({ skipSeconds, untilSeconds, discardSeconds }: UnpackedSound): SoundPart => ({
  ...{ skipSeconds, discardSeconds },
  ...(untilSeconds !== undefined && { untilSeconds }),
})

/** Sound in a container that ffmpeg reads as it is, with the lists of editors that are in it. */
function unknownTrack(
  source: RecordingSource,
  { unknown }: UnknownSound,
  mediaType: string,
): Omit<Track, 'mediaType' | 'hasVideo' | 'isTruncated' | 'stated'> {
  const foreign = mediaType.endsWith('/mp4') ? foreignEntry(unknown) : undefined
  if (!foreign) throw new SoundError('unsupported', mediaType, unknown ?? undefined)
  return {
    ...{ file: source, media: mediaType, foreign, part: wholePart },
    ...{ isUncountable: true, isVorbis: false },
    otherSeconds: Number.POSITIVE_INFINITY,
  }
}

const unpackModule = path.join(import.meta.dirname, 'unpack-process.ts')

interface UnpackOutcome {
  outcome: ConfinedResult
  /** The file to which the packets were written. */
  file?: string
}

/** Unpacks through the pipes of a process that may have been started before. */
async function unpackShort(
  { unpacking }: RecordingTools,
  { source, container }: { source: RecordingSource; container: Container },
  requester: Requester,
): Promise<UnpackOutcome> {
  const bytes = Buffer.concat(await Array.fromAsync(chunksOf(source)))
  const input: UnpackInput = { bytes, container }
  const outcome = await unpacking({
    ...requester,
    module: unpackModule,
    input,
    timeoutMs: unpackMs(maxShortBytes),
    maxOutputBytes: maxOutputBytes + 2 * unpackedBytes(bytes.length),
    keepsSpare: true,
  })
  return { outcome }
}

async function unpackFile(
  { unpacking, spool }: RecordingTools,
  { source, container }: { source: RecordingSource; container: Container },
  requester: Requester,
  folders: AsyncDisposableStack,
): Promise<UnpackOutcome> {
  const { path: file, bytes } = await fileOf(source, spool, folders)
  const folder = folders.use(await spool.folder(unpackedBytes(bytes)))
  const place = path.join(folder.path, 'packets')
  const input: UnpackInput = { file, container, place }
  const outcome = await unpacking({
    ...requester,
    module: unpackModule,
    input,
    timeoutMs: unpackMs(bytes),
    maxOutputBytes,
    files: [file],
    scratch: folder,
  })
  return { outcome, file: place }
}

const mediaOf = (codec: string): string =>
  ({ opus: 'audio/ogg', vorbis: 'audio/ogg', mp3: 'audio/mpeg', flac: 'audio/flac', aac: 'audio/aac' })[
    codec
  ] ?? 'audio/wav'

/** The bytes as a file, for processes that read them. */
export async function fileOf(
  source: RecordingSource,
  spool: RecordingTools['spool'],
  folders: AsyncDisposableStack,
): Promise<{ path: string; bytes: number }> {
  if (!(source instanceof Uint8Array)) return source
  return folders.use(await spool.write(chunksOf(source), { maxBytes: source.length }))
}
