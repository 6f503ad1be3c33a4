/** Why a request to `/storage/v1` is not understood. */
import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

export const notWithin = (param: string, min: number, max: number): Localized => ({
  en: `${param} is a whole number from ${min} to ${max}.`,
  fa: `${param} عددی صحیح از ${persian(min)} تا ${persian(max)} است.`,
})

export const listReasons = {
  sort: {
    en: 'sortBy.column is name, updated_at, created_at or last_accessed_at, and sortBy.order asc or desc.',
    fa: 'sortBy.column یکی از name، updated_at، created_at و last_accessed_at است و sortBy.order یکی از asc و desc.',
  },
  cursor: {
    en: 'cursor is the nextCursor of the page before, with the same sorting.',
    fa: 'cursor همان nextCursor صفحهٔ پیش است، با همان ترتیب.',
  },
} satisfies Record<string, Localized>

export const objectReasons = {
  metadata: {
    en: 'metadata is one JSON object of at most 16 KiB and 100 levels.',
    fa: 'metadata یک شیء JSON تا ۱۶ کیبی‌بایت و ۱۰۰ سطح است.',
  },
  type: {
    en: 'Content-Type names a media type, such as image/png.',
    fa: 'Content-Type نوع رسانه است، مانند image/png.',
  },
  cache: {
    en: 'Cache-Control is at most 200 plain characters.',
    fa: 'Cache-Control حداکثر ۲۰۰ کاراکتر ساده است.',
  },
  encoded: {
    en: 'objects are stored as they are: leave out contentEncoding.',
    fa: 'فایل‌ها همان‌گونه که هستند نگهداری می‌شوند: contentEncoding را بردارید.',
  },
} satisfies Record<string, Localized>
