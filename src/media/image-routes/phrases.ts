import { sizeName } from '#core/models'
import type { PixelSize } from '#core/turn'
import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

/** The reasons for which a picture is refused. */
export const reasons = {
  blank: { en: 'prompt must say what to draw.', fa: 'prompt باید بگوید چه کشیده شود.' },
  oneInStream: {
    en: 'an answer in events has one picture; send n 1, or leave stream out.',
    fa: 'پاسخ رویدادی یک تصویر دارد؛ n را ۱ بفرستید یا stream را حذف کنید.',
  },
  noAddressInStream: {
    en: 'an answer in events has the picture itself; send response_format b64_json, or leave it out.',
    fa: 'پاسخ رویدادی خود تصویر را دارد؛ response_format را b64_json بفرستید یا حذف کنید.',
  },
  onlyInStream: {
    en: 'unfinished pictures are sent in events only; send stream true with it, or leave it out.',
    fa: 'تصویرهای ناتمام فقط با رویداد فرستاده می‌شوند؛ همراهش stream را true بفرستید یا حذفش کنید.',
  },
  losslessPng: {
    en: 'png is written without loss: send output_format jpeg or webp with it, or leave it out.',
    fa: 'png بی‌افت نوشته می‌شود: همراهش output_format را jpeg یا webp بفرستید یا حذفش کنید.',
  },
  maskInForm: {
    en: 'a mask is sent as a file beside its picture, in the form of POST /v1/images/edits.',
    fa: 'mask به شکل فایل کنار تصویرش فرستاده می‌شود، در فرم POST /v1/images/edits.',
  },
  noAlpha: {
    en: 'a mask is a PNG with an alpha channel; save it with transparency where the picture is to be changed.',
    fa: 'mask یک PNG با کانال آلفاست؛ آن را چنان ذخیره کنید که هر جا باید عوض شود شفاف باشد.',
  },
  maskSize: (mask: PixelSize, picture: PixelSize): Localized => ({
    en: `the mask is ${sizeName(mask)} and the picture ${sizeName(picture)}; send a mask of the same size.`,
    fa: `اندازهٔ mask‏ ${sizeName(mask)} و اندازهٔ تصویر ${sizeName(picture)} است؛ mask هم‌اندازهٔ تصویر بفرستید.`,
  }),
  largeTogether: (bytes: number): Localized => ({
    en: `an AVIF is sent on as another picture, and all of them would have more than ${bytes / 1024 / 1024} MB; send fewer or smaller ones.`,
    fa: `فایل AVIF به شکل تصویر دیگری فرستاده می‌شود و همه با هم بیش از ${persian(bytes / 1024 / 1024)} مگابایت می‌شوند؛ کمتر یا کوچک‌تر بفرستید.`,
  }),
  noModel: {
    en: 'no model takes it, and the picture would be another; leave it out.',
    fa: 'هیچ مدلی نمی‌پذیردش و تصویر چیز دیگری می‌شد؛ حذفش کنید.',
  },
  resolutionAlone: {
    en: 'size names the pixels already; send one of the two.',
    fa: 'size خود پیکسل‌ها را می‌گوید؛ فقط یکی از این دو را بفرستید.',
  },
}
