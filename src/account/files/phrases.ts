import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    FILE_NOT_FOUND: Record<string, never>
  }
}

const megabytes = (bytes: number): number => Math.floor(bytes / (1024 * 1024))

declareFailures({
  FILE_NOT_FOUND: {
    status: 404,
    en: () =>
      'There is no such stored file here; GET /v1/files lists those there are, POST /v1/files stores one.',
    fa: () =>
      'چنین فایل ذخیره‌شده‌ای اینجا نیست؛ GET /v1/files آن‌ها را که هستند نشان می‌دهد و POST /v1/files یکی ذخیره می‌کند.',
  },
})

/** Why a file is refused. */
export const reasons = {
  notBase64: {
    en: 'data is not Base64: standard alphabet, whole padding, no line breaks.',
    fa: 'data به شکل Base64 نیست: الفبای استاندارد، با = پایانی و بدون شکستن خط.',
  },
  empty: { en: 'it is empty: nothing was sent in it.', fa: 'خالی است: چیزی در آن فرستاده نشده.' },
  tooLarge: (bytes: number): Localized => ({
    en: `a file has at most ${bytes} bytes (${megabytes(bytes)} MB).`,
    fa: `هر فایل حداکثر ${persian(bytes)} بایت (${persian(megabytes(bytes))} مگابایت) است.`,
  }),
  otherType: (types: readonly string[]): Localized => ({
    en: `the bytes are none of ${types.join(', ')}.`,
    fa: `این بایت‌ها هیچ‌یک از این نوع‌ها نیستند: ${types.join('، ')}.`,
  }),
  twoCursors: {
    en: 'after and after_id are one cursor by two names; send one of them.',
    fa: 'after و after_id دو نام برای یک نشانگرند؛ یکی از آن دو را بفرستید.',
  },
  notAsNamed: (found: string): Localized => ({
    en: `by its name or its content this text is ${found}; write that, or leave media_type out.`,
    fa: `این متن از روی نام یا محتوایش ${found} است؛ همان را بنویسید یا media_type را حذف کنید.`,
  }),
}
