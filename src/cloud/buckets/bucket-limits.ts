/** The limits of a bucket: the size of an object, and its types. */
import { mediaTypeOf } from '#core/media'
import { fail } from '#platform/errors'
import type { BucketRow } from './bucket-store.ts'
import './errors.ts'
import { bucketReasons } from './phrases.ts'

/** The largest object of the contract. */
export const largestObjectBytes = 52_428_800
const maxTypesLength = 100
const typePattern = /^(?:\*\/\*|[\w!#$&^.+-]{1,100}\/(?:\*|[\w!#$&^.+-]{1,100}))$/

const units: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** Returns the limit in bytes; null stands for the largest. Throws BUCKET_INVALID. */
export function sizeLimit(stated: unknown): number | null {
  if (stated === null) return null
  const [, number = '', unit = 'b'] = /^(\d{1,12})\s*(b|kb|mb|gb)?$/i.exec(String(stated).trim()) ?? []
  const bytes = number === '' ? Number.NaN : Number(number) * units[unit.toLowerCase()]!
  if (!(bytes >= 1 && bytes <= largestObjectBytes))
    fail('BUCKET_INVALID', { why: bucketReasons.limit(largestObjectBytes) }, { param: 'file_size_limit' })
  return bytes
}

/** Returns the allowed types; null stands for all. Throws BUCKET_INVALID. */
export function mediaTypes(stated: unknown): string[] | null {
  if (stated === null) return null
  const isFine =
    Array.isArray(stated) &&
    stated.length <= maxTypesLength &&
    stated.every((one) => typeof one === 'string' && typePattern.test(one))
  if (!isFine)
    fail('BUCKET_INVALID', { why: bucketReasons.types(maxTypesLength) }, { param: 'allowed_mime_types' })
  return stated.length === 0 ? null : stated
}

/** Returns the most bytes that one object of the bucket may have. */
export const limitOf = ({ file_size_limit: limit }: BucketRow): number =>
  limit === null ? largestObjectBytes : Math.min(Number(limit), largestObjectBytes)

/** Throws OBJECT_TOO_LARGE and OBJECT_TYPE_REFUSED. */
export function requireFits(
  bucket: BucketRow,
  { bytes, contentType }: { bytes?: number | undefined; contentType?: string | undefined },
): void {
  const maxBytes = limitOf(bucket)
  if (bytes !== undefined && bytes > maxBytes) fail('OBJECT_TOO_LARGE', { maxBytes })
  const types = bucket.allowed_mime_types
  if (contentType === undefined || types === null || types.length === 0) return
  const given = mediaTypeOf(contentType)
  const isAllowed = types.some((type) => {
    const allowed = mediaTypeOf(type)
    return (
      allowed === given ||
      allowed === '*/*' ||
      (allowed.endsWith('/*') && given.startsWith(allowed.slice(0, -1)))
    )
  })
  if (!isAllowed) fail('OBJECT_TYPE_REFUSED', { given })
}
