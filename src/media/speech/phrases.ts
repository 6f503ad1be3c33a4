import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    AUDIO_SETTING_NOT_SUPPORTED: { model: string; setting: string; value: string; supported: string[] }
    NOTHING_TO_SPEAK: Record<string, never>
    SOUND_KEPT_AS_FILE: { file: string; seconds: number; maxSeconds: number }
    SOUND_TOO_LONG: { seconds: number; maxSeconds: number }
  }
}

export const speechFailures = declareFailures({
  AUDIO_SETTING_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, setting, value, supported }) =>
      `The model \`${model}\` does not take ${setting} ${value}; it takes ${supported.join(', ')}.`,
    fa: ({ model, setting, value, supported }) =>
      `مدل \`${model}\` برای ${setting} مقدار ${value} را نمی‌پذیرد؛ این‌ها را می‌پذیرد: ${supported.join('، ')}.`,
  },
  NOTHING_TO_SPEAK: {
    status: 400,
    en: () => 'The text has no letter and no digit that could be spoken.',
    fa: () => 'متن هیچ حرف یا رقمی ندارد که بتوان خواند.',
  },
  SOUND_KEPT_AS_FILE: {
    status: 422,
    retry: false,
    en: ({ file, seconds, maxSeconds }) =>
      `The sound became ${seconds} seconds long, and an answer of this format has room for ${maxSeconds}. It is stored and charged: read it by GET /v1/files/${file}; the next time choose mp3, or send less text.`,
    fa: ({ file, seconds, maxSeconds }) =>
      `صدا ${persian(seconds)} ثانیه شد و پاسخ در این قالب جای ${persian(maxSeconds)} ثانیه دارد. ذخیره و حساب شده است: آن را با GET /v1/files/${file} بخوانید؛ بار دیگر mp3 را برگزینید یا متن کوتاه‌تری بفرستید.`,
  },
  SOUND_TOO_LONG: {
    status: 400,
    en: ({ seconds, maxSeconds }) =>
      `This text may become ${seconds} seconds of sound, and an answer of this format has room for ${maxSeconds}; choose mp3, or send less text.`,
    fa: ({ seconds, maxSeconds }) =>
      `این متن ممکن است ${persian(seconds)} ثانیه صدا شود و پاسخ در این قالب جای ${persian(maxSeconds)} ثانیه دارد؛ mp3 را برگزینید یا متن کوتاه‌تری بفرستید.`,
  },
})
