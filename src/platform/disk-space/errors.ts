import { declareFailures, Failure } from '#platform/errors'
import { type DiskName, diskNames } from './phrases.ts'

declare module '#platform/errors' {
  interface Failures {
    STORAGE_FULL: { of: DiskName }
    STORAGE_UNWRITABLE: { of: DiskName }
  }
}

declareFailures({
  STORAGE_FULL: {
    status: 503,
    en: ({ of }) =>
      `${diskNames[of].en} of this server is full; send the request again once there is room, and tell the operator of this service.`,
    fa: ({ of }) =>
      `${diskNames[of].fa} این سرور پر است؛ هنگامی که جا باز شد دوباره بفرستید و به گردانندهٔ سرویس خبر دهید.`,
  },
  STORAGE_UNWRITABLE: {
    status: 503,
    en: ({ of }) =>
      `${diskNames[of].en} of this server cannot be written, so that nothing was stored; send the request again later, and tell the operator of this service, whose log says why.`,
    fa: ({ of }) =>
      `در ${diskNames[of].fa} این سرور نمی‌توان نوشت و چیزی ذخیره نشد؛ بعداً دوباره بفرستید و به گردانندهٔ سرویس خبر دهید. علت در گزارش او آمده است.`,
  },
})

/** For whoever made a request that found no room. */
export const retryAfterMs = 30_000

const full = new Set<string | undefined>(['ENOSPC', 'EDQUOT'])
/** A disk that is mounted to be read only, that is broken, or that lets this user write no more. */
const unwritable = new Set<string | undefined>(['EROFS', 'EIO', 'EACCES', 'EPERM', 'ESTALE', 'ENXIO'])

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** Whether a file system refused to write since it is full. */
export const isFullDisk = (error: unknown): boolean => full.has(codeOf(error))

/** Whether a file system refused to write for another reason that an operator has to remove. */
export const isUnwritable = (error: unknown): boolean => unwritable.has(codeOf(error))

/** The refusal of a file system as a failure of ours, which 500 would take for a defect of the program; every other error as it is. */
export function writeFailure(error: unknown, of: DiskName): unknown {
  if (error instanceof Failure) return error
  if (isFullDisk(error)) return new Failure('STORAGE_FULL', { of }, { retryAfterMs, cause: error })
  if (isUnwritable(error)) return new Failure('STORAGE_UNWRITABLE', { of }, { retryAfterMs, cause: error })
  return error
}
