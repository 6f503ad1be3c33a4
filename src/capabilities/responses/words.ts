import type { Told } from '#platform/errors'

/** Why a request is refused, or what of it a model cannot do. */
export const reasons = {
  keepsNothing: (field: string): Told => ({
    en: `${field} is not possible: answers are not stored here. Send the whole conversation in input, with store: false.`,
    fa: `${field} ممکن نیست: پاسخ‌ها این‌جا نگه داشته نمی‌شوند. همهٔ گفت‌وگو را در input بفرستید، با store: false.`,
  }),
  noBackground: {
    en: 'background: true is not possible; the answer comes with the request.',
    fa: 'background: true ممکن نیست؛ پاسخ با همان درخواست می‌آید.',
  },
  nothingInside: (param: string, field: string): Told => ({
    en: `${param} must hold ${field} as a data URL; files that are kept elsewhere are not opened.`,
    fa: `${param} باید ${field} را به شکل نشانی داده داشته باشد؛ فایل‌هایی که جای دیگری هستند باز نمی‌شوند.`,
  }),
}
