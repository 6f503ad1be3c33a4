import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { Egress } from '#platform/proxy'
import { type Bucket, openBucket, put, StoreFailed } from './s3-bucket.ts'
import { endUploads, putParts } from './s3-upload.ts'
import type { S3Config } from './settings.ts'
import { isKey, type Storage } from './storage.ts'

const deletesAtOnce = 8

/**
 * A bucket of any S3-compatible store. Uploads are signed with their SHA-256, so that the store itself refuses damaged bytes; every call
 * here is safe to repeat, and is repeated if the store or the connection failed.
 */
export function openS3(config: S3Config, egress: (url: string) => Egress): Storage {
  const bucket = openBucket(config, egress)
  return {
    // A bucket does not report its free space.
    requireRoom() {},
    put: async (key, bytes, options) => put(bucket, validKey(key), bytes, options),
    putStream: async (key, source, options) => put(bucket, validKey(key), source, options),
    putUnsized: async (key, source, maxBytes) => putParts(bucket, validKey(key), source, maxBytes),
    get: async (key, range) => get(bucket, validKey(key), range),
    async delete(keys) {
      for (let at = 0; at < keys.length; at += deletesAtOnce)
        await Promise.all(keys.slice(at, at + deletesAtOnce).map((key) => remove(bucket, validKey(key))))
    },
    async endUploads(keys) {
      for (const key of keys) await endUploads(bucket, validKey(key))
    },
    async [Symbol.asyncDispose]() {
      await bucket[Symbol.asyncDispose]()
    },
  }
}

function validKey(key: string): string {
  assert(isKey(key), 'a key of the storage is made of plain segments')
  return key
}

async function get(
  bucket: Bucket,
  key: string,
  range?: { start: number; end: number },
): Promise<Readable | undefined> {
  try {
    const { Body } = await bucket.call(({ sdk, s3 }) =>
      s3.send(
        new sdk.GetObjectCommand({
          Bucket: bucket.name,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      ),
    )
    return Body as Readable
  } catch (error) {
    if (!(error instanceof StoreFailed)) throw error
    if (error.status === 416) return Readable.from([])
    if (error.status === 404 && error.code !== 'NoSuchBucket') return undefined
    throw error
  }
}

async function remove(bucket: Bucket, key: string): Promise<void> {
  try {
    await bucket.call(({ sdk, s3 }) =>
      s3.send(new sdk.DeleteObjectCommand({ Bucket: bucket.name, Key: key })),
    )
  } catch (error) {
    if (!(error instanceof StoreFailed && error.status === 404)) throw error
  }
}
