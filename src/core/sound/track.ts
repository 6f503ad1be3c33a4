import path from 'node:path'
import type { ConfinedResult, Requester } from '#platform/confined'
import type { Container, UnpackedSound } from './container/unpack.ts'
import { SoundError } from './fault.ts'
import type { RecordingSource } from './recording.ts'
import type { RecordingTools } from './recordings.ts'
import { bytesOf, chunksOf, recognise } from './source.ts'
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
  part: SoundPart
  unpacked: UnpackedSound | undefined
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
  const { container, media, isVorbis } = await recognise(source)
  if (container) return unpackTrack(workshop, { source, container }, requester, folders)
  if (media === undefined) throw new SoundError(bytesOf(source) === 0 ? 'empty' : 'unrecognised')
  return {
    file: source,
    media,
    mediaType: media,
    isUncountable: isVorbis || media === 'audio/flac',
    part: { skipSeconds: 0, discardSeconds: 0 },
    unpacked: undefined,
  }
}

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
  const { codec, packets } = answer
  return {
    file: packets === undefined ? { path: file!, bytes: answer.bytes } : Buffer.from(packets, 'base64'),
    media: mediaOf(codec),
    mediaType: `${answer.hasVideo ? 'video' : 'audio'}/${kind}`,
    isUncountable: codec === 'vorbis' || codec === 'flac',
    part: answer,
    unpacked: answer,
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
