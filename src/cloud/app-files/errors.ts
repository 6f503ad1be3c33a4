import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    APP_FILE_NOT_FOUND: Record<string, never>
    APP_FILE_TOO_LARGE: { maxBytes: number }
    APP_FILES_FULL: { maxFiles: number; maxBytes: number }
  }
}

declareFailures({
  APP_FILE_NOT_FOUND: {
    status: 404,
    en: () => 'This user has no such file; GET /files lists those there are.',
    fa: () => 'این کاربر چنین فایلی ندارد؛ GET /files آن‌ها را که هستند نشان می‌دهد.',
  },
  APP_FILE_TOO_LARGE: {
    status: 413,
    retry: false,
    en: ({ maxBytes }) => `A private file has at most ${maxBytes} bytes; send a smaller one.`,
    fa: ({ maxBytes }) => `هر فایل خصوصی حداکثر ${persian(maxBytes)} بایت است؛ فایل کوچک‌تری بفرستید.`,
  },
  APP_FILES_FULL: {
    status: 403,
    retry: false,
    en: ({ maxFiles, maxBytes }) =>
      `All users of this app together keep at most ${maxFiles} private files of ${maxBytes} bytes in all; delete some first.`,
    fa: ({ maxFiles, maxBytes }) =>
      `همهٔ کاربران این برنامه روی هم حداکثر ${persian(maxFiles)} فایل خصوصی و ${persian(maxBytes)} بایت نگه می‌دارند؛ نخست چند فایل را پاک کنید.`,
  },
})
