import { acceptOnce } from '#core/calls'
import { commitFile, dropBytes, stageFile } from '#core/files'
import { isAnyType, mediaTypeOf } from '#core/media'
import { type RecordingSource, SoundError } from '#core/sound'
import { decodeBase64InSlices, freeBytes } from '#platform/bytes'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext, Upload } from '#platform/http'
import { type ByteSource, sourceOf } from '#platform/storage'
import type { FileRoutesApp } from './app.ts'
import type { FileHints } from './data-kind.ts'
import { isPlainText, kindOf, maxMediaBytes, mediaTypes } from './kind.ts'
import { reasons } from './phrases.ts'
import { type Probe, probeBytes, probeFile } from './probe.ts'
import { toStoredFile } from './read.ts'
import { maxNameCharacters, type UploadBody, type UploadForm } from './schema.ts'

type UploadContext = RequestContext<FileRoutesApp, UploadBody, unknown, unknown, UploadForm>

/** Stores a file of the project, from JSON or from a form. */
export async function upload(context: UploadContext): Promise<JsonText> {
  const { app, caller } = context
  const { bytes, mediaType, name, fields } = context.upload
    ? await fileInForm(context, context.upload)
    : await fileInJson(context)
  const { accountId, projectId, keyId } = caller
  const { purpose, expires_after: expiry } = fields
  const expiresAfterMs = expiry && expiry.seconds * 1_000
  const file = {
    accountId,
    projectId,
    keyId,
    bytes,
    mediaType,
    source: 'upload',
    name,
    purpose,
    expiresAfterMs,
  }
  const staged = await stageFile(app, file)
  if (bytes instanceof Uint8Array) freeBytes(bytes)
  const { created_at: now, file_id: fileId } = staged.row
  const dropStaged = () => dropBytes(app, accountId, fileId)
  return acceptOnce(
    context,
    { endpoint: '/v1/files', statusCode: 201, now, undo: dropStaged },
    async (tx) => {
      await commitFile(tx, staged)
      return toStoredFile(staged.row)
    },
  )
}

interface UploadedFile {
  bytes: Uint8Array | ByteSource
  mediaType: string
  name: string | undefined
  /** What was sent beside the file. */
  fields: UploadForm
}

async function fileInJson(context: UploadContext): Promise<UploadedFile> {
  const { data, name } = context.body
  const claimed = declaredType(context.body)
  const bytes = await decodeBase64InSlices(data)
  if (!bytes) return fail('INVALID_REQUEST', { why: reasons.notBase64 }, { param: 'data' })
  if (bytes.length > maxMediaBytes)
    fail('INVALID_REQUEST', { why: reasons.tooLarge(maxMediaBytes) }, { param: 'data' })
  const detected = { probe: probeBytes(bytes), source: bytes, param: 'data' }
  const mediaType = await detectKind(context, detected, { names: [name], claimed })
  requireDeclaredType(claimed, mediaType)
  return { bytes, mediaType, name, fields: context.body }
}

/** The file of a form. A browser guesses a part's type by the name: this type may tell texts apart, and is no reason to refuse. */
async function fileInForm(
  context: UploadContext,
  { fields, files }: Upload<UploadForm>,
): Promise<UploadedFile> {
  const file = files[0]!
  const claimed = declaredType(fields)
  const name = fields.name ?? cleanName(file.name)
  const hints = { names: [fields.name, file.name], claimed, partType: file.mediaType }
  const mediaType = await detectKind(context, { probe: probeFile(file), source: file, param: 'file' }, hints)
  requireDeclaredType(claimed, mediaType)
  return { bytes: sourceOf(file), mediaType, name, fields }
}

interface FileToDetect {
  probe: Probe
  source: RecordingSource
  param: string
}

async function detectKind(
  context: UploadContext,
  { probe, source, param }: FileToDetect,
  hints: FileHints,
): Promise<string> {
  if (probe.bytes === 0) fail('INVALID_REQUEST', { why: reasons.empty }, { param })
  const kind = await kindOf(probe, hints, () => typeByTracks(context, source))
  if (!kind) return fail('INVALID_REQUEST', { why: reasons.otherType(mediaTypes) }, { param })
  if (probe.bytes > kind.maxBytes)
    fail('INVALID_REQUEST', { why: reasons.tooLarge(kind.maxBytes) }, { param })
  return kind.mediaType
}

/** The media type of a recording that can be measured and has no pictures. Throws TOO_MUCH_IN_FLIGHT. */
async function typeByTracks(
  { app, caller, gone }: UploadContext,
  source: RecordingSource,
): Promise<string | undefined> {
  try {
    const requester = { accountId: caller.accountId, signal: gone }
    await using recording = await app.recordings.open(source, requester, { maxSeconds: maxRecordedSeconds })
    const { hasVideo, mediaType } = recording.measured
    return hasVideo ? undefined : mediaType
  } catch (error) {
    if (!(error instanceof SoundError)) throw error
    return error.fault === 'busy' ? fail('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs }) : undefined
  }
}

/** The longest recording that is stored; longer ones are not transcribed either. */
const maxRecordedSeconds = 24 * 60 * 60
/** The pause before a retry, in which another recording is measured. */
const retryAfterMs = 2_000

/** The type that the sender wrote down, unless it says nothing. */
const declaredType = ({ media_type: type }: UploadForm): string | undefined =>
  type !== undefined && isAnyType(type) ? undefined : type

/** The bytes decide, whatever is declared; plain texts look alike, and may be another one than their name says. */
function requireDeclaredType(claimed: string | undefined, mediaType: string): void {
  if (claimed !== undefined && isPlainText(mediaType) && mediaTypeOf(claimed) !== mediaType)
    fail('INVALID_REQUEST', { why: reasons.notAsNamed(mediaType) }, { param: 'media_type' })
}

/** Cleans the file name of a form, which is not typed by hand and is therefore shortened rather than refused. */
function cleanName(name: string | undefined): string | undefined {
  const plain = name?.toWellFormed().replaceAll(/[\p{Cc}/\\]/gu, '')
  return plain ? [...plain].slice(-maxNameCharacters).join('') : undefined
}
