import { declareFailures, Failure } from '#platform/errors'
import { type DiskName, diskNames } from './phrases.ts'

declare module '#platform/errors' {
  interface Failures {
    STORAGE_FULL: { disk: Localized }
    STORAGE_UNWRITABLE: { disk: Localized }
  }
}

declareFailures({
  STORAGE_FULL: {
    status: 503,
    en: ({ disk }) =>
      `${disk.en} of this server is full; send the request again once there is room, and tell the operator of this service.`,
    fa: ({ disk }) =>
      `${disk.fa} این سرور پر است؛ هنگامی که جا باز شد دوباره بفرستید و به گردانندهٔ سرویس خبر دهید.`,
  },
  STORAGE_UNWRITABLE: {
    status: 503,
    en: ({ disk }) =>
      `${disk.en} of this server cannot be written; send the request again later, and tell the operator of this service, whose log says why.`,
    fa: ({ disk }) =>
      `در ${disk.fa} این سرور نمی‌توان نوشت؛ بعداً دوباره بفرستید و به گردانندهٔ سرویس خبر دهید. علت در گزارش او آمده است.`,
  },
})

/** When a request that found no room may be repeated: until then somebody has to make room. */
const retryAfterMs = 30_000

/** The failure STORAGE_FULL for this disk, which programs find in `details.disk`. */
export const fullDiskFailure = (disk: DiskName, cause?: unknown): Failure =>
  failureOf('STORAGE_FULL', disk, cause)

/** The failure STORAGE_UNWRITABLE, for a cause that is not an error of the file system. */
export const unwritableDiskFailure = (disk: DiskName): Failure =>
  failureOf('STORAGE_UNWRITABLE', disk, undefined)

const failureOf = (code: 'STORAGE_FULL' | 'STORAGE_UNWRITABLE', disk: DiskName, cause: unknown): Failure =>
  new Failure(code, { disk: diskNames[disk] }, { retryAfterMs, details: { disk: disk }, cause })

const full = new Set<string | undefined>(['ENOSPC', 'EDQUOT'])
/** Codes of a disk that is mounted read-only, broken or gone. */
const broken = new Set<string | undefined>(['EROFS', 'EIO', 'ESTALE'])
/** Codes of a folder that this user may not write to. */
const closed = new Set<string | undefined>(['EACCES', 'EPERM'])

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** Whether a file system refused to write because it is full. */
export const isDiskFullError = (error: unknown): boolean => full.has(codeOf(error))

/**
 * Turns the refusal of a file system into a failure, because as 500 it would look like a defect of the program; returns every other error as it is.
 */
export function diskFailure(error: unknown, disk: DiskName): unknown {
  if (error instanceof Failure) return error
  if (isDiskFullError(error)) return fullDiskFailure(disk, error)
  return broken.has(codeOf(error)) ? failureOf('STORAGE_UNWRITABLE', disk, error) : error
}

/** Works like `diskFailure`, for writing into a folder of ours; there a missing right is a failure too, which the operator can fix. */
export const writeFailure = (error: unknown, disk: DiskName): unknown =>
  !(error instanceof Failure) && closed.has(codeOf(error))
    ? failureOf('STORAGE_UNWRITABLE', disk, error)
    : diskFailure(error, disk)
