import { declareFailures } from '#platform/errors'
import { persianDigits } from '#platform/words'
import type { SourcePosition } from './compile/source-map.ts'

declare module '#platform/errors' {
  interface Failures {
    FUNCTION_CODE_INVALID: { why: Localized } & Partial<SourcePosition>
    FUNCTIONS_BUSY: Record<string, never>
    FUNCTION_LIMIT: { max: number }
    FUNCTION_VERSION_NOT_FOUND: { version: number }
    FUNCTION_VERSION_LIVE: { version: number }
    FUNCTION_NOTHING_BEFORE: Record<string, never>
    FUNCTION_SECRET_LIMIT: { max: number }
    FUNCTION_SECRET_NOT_FOUND: Record<string, never>
    FUNCTION_SESSION_REQUIRED: Record<string, never>
  }
}

declareFailures({
  FUNCTION_CODE_INVALID: {
    status: 400,
    en: ({ why, line, column }) =>
      line !== undefined && column !== undefined
        ? `The code was not accepted. Line ${line}, column ${column}: ${why.en}`
        : `The code was not accepted: ${why.en}`,
    fa: ({ why, line, column }) =>
      line !== undefined && column !== undefined
        ? `کد پذیرفته نشد. خط ${persianDigits(line)}، ستون ${persianDigits(column)}: ${why.fa}`
        : `کد پذیرفته نشد: ${why.fa}`,
  },
  FUNCTIONS_BUSY: {
    status: 429,
    en: () => 'Too many functions are being deployed at the moment; send it again in a few seconds.',
    fa: () => 'در این لحظه تابع‌های زیادی در حال استقرارند؛ چند ثانیهٔ دیگر دوباره بفرستید.',
  },
  FUNCTION_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) => `This app back-end has all ${max} functions that it may have; delete one first.`,
    fa: ({ max }) =>
      `این بک‌اند هر ${persianDigits(max)} تابعی را که می‌تواند داشته باشد دارد؛ نخست یکی را حذف کنید.`,
  },
  FUNCTION_VERSION_NOT_FOUND: {
    status: 404,
    en: ({ version }) =>
      `Version ${version} is not there; the last five are kept, and GET /v1/cloud/{id}/functions/{name} lists them.`,
    fa: ({ version }) =>
      `نسخهٔ ${persianDigits(version)} وجود ندارد؛ پنج نسخهٔ آخر می‌ماند و GET /v1/cloud/{id}/functions/{name} آن‌ها را نشان می‌دهد.`,
  },
  FUNCTION_VERSION_LIVE: {
    status: 409,
    retry: false,
    en: ({ version }) => `Version ${version} answers already.`,
    fa: ({ version }) => `نسخهٔ ${persianDigits(version)} هم‌اکنون پاسخ می‌دهد.`,
  },
  FUNCTION_NOTHING_BEFORE: {
    status: 409,
    retry: false,
    en: () => 'No earlier version of this function is kept.',
    fa: () => 'نسخهٔ پیشینی از این تابع نمانده است.',
  },
  FUNCTION_SECRET_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) => `This app back-end has all ${max} secrets that it may have; delete one first.`,
    fa: ({ max }) =>
      `این بک‌اند هر ${persianDigits(max)} مقدار محرمانه‌ای را که می‌تواند داشته باشد دارد؛ نخست یکی را حذف کنید.`,
  },
  FUNCTION_SECRET_NOT_FOUND: {
    status: 404,
    en: () => 'There is no secret of this name; GET /v1/cloud/{id}/secrets lists the names there are.',
    fa: () => 'مقدار محرمانه‌ای به این نام وجود ندارد؛ GET /v1/cloud/{id}/secrets نام‌ها را نشان می‌دهد.',
  },
  FUNCTION_SESSION_REQUIRED: {
    status: 401,
    en: () =>
      'This function answers signed-in users only; sign in and send the session as a bearer token, or deploy it with verify_jwt: false.',
    fa: () =>
      'این تابع فقط به کاربران واردشده پاسخ می‌دهد؛ وارد شوید و نشست را به شکل Bearer بفرستید، یا آن را با verify_jwt: false مستقر کنید.',
  },
})
