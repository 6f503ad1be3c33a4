/** Uploads in parts as TUS 1.0.0 defines them. */
import {
  addPart,
  beginUpload,
  bucketName,
  endUpload,
  findUpload,
  largestObjectBytes,
  type ObjectCaller,
  objectName,
  readLink,
  serviceCaller,
  type Upload,
} from '#cloud/buckets'
import { Failure, fail } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { objectCaller, withObjectContext } from './asking.ts'
import { storageFailureReply } from './refused.ts'
import { propertiesOf, seconds } from './store.ts'

const version = '1.0.0'
const partType = 'application/offset+octet-stream'
const tusHeaders = {
  'tus-resumable': version,
  'tus-version': version,
  'tus-extension': 'creation,creation-with-upload,termination,expiration',
  'tus-max-size': String(largestObjectBytes),
}

export const describeUploads = (): AppReply => ({ status: 204, headers: tusHeaders })

const failHeader = (header: string): never => fail('UPLOAD_HEADER_INVALID', { header }, { param: header })

/** Answers a client of another version with the supported one. */
function versionMismatch(call: AppCall): AppReply | undefined {
  if (call.headers['tus-resumable'] === version) return undefined
  const failure = new Failure('UPLOAD_HEADER_INVALID', { header: 'Tus-Resumable' }, {})
  return { status: 412, headers: { 'tus-version': version }, body: storageFailureReply(failure, call).body }
}

/** Throws UPLOAD_HEADER_INVALID. */
function numberIn({ headers }: AppCall, name: 'upload-length' | 'upload-offset'): number {
  const text = String(headers[name] ?? '')
  return /^\d{1,15}$/.test(text) ? Number(text) : failHeader(name)
}

/** Reads `name base64,name base64`. Throws UPLOAD_HEADER_INVALID. */
function metadataIn({ headers }: AppCall): Map<string, string> {
  const found = new Map<string, string>()
  for (const pair of String(headers['upload-metadata'] ?? '').split(',')) {
    const [name = '', value = '', ...more] = pair.trim().split(' ')
    if (
      !/^[\x21-\x7e]{1,100}$/.test(name) ||
      !/^[\w+/=-]*$/.test(value) ||
      more.length > 0 ||
      found.has(name)
    )
      return failHeader('upload-metadata')
    found.set(name, Buffer.from(value, 'base64').toString('utf8'))
  }
  return found
}

const placeOf = (metadata: ReadonlyMap<string, string>) => ({
  bucket: bucketName(metadata.get('bucketName') ?? ''),
  name: objectName((metadata.get('objectName') ?? '').replace(/^\/+/, '')),
})

export async function createUpload(call: AppCall): Promise<AppReply> {
  const { headers } = call
  return (
    versionMismatch(call) ??
    createUploadAs(call, { caller: objectCaller(call), upsert: headers['x-upsert'] === 'true' })
  )
}

/** The policies were checked when the link was made. */
export async function createUploadByLink(call: AppCall): Promise<AppReply> {
  const other = versionMismatch(call)
  if (other) return other
  const link = await linkOf(call, placeOf(metadataIn(call)))
  return createUploadAs(call, {
    caller: { ...serviceCaller, userId: link.owner },
    upsert: link.upsert ?? false,
  })
}

const linkOf = ({ app, cloud, headers }: AppCall, place: { bucket: string; name: string }) =>
  readLink(app, cloud, String(headers['x-signature'] ?? ''), { ...place, to: 'upload' })

async function createUploadAs(
  call: AppCall,
  { caller, upsert }: { caller: ObjectCaller; upsert: boolean },
): Promise<AppReply> {
  const bytes = numberIn(call, 'upload-length')
  const metadata = metadataIn(call)
  const properties = propertiesOf({
    type: metadata.get('contentType') || 'application/octet-stream',
    cacheControl: seconds(metadata.get('cacheControl')),
    metadata: metadata.get('metadata'),
  })
  const object = { ...placeOf(metadata), upsert, properties }
  const begun = await withObjectContext(call, (context) => beginUpload(context, object, bytes), caller)
  const upload =
    call.headers['content-type'] === partType ? await receivePart(call, begun, { caller, offset: 0 }) : begun
  const where = `${call.baseUrl}/storage/v1${call.path.replace(/\/$/, '')}/${upload.upload_id}`
  return { status: 201, headers: { ...progressOf(upload), location: where } }
}

const progressOf = (upload: Upload): Record<string, string> => ({
  'tus-resumable': version,
  'upload-offset': String(upload.offset_bytes),
  'upload-expires': upload.expires_at.toUTCString(),
})

/** Returns an upload of the caller; others are reported as missing. Throws UPLOAD_NOT_FOUND. */
async function requireOwnUpload(
  call: AppCall,
  uploadId: string,
): Promise<{ upload: Upload; caller: ObjectCaller }> {
  const upload = (await findUpload(call.app.buckets, call.cloud, uploadId)) ?? fail('UPLOAD_NOT_FOUND', {})
  if (call.path.startsWith('/upload/resumable/sign/')) {
    const link = await linkOf(call, { bucket: upload.bucket_id, name: upload.name })
    const isTheirs = upload.role === serviceCaller.role && upload.user_id === (link.owner ?? null)
    return isTheirs
      ? { upload, caller: { ...serviceCaller, userId: link.owner } }
      : fail('UPLOAD_NOT_FOUND', {})
  }
  const caller = objectCaller(call)
  const isTheirs = upload.role === caller.role && upload.user_id === (caller.userId ?? null)
  return isTheirs ? { upload, caller } : fail('UPLOAD_NOT_FOUND', {})
}

export async function showProgress(call: AppCall, uploadId: string): Promise<AppReply> {
  const other = versionMismatch(call)
  if (other) return other
  const { upload } = await requireOwnUpload(call, uploadId)
  return { status: 200, headers: { ...progressOf(upload), 'upload-length': String(upload.bytes) } }
}

export async function continueUpload(call: AppCall, uploadId: string): Promise<AppReply> {
  const other = versionMismatch(call)
  if (other) return other
  const { upload, caller } = await requireOwnUpload(call, uploadId)
  if (call.headers['content-type'] !== partType) failHeader('content-type')
  const offset = numberIn(call, 'upload-offset')
  return { status: 204, headers: progressOf(await receivePart(call, upload, { caller, offset })) }
}

/** Receives a part, however slowly it comes: the database of the cloud is woken for the last part alone. */
const receivePart = (
  call: AppCall,
  upload: Upload,
  { caller, offset }: { caller: ObjectCaller; offset: number },
): Promise<Upload> =>
  addPart(call.app.buckets, upload, { offset, source: call.stream() }, (work) =>
    withObjectContext(call, work, caller),
  )

export async function cancelUpload(call: AppCall, uploadId: string): Promise<AppReply> {
  const other = versionMismatch(call)
  if (other) return other
  const { upload, caller } = await requireOwnUpload(call, uploadId)
  await withObjectContext(call, (context) => endUpload(context, upload), caller)
  return { status: 204, headers: { 'tus-resumable': version } }
}
