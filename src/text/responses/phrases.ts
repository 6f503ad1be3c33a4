import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

/** Reasons for refusing a request, and descriptions of what a model cannot do. */
export const reasons = {
  keepsNothing: (field: string): Localized => ({
    en: `${field} is not possible: answers are not stored here. Send the whole conversation in input, with store: false.`,
    fa: `${field} ممکن نیست: پاسخ‌ها اینجا نگه داشته نمی‌شوند. همهٔ گفت‌وگو را در input بفرستید، با store: false.`,
  }),
  noBackground: {
    en: 'background: true is not possible; the answer comes with the request.',
    fa: 'background: true ممکن نیست؛ پاسخ با همان درخواست می‌آید.',
  },
  noDomain: (rule: string): Localized => ({
    en: `${rule} is no domain; write example.com or example.com/path, without https://.`,
    fa: `${rule} دامنه نیست؛ example.com یا example.com/path بنویسید، بی https://.`,
  }),
  nothingInside: (param: string, field: string): Localized => ({
    en: `${param} must hold ${field} as a data URL; files that are kept elsewhere are not opened.`,
    fa: `${param} باید ${field} را به شکل نشانی داده داشته باشد؛ فایل‌هایی که جای دیگری هستند باز نمی‌شوند.`,
  }),
  otherImageModel: {
    en: 'tools.0.model must be the model of the request, or be left out.',
    fa: 'tools.0.model باید همان مدل درخواست باشد، یا نباشد.',
  },
  nothingToDraw: {
    en: 'input has no text; say what to draw.',
    fa: 'input متنی ندارد؛ بگویید چه کشیده شود.',
  },
  longPrompt: (characters: number): Localized => ({
    en: `instructions and the text of input have more than ${characters} characters together.`,
    fa: `instructions و متن input روی هم بیش از ${persian(characters)} کاراکتر دارند.`,
  }),
  noPicture: {
    en: 'an image_generation_call must come back with its result, the whole picture in Base64; answers are not stored here.',
    fa: 'image_generation_call باید با result خود، یعنی کل تصویر به Base64، برگردد؛ پاسخ‌ها اینجا نگه داشته نمی‌شوند.',
  },
}
