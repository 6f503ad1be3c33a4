import type { Localized } from '#platform/errors'

/** The reasons for which an order is refused. */
export const reasons = {
  blank: { en: 'prompt must say what to make.', fa: 'prompt باید بگوید چه ساخته شود.' },
  noModel: {
    en: 'no model takes it, and the video would be another; leave it out.',
    fa: 'هیچ مدلی نمی‌پذیردش و ویدیو چیز دیگری می‌شد؛ حذفش کنید.',
  },
  oneLength: {
    en: 'duration and seconds disagree; send one of them.',
    fa: 'duration و seconds با هم نمی‌خوانند؛ یکی را بفرستید.',
  },
  sizeAlone: (other: string): Localized => ({
    en: `size and ${other} disagree; send one of them.`,
    fa: `size و ${other} با هم نمی‌خوانند؛ یکی را بفرستید.`,
  }),
  unknownSize: (sizes: readonly string[]): Localized => ({
    en: `the model does not make this size; it makes ${sizes.join(', ')}.`,
    fa: `مدل این اندازه را نمی‌سازد؛ این‌ها را می‌سازد: ${sizes.join('، ')}.`,
  }),
  firstFrameFirst: {
    en: 'a last frame comes with a first one; send both, or the first alone.',
    fa: 'آخرین قاب با نخستین قاب می‌آید؛ هر دو را بفرستید یا تنها نخستین را.',
  },
  oneOfEach: {
    en: 'there is one first frame and one last; send each once.',
    fa: 'یک قاب نخست و یک قاب آخر هست؛ هر یک را یک بار بفرستید.',
  },
}
