import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    TRANSCRIPTION_SETTING_NOT_SUPPORTED: {
      model: string
      setting: string
      /** The refused value; absent where any value of the setting is refused. */
      value?: string
      supported: readonly string[]
      /** The other setting without which this one is refused. */
      beside?: string
    }
    UNKNOWN_LANGUAGE: { language: string }
    RECORDING_LENGTH_REFUSED: { seconds: number; minSeconds: number; maxSeconds: number }
    RECORDING_NOT_CONVERTIBLE: {
      model: string
      codec: string
      formats: readonly string[]
      maxSeconds: number
      maxMegabytes: number
    }
    RECORDING_NOT_CUTTABLE: { model: string; seconds: number; maxSeconds: number }
  }
}

export const transcriptionFailures = declareFailures({
  TRANSCRIPTION_SETTING_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, setting, value, supported, beside }) =>
      value === undefined && beside
        ? `${setting} is taken with ${beside} alone; send ${beside} too, or leave ${setting} out.`
        : `The model \`${model}\` does not take ${value === undefined ? setting : `${setting} ${value}`}; ${supported.length > 0 ? `it takes ${supported.join(', ')}` : 'leave it out, or choose another model'}.`,
    fa: ({ model, setting, value, supported, beside }) =>
      value === undefined && beside
        ? `${setting} تنها همراه ${beside} پذیرفته می‌شود؛ ${beside} را هم بفرستید یا ${setting} را حذف کنید.`
        : `مدل \`${model}\` ${value === undefined ? setting : `برای ${setting} مقدار ${value}`} را نمی‌پذیرد؛ ${supported.length > 0 ? `این‌ها را می‌پذیرد: ${supported.join('، ')}` : 'آن را حذف کنید یا مدل دیگری برگزینید'}.`,
  },
  UNKNOWN_LANGUAGE: {
    status: 400,
    en: ({ language }) =>
      `\`${language}\` is not the code of a language; write one of ISO 639 or BCP 47, such as fa or fa-IR, or leave it out.`,
    fa: ({ language }) =>
      `\`${language}\` کد هیچ زبانی نیست؛ کدی از ISO 639 یا BCP 47 مانند fa یا fa-IR بنویسید، یا آن را حذف کنید.`,
  },
  RECORDING_LENGTH_REFUSED: {
    status: 400,
    en: ({ seconds, minSeconds, maxSeconds }) =>
      `The recording lasts ${seconds} seconds; send one of ${minSeconds} to ${maxSeconds} seconds.`,
    fa: ({ seconds, minSeconds, maxSeconds }) =>
      `این ضبط ${persian(seconds)} ثانیه است؛ ضبطی از ${persian(minSeconds)} تا ${persian(maxSeconds)} ثانیه بفرستید.`,
  },
  RECORDING_NOT_CONVERTIBLE: {
    status: 400,
    en: ({ model, codec, formats, maxSeconds, maxMegabytes }) =>
      `The recording is coded as ${codec} and can be neither converted nor cut here. The model \`${model}\` takes ${formats.join(', ')} of up to ${maxSeconds} seconds and ${maxMegabytes} MB: send such a file, or choose another model. Where the operator installs ffmpeg, AAC is converted.`,
    fa: ({ model, codec, formats, maxSeconds, maxMegabytes }) =>
      `این ضبط با ${codec} کد شده است و اینجا نه تبدیل می‌شود و نه بریده. مدل \`${model}\` قالب‌های ${formats.join('، ')} را تا ${persian(maxSeconds)} ثانیه و ${persian(maxMegabytes)} مگابایت می‌پذیرد: چنین فایلی بفرستید یا مدل دیگری برگزینید. اگر گرداننده ffmpeg نصب کند، AAC تبدیل می‌شود.`,
  },
  RECORDING_NOT_CUTTABLE: {
    status: 400,
    en: ({ model, seconds, maxSeconds }) =>
      `The recording lasts ${seconds} seconds; the model \`${model}\` tells speakers apart within ${maxSeconds} seconds, and pieces of that length have too little in common to know a voice again. Send a shorter recording, leave diarize out, or choose another model.`,
    fa: ({ model, seconds, maxSeconds }) =>
      `این ضبط ${persian(seconds)} ثانیه است؛ مدل \`${model}\` گوینده‌ها را در ${persian(maxSeconds)} ثانیه از هم جدا می‌کند و تکه‌هایی به این کوتاهی آن‌قدر اشتراک ندارند که صدایی دوباره شناخته شود. ضبط کوتاه‌تری بفرستید، diarize را حذف کنید یا مدل دیگری برگزینید.`,
  },
})

/** The reasons for which a recording is not transcribed. */
export const reasons = {
  noTranslation: (model: string): Localized => ({
    en: `the model \`${model}\` translates nothing; choose one whose card says \`studio_settings.translate\`.`,
    fa: `مدل \`${model}\` ترجمه نمی‌کند؛ مدلی برگزینید که \`studio_settings.translate\` در مشخصاتش باشد.`,
  }),
}
