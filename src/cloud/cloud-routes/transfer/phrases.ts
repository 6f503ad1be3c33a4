import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    CLOUD_NOT_EMPTY: Record<string, never>
    CLOUD_IMPORT_INVALID: { line: number; why: Localized }
  }
}

declareFailures({
  CLOUD_NOT_EMPTY: {
    status: 409,
    retry: false,
    en: () =>
      'An export is imported into an empty app back-end only; create another one with POST /v1/cloud.',
    fa: () => 'خروجی را تنها در بک‌اند خالی می‌توان وارد کرد؛ با POST /v1/cloud یکی تازه بسازید.',
  },
  CLOUD_IMPORT_INVALID: {
    status: 400,
    retry: false,
    en: ({ line, why }) => `Line ${line} of the export cannot be imported: ${why.en} Nothing was kept.`,
    fa: ({ line, why }) => `سطر ${persian(line)} خروجی وارد نمی‌شود: ${why.fa} چیزی نگه داشته نشد.`,
  },
})

/** Why a line is refused. */
export const reasons = {
  notJson: { en: 'it is no JSON object in UTF-8.', fa: 'شیء JSON با UTF-8 نیست.' },
  tooLong: {
    en: 'it is longer than 2 MiB, or than 512 KiB beside its content_base64.',
    fa: 'از ۲ مبی‌بایت بلندتر است، یا بی content_base64 از ۵۱۲ کیبی‌بایت.',
  },
  unknownType: {
    en: 'its `type` is none that an export has, or it lacks a field of that type.',
    fa: '`type` آن در خروجی‌ها نیست، یا فیلدی از آن نوع را ندارد.',
  },
  first: {
    en: 'the first line has to say `"type":"cloud","version":1`; is this the export of an app back-end?',
    fa: 'سطر نخست باید `"type":"cloud","version":1` داشته باشد؛ آیا این خروجی یک بک‌اند است؟',
  },
  order: {
    en: 'settings of sign-in come first, then users, collections, rows, files and functions.',
    fa: 'نخست تنظیم‌های ورود می‌آیند، سپس کاربران، مجموعه‌ها، ردیف‌ها، فایل‌ها و تابع‌ها.',
  },
  cut: {
    en: 'the export ends before its last line, which counts the others; export again.',
    fa: 'خروجی پیش از سطر پایانی که سطرها را می‌شمارد تمام شده است؛ دوباره خروجی بگیرید.',
  },
  twice: { en: 'its id or name stood in an earlier line.', fa: 'شناسه یا نامش در سطری پیش‌تر آمده است.' },
  notBase64: { en: 'content_base64 is no Base64.', fa: 'content_base64 به شکل Base64 نیست.' },
  time: { en: 'a time in it is none.', fa: 'زمانی در آن درست نیست.' },
  limit: (name: string, max: number): Localized => ({
    en: `with it the limit \`${name}\` of this app back-end (${max}) is exceeded.`,
    fa: `با آن از سقف \`${name}\` این بک‌اند (${persian(max)}) گذر می‌شود.`,
  }),
}
