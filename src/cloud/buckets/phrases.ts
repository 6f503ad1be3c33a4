/** Why a bucket, a name or a picture is refused. */
import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

type Reasons = Record<string, Localized | ((...bounds: number[]) => Localized)>

export const bucketReasons = {
  name: (max) => ({
    en: `the name of a bucket has 1 to ${max} characters, no slashes, no control characters and no blanks around it.`,
    fa: `نام باکت ۱ تا ${persian(max)} کاراکتر دارد، بی ممیز، بی کاراکتر کنترلی و بی فاصله در دو سر.`,
  }),
  limit: (max) => ({
    en: `file_size_limit is a whole number of bytes from 1 to ${max}, or a text such as 10MB.`,
    fa: `file_size_limit به بایت است، از ۱ تا ${persian(max)}، یا متنی مانند 10MB.`,
  }),
  types: (max) => ({
    en: `allowed_mime_types are at most ${max} types such as image/png or image/*.`,
    fa: `allowed_mime_types حداکثر ${persian(max)} نوع است، مانند image/png یا image/*.`,
  }),
} satisfies Reasons

export const nameReasons = {
  empty: { en: 'the name of an object is missing.', fa: 'نام فایل نیامده است.' },
  long: (max) => ({
    en: `the name of an object has at most ${max} bytes in UTF-8.`,
    fa: `نام فایل حداکثر ${persian(max)} بایت UTF-8 است.`,
  }),
  segment: {
    en: 'between slashes a name is neither empty nor . nor .. .',
    fa: 'میان ممیزها نام نه خالی است، نه . و نه ..',
  },
  control: {
    en: 'a name has no control characters and whole characters only.',
    fa: 'نام کاراکتر کنترلی ندارد و کاراکترهایش کامل‌اند.',
  },
  encoding: {
    en: 'the path is not percent-encoded UTF-8.',
    fa: 'نشانی به UTF-8 و با کدگذاری درصدی نوشته نشده است.',
  },
} satisfies Reasons

export const pictureReasons = {
  side: (max) => ({
    en: `width and height are whole numbers from 1 to ${max}.`,
    fa: `width و height عدد صحیح از ۱ تا ${persian(max)} هستند.`,
  }),
  quality: { en: 'quality is a whole number from 20 to 100.', fa: 'quality عدد صحیح از ۲۰ تا ۱۰۰ است.' },
  resize: { en: 'resize is cover, contain or fill.', fa: 'resize یکی از cover، contain و fill است.' },
  format: { en: 'format is origin, or it is left out.', fa: 'format یا origin است یا نمی‌آید.' },
  kind: {
    en: 'only JPEG, PNG, WebP, AVIF and GIF are rendered; fetch this object as it is.',
    fa: 'تنها JPEG، PNG، WebP، AVIF و GIF تغییر اندازه می‌گیرند؛ این فایل را همان‌گونه که هست بگیرید.',
  },
  large: (bytes, pixels) => ({
    en: `pictures of at most ${bytes} bytes and ${pixels} pixels are rendered.`,
    fa: `تصویرهای تا ${persian(bytes)} بایت و ${persian(pixels)} پیکسل تغییر اندازه می‌گیرند.`,
  }),
  slow: {
    en: 'this picture takes too long to decode; fetch it as it is.',
    fa: 'خواندن این تصویر بیش از اندازه زمان می‌برد؛ آن را همان‌گونه که هست بگیرید.',
  },
  broken: { en: 'this picture cannot be decoded.', fa: 'این تصویر خوانده نمی‌شود.' },
} satisfies Reasons
