/** Refusals as common storage clients read them. */
import { errorBody, type FailureCode } from '#platform/errors'
import type { AppArea } from '../area.ts'

interface StorageErrorCodes {
  /** The code by which the newest clients tell cases apart. */
  code: string
  /** The text by which older clients do. */
  error: string
}

const storageErrors: Partial<Record<FailureCode, StorageErrorCodes>> = {
  BUCKET_NOT_FOUND: { code: 'NoSuchBucket', error: 'Bucket not found' },
  BUCKET_EXISTS: { code: 'ResourceAlreadyExists', error: 'Duplicate' },
  BUCKET_NOT_EMPTY: { code: 'InvalidRequest', error: 'InvalidRequest' },
  BUCKET_INVALID: { code: 'InvalidRequest', error: 'invalid_request' },
  OBJECT_NOT_FOUND: { code: 'NoSuchKey', error: 'not_found' },
  OBJECT_EXISTS: { code: 'KeyAlreadyExists', error: 'Duplicate' },
  OBJECT_DENIED: { code: 'AccessDenied', error: 'Unauthorized' },
  OBJECT_NAME_INVALID: { code: 'InvalidKey', error: 'InvalidKey' },
  OBJECT_TOO_LARGE: { code: 'EntityTooLarge', error: 'Payload too large' },
  OBJECT_TYPE_REFUSED: { code: 'InvalidMimeType', error: 'invalid_mime_type' },
  OBJECT_LINK_INVALID: { code: 'InvalidSignature', error: 'InvalidSignature' },
}

/** Clients expect 400 whatever has happened, and the true status as `statusCode`; clients of uploads in parts (TUS) expect the true one. */
export const storageFailureReply: AppArea['failureReply'] = (failure, { headers, language, requestId }) => {
  const { message, code: ours } = errorBody(failure, requestId, language).error
  const isTheirs = failure.status < 500 && failure.status !== 429 && headers['tus-resumable'] === undefined
  const { code, error } = storageErrors[failure.code] ?? { code: ours, error: ours }
  const body = { statusCode: String(failure.status), code, error, message }
  const offset = (failure.detail as { offset?: number }).offset
  return {
    status: isTheirs ? 400 : failure.status,
    headers: {
      ...(headers['tus-resumable'] !== undefined && { 'tus-resumable': '1.0.0' }),
      ...(failure.code === 'UPLOAD_OFFSET_WRONG' && { 'upload-offset': String(offset) }),
    },
    body,
  }
}
