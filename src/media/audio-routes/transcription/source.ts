/** Opens the recording of a request: a form's file on the disk, Base64 in JSON, or a stored file. */

import { openStored } from '#core/files'
import { needsFfmpeg, type Recording, type RecordingSource, SoundError } from '#core/sound'
import { reasons as mediaReasons } from '#core/text'
import type { OpenedRecording } from '#media/transcription'
import { decodeBase64InSlices } from '#platform/bytes'
import { fail, type Localized } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { SpoolFile } from '#platform/spool'
import type { AudioRoutesApp } from '../app.ts'
import { reasons } from './phrases.ts'
import type { TranscriptionBody, TranscriptionForm } from './schema.ts'

/** The longest recording, in seconds: four hours. */
export const maxSeconds = 14_400
/** The largest stored recording, in bytes. */
const maxStoredBytes = 200 * 1024 * 1024
/** The wait suggested to the caller while other recordings are being read. */
const retryAfterMs = 2_000

export type TranscriptionContext = RequestContext<
  AudioRoutesApp,
  TranscriptionBody,
  unknown,
  unknown,
  TranscriptionForm
>

/** An opened recording; closing it deletes the files that were written for it. */
export type OpenedSource = OpenedRecording & AsyncDisposable

/** The one recording of a request, with the field that holds it. */
export interface RecordingField {
  kind: 'file' | 'audioBase64' | 'input_audio' | 'file_id'
  param: string
}

/** The recording of the request. Throws INVALID_REQUEST where there is none, or more than one. */
export function recordingFieldOf({ body, upload }: TranscriptionContext): RecordingField {
  const { file_id: fileId } = upload ? upload.fields : body
  const found: RecordingField[] = [
    ...(upload?.files.length ? [{ kind: 'file', param: 'file' } as const] : []),
    ...(body?.audioBase64 != null ? [{ kind: 'audioBase64', param: 'audioBase64' } as const] : []),
    ...(body?.input_audio != null ? [{ kind: 'input_audio', param: 'input_audio.data' } as const] : []),
    ...(fileId != null ? [{ kind: 'file_id', param: 'file_id' } as const] : []),
  ]
  const [first, second] = found
  if (!first)
    return fail('INVALID_REQUEST', { why: reasons.noSource }, { param: upload ? 'file' : 'audioBase64' })
  if (second) fail('INVALID_REQUEST', { why: reasons.twoSources }, { param: second.kind })
  return first
}

/** Opens and measures the recording. Throws INVALID_MEDIA, FILE_NOT_FOUND, SPOOL_FULL and TOO_MUCH_IN_FLIGHT; then nothing is left open. */
export async function openSource(
  context: TranscriptionContext,
  { kind, param }: RecordingField,
): Promise<OpenedSource> {
  await using open = new AsyncDisposableStack()
  const source = await bytesOf(context, { kind, param }, open)
  const recording = open.use(await openedRecording(context, source, param))
  const { hasVideo, mediaType } = recording.measured
  if (kind === 'audioBase64' && hasVideo) refuse(reasons.film(mediaType), param)
  const kept = open.move()
  return { source, recording, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The bytes of the recording, in memory or on this machine's disk. */
async function bytesOf(
  context: TranscriptionContext,
  { kind, param }: RecordingField,
  open: AsyncDisposableStack,
): Promise<RecordingSource> {
  const { body, upload } = context
  if (kind === 'file') {
    const { path, bytes } = upload!.files[0]!
    return bytes > 0 ? { path, bytes } : refuse(reasons.nothing, param)
  }
  if (kind === 'file_id') {
    const copy = open.use(await copyStoredFile(context, (upload ? upload.fields.file_id : body.file_id)!))
    return { path: copy.path, bytes: copy.bytes }
  }
  const bytes = await decodeBase64InSlices(body.input_audio?.data ?? body.audioBase64!)
  return bytes && bytes.length > 0 ? bytes : refuse(mediaReasons.notBase64, param)
}

/** Copies a stored file to this machine's disk, since the store may be elsewhere, and the file may be deleted meanwhile. */
async function copyStoredFile({ app, caller }: TranscriptionContext, fileId: string): Promise<SpoolFile> {
  const stored = await openStored(app.files, caller, fileId)
  if (!stored) return fail('FILE_NOT_FOUND', {}, { param: 'file_id' })
  try {
    if (stored.bytes > maxStoredBytes) return refuse(reasons.largeFile(maxStoredBytes), 'file_id')
    return await app.spool.write(stored.content, { maxBytes: maxStoredBytes })
  } finally {
    stored.content.destroy()
  }
}

/** Opens the recording; bytes that are not a recording are refused with the name of their field. */
function openedRecording(
  { app, caller, gone }: TranscriptionContext,
  source: RecordingSource,
  param: string,
): Promise<Recording> {
  const requester = { accountId: caller.accountId, signal: gone }
  return readOrRefuse(param, () => app.recordings.open(source, requester, { maxSeconds }))
}

/** Returns what `read` returns. Throws INVALID_MEDIA for sound that cannot be read, and TOO_MUCH_IN_FLIGHT where too many others wait. */
export async function readOrRefuse<Read>(param: string, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof SoundError)) throw error
    if (error.fault === 'busy') return fail('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs })
    return refuse(refusalReason(error), param)
  }
}

const refuse = (why: Localized, param: string): never => fail('INVALID_MEDIA', { why }, { param })

function refusalReason({ fault, codec, mediaType }: SoundError): Localized {
  if (fault === 'too_long') return reasons.longRecording(maxSeconds)
  if (fault === 'no_track') return reasons.noSound
  if (fault === 'unsupported' && codec)
    return needsFfmpeg(codec) ? reasons.noDecoder(mediaType, codec) : reasons.unreadCodec(mediaType, codec)
  if (fault === 'empty') return reasons.empty
  // Pictures and texts are recognised too; they are not broken recordings.
  if (fault === 'unrecognised' || (mediaType && !/^(audio|video)\//.test(mediaType)))
    return reasons.noRecording(mediaType)
  return reasons.unreadable(mediaType)
}
