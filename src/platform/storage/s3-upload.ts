/** Stores bytes of unknown length as a multipart upload: it is completed, or aborted. */
import { createHash } from 'node:crypto'
import { sha256InSlices } from '#platform/bytes'
import { TooLargeError } from '#platform/spool'
import { type Bucket, put, StoreFailed } from './s3-bucket.ts'
import { sha256Of } from './s3-client.ts'
import type { StoredBytes } from './storage.ts'

/** The bytes of a part. Stores accept parts of 5 MiB and more, and 10,000 of them: 80 GB. One part is in memory at a time. */
const partBytes = 8 * 1024 * 1024
/** Error codes of stores that do not list unfinished uploads, or not to this client; they abort them by a rule of their own. */
const notListed = new Set(['AccessDenied', 'NotImplemented', 'MethodNotAllowed'])

interface UploadPart {
  PartNumber: number
  ETag: string | undefined
}

/** Stores the source, which is read once, no faster than the store accepts it. If it fits into one part, a simple put stores it. */
export async function putParts(
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBytes> {
  const hash = createHash('sha256')
  const parts: UploadPart[] = []
  let uploadId: string | undefined
  let bytes = 0
  try {
    let full: Buffer | undefined
    for await (const piece of splitIntoParts(counted(source))) {
      if (full) {
        uploadId ??= await begin(bucket, key)
        parts.push(await putPart(bucket, { key, uploadId, number: parts.length + 1, bytes: full }))
      }
      full = piece
    }
    const last = full ?? Buffer.alloc(0)
    if (uploadId === undefined) await put(bucket, key, last)
    else {
      parts.push(await putPart(bucket, { key, uploadId, number: parts.length + 1, bytes: last }))
      await complete(bucket, { key, uploadId, parts, bytes })
    }
    return { bytes, sha256: hash.digest('hex') }
  } catch (error) {
    // If this fails too, the sweep of pending blobs aborts the upload.
    if (uploadId !== undefined) await abort(bucket, key, uploadId).catch(() => undefined)
    throw error
  }

  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TooLargeError(maxBytes)
      hash.update(chunk)
      yield chunk
    }
  }
}

/** Splits the source into parts of equal size; the last one holds the rest. */
async function* splitIntoParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + partBytes - size)
      gathered.push(taken)
      size += taken.length
      at += taken.length
      if (size < partBytes) continue
      yield Buffer.concat(gathered, size)
      gathered = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(gathered, size)
}

async function begin(bucket: Bucket, key: string): Promise<string> {
  const { UploadId } = await bucket.call(({ sdk, s3 }) =>
    s3.send(
      new sdk.CreateMultipartUploadCommand({
        Bucket: bucket.name,
        Key: key,
        ContentType: 'application/octet-stream',
      }),
    ),
  )
  if (UploadId === undefined) throw new Error('The store began an upload without naming it.')
  return UploadId
}

async function putPart(
  bucket: Bucket,
  { key, uploadId, number, bytes }: { key: string; uploadId: string; number: number; bytes: Buffer },
): Promise<UploadPart> {
  const sha256 = await sha256InSlices(bytes)
  const { ETag } = await bucket.call(({ sdk, s3 }) =>
    s3.send(
      new sdk.UploadPartCommand({
        Bucket: bucket.name,
        Key: key,
        UploadId: uploadId,
        PartNumber: number,
        Body: bytes,
        ContentLength: bytes.length,
        ...{ [sha256Of]: sha256 },
      }),
    ),
  )
  return { PartNumber: number, ETag }
}

async function complete(
  bucket: Bucket,
  { key, uploadId, parts, bytes }: { key: string; uploadId: string; parts: UploadPart[]; bytes: number },
): Promise<void> {
  try {
    await bucket.call(({ sdk, s3 }) =>
      s3.send(
        new sdk.CompleteMultipartUploadCommand({
          Bucket: bucket.name,
          Key: key,
          UploadId: uploadId,
          MultipartUpload: { Parts: parts },
        }),
      ),
    )
  } catch (error) {
    // An earlier attempt, whose answer was lost, may have completed the upload: then the object exists.
    if (!(error instanceof StoreFailed && error.code === 'NoSuchUpload')) throw error
    const found = await bucket.call(({ sdk, s3 }) =>
      s3.send(new sdk.HeadObjectCommand({ Bucket: bucket.name, Key: key })),
    )
    if (found.ContentLength !== bytes) throw error
  }
}

const abort = (bucket: Bucket, key: string, uploadId: string): Promise<unknown> =>
  bucket.call(({ sdk, s3 }) =>
    s3.send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket.name, Key: key, UploadId: uploadId })),
  )

/** Aborts every unfinished upload of exactly this key: MinIO lists them by full key only. */
export async function endUploads(bucket: Bucket, key: string): Promise<void> {
  try {
    const { Uploads = [] } = await bucket.call(({ sdk, s3 }) =>
      s3.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: key })),
    )
    for (const { Key, UploadId } of Uploads)
      if (Key === key && UploadId !== undefined) await abort(bucket, key, UploadId)
  } catch (error) {
    if (!(error instanceof StoreFailed && (notListed.has(error.code ?? '') || error.code === 'NoSuchUpload')))
      throw error
  }
}
