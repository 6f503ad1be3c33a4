import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    FILES_QUOTA_EXCEEDED: { quotaBytes: number; maxFiles: number }
    RESULT_NOT_STORED: Record<string, never>
  }
}

const megabytes = (bytes: number): number => Math.floor(bytes / (1024 * 1024))

declareFailures({
  FILES_QUOTA_EXCEEDED: {
    status: 403,
    retry: false,
    en: ({ quotaBytes, maxFiles }) =>
      `A project stores at most ${megabytes(quotaBytes)} MB in ${maxFiles} files of this sort; delete some (DELETE /v1/files/{id}), or ask the operator of this service for more.`,
    fa: ({ quotaBytes, maxFiles }) =>
      `هر پروژه حداکثر ${persian(megabytes(quotaBytes))} مگابایت در ${persian(maxFiles)} فایل از این نوع نگه می‌دارد؛ چند فایل را پاک کنید (DELETE /v1/files/{id}) یا از گردانندهٔ سرویس سهم بیشتری بخواهید.`,
  },
  RESULT_NOT_STORED: {
    status: 503,
    retry: false,
    en: () =>
      'The result was made but could not be stored, so it is not charged and is lost. Tell the operator of this service; their log says why.',
    fa: () =>
      'نتیجه ساخته شد اما ذخیره نشد؛ پس هزینه‌ای ندارد و از دست رفت. به گردانندهٔ سرویس خبر دهید؛ علت در گزارش او آمده است.',
  },
})
