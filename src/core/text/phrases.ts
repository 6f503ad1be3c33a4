import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    FEATURE_NOT_SUPPORTED: { model: string; feature: string }
    INPUT_MODALITY_NOT_SUPPORTED: { model: string; modality: string; supported: string[] }
    INVALID_MEDIA: { why: Localized }
    REASONING_BUDGET_CONFLICT: { param: string; other: string }
    REASONING_EFFORT_CONFLICT: Record<string, never>
    REASONING_NOT_SUPPORTED: { model: string; effort: string; supported: string[] }
  }
}

declareFailures({
  FEATURE_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, feature }) =>
      `The model \`${model}\` does not support ${feature}. Leave it out or choose another model.`,
    fa: ({ model, feature }) =>
      `مدل \`${model}\` از ${feature} پشتیبانی نمی‌کند. آن را حذف کنید یا مدل دیگری برگزینید.`,
  },
  INPUT_MODALITY_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, modality, supported }) =>
      `The model \`${model}\` takes ${supported.join(', ')} and no ${modality}. Choose a model whose input_modalities has ${modality}.`,
    fa: ({ model, modality, supported }) =>
      `مدل \`${model}\` ورودی ${modality} نمی‌پذیرد (می‌پذیرد: ${supported.join('، ')}). مدلی برگزینید که input_modalities آن ${modality} دارد.`,
  },
  INVALID_MEDIA: {
    status: 400,
    en: ({ why }) => `The media cannot be used: ${why.en}`,
    fa: ({ why }) => `رسانهٔ فرستاده‌شده قابل استفاده نیست: ${why.fa}`,
  },
  REASONING_BUDGET_CONFLICT: {
    status: 400,
    en: ({ param, other }) => `${param} and ${other} contradict each other; send one of them.`,
    fa: ({ param, other }) => `${param} و ${other} با هم نمی‌آیند؛ فقط یکی را بفرستید.`,
  },
  REASONING_EFFORT_CONFLICT: {
    status: 400,
    en: () => 'reasoning_effort and reasoning.effort disagree; send one of them.',
    fa: () => 'reasoning_effort و reasoning.effort با هم نمی‌خوانند؛ فقط یکی را بفرستید.',
  },
  REASONING_NOT_SUPPORTED: {
    status: 400,
    en: ({ model, effort, supported }) =>
      supported.length === 0
        ? `The model \`${model}\` does not take reasoning settings (${effort}).`
        : `The model \`${model}\` does not support the effort \`${effort}\`; it supports ${supported.join(', ')}.`,
    fa: ({ model, effort, supported }) =>
      supported.length === 0
        ? `مدل \`${model}\` تنظیم استدلال (${effort}) نمی‌پذیرد.`
        : `مدل \`${model}\` سطح \`${effort}\` را نمی‌پذیرد؛ سطح‌های مجاز: ${supported.join('، ')}.`,
  },
})

/** The most characters of a declared type that a refusal repeats. */
const typeCharacters = 100

/** Reasons for refusing a request or its media. */
export const reasons = {
  budgetPastLimit: (param: string, budget: number, limit: string): Localized => ({
    en: `${param} (${budget}) must be less than ${limit}, which the answer shares with the thinking.`,
    fa: `${param} (${persian(budget)}) باید کمتر از ${limit} باشد که پاسخ و استدلال با هم دارند.`,
  }),
  onlyUsersCarry: (param: string, modality: string, role: string): Localized => ({
    en: `${param}: only user messages carry ${modality}; a ${role} message carries text.`,
    fa: `${param}: فقط پیام کاربر ${modality} می‌پذیرد؛ پیام ${role} متن است.`,
  }),
  noSuchTool: (name: string): Localized => ({
    en: `tool_choice names the function ${name}, which is not among the tools.`,
    fa: `tool_choice تابع ${name} را نام برده که میان ابزارها نیست.`,
  }),
  noTools: {
    en: 'tool_choice asks for a tool but tools is empty.',
    fa: 'tool_choice ابزار می‌خواهد ولی tools خالی است.',
  },
  onlyFileData: {
    en: 'a file is sent inline: file_data with a PDF, a text or a picture as a data URL (data:application/pdf;base64,…). Files are not found by id.',
    fa: 'فایل درون درخواست می‌آید: file_data با یک PDF، متن یا تصویر به شکل نشانی داده (data:application/pdf;base64,…). فایل با شناسه یافته نمی‌شود.',
  },
  noLength: { en: 'its length cannot be read.', fa: 'طول آن خوانده نمی‌شود.' },
  notInline: (type: string, orLink: boolean): Localized => ({
    en: `it must be a data URL (data:${type};base64,…)${orLink ? ' or an HTTPS link' : ''}.`,
    fa: `باید نشانی داده باشد (data:${type};base64,…)${orLink ? ' یا پیوند HTTPS' : ''}.`,
  }),
  wrongType: (given: string, types: readonly string[]): Localized => ({
    en: `it says that it is ${given.slice(0, typeCharacters)}; its type must be one of ${types.join(', ')}.`,
    fa: `نوع خود را ${given.slice(0, typeCharacters)} می‌گوید؛ نوع آن باید یکی از این‌ها باشد: ${types.join('، ')}.`,
  }),
  tooLong: (characters: number): Localized => ({
    en: `it has more than ${characters} Base64 characters.`,
    fa: `بیش از ${persian(characters)} کاراکتر Base64 دارد.`,
  }),
  onlyHttps: { en: 'a link must begin with https://.', fa: 'پیوند باید با https:// آغاز شود.' },
  longLink: (characters: number): Localized => ({
    en: `the link has more than ${characters} characters.`,
    fa: `پیوند بیش از ${persian(characters)} کاراکتر دارد.`,
  }),
  vast: {
    en: 'the picture is larger than 100 megapixels or 32,767 pixels a side.',
    fa: 'تصویر از ۱۰۰ مگاپیکسل یا ۳۲٬۷۶۷ پیکسل در یک ضلع بزرگ‌تر است.',
  },
  unreadable: {
    locked: {
      en: 'the PDF is locked by a password; send it without one.',
      fa: 'این PDF گذرواژه دارد؛ آن را بی گذرواژه بفرستید.',
    },
    broken: { en: 'the PDF is broken, or has no pages.', fa: 'این PDF آسیب دیده است یا صفحه‌ای ندارد.' },
  },
  tooManyDetails: (max: number): Localized => ({
    en: `a message has at most ${max} of them; put the pieces of a stream together by type and index.`,
    fa: `هر پیام حداکثر ${persian(max)} تا دارد؛ تکه‌های جریان را بر پایهٔ type و index به هم بچسبانید.`,
  }),
  tooManyPages: (pages: number, max: number): Localized => ({
    en: `the PDF has ${pages} pages, and this model reads ${max} of one; send a part of it.`,
    fa: `این PDF ${persian(pages)} صفحه دارد و این مدل از هر PDF ${persian(max)} صفحه می‌خواند؛ بخشی از آن را بفرستید.`,
  }),
  notText: {
    en: 'it is not a text in UTF-8; save it as UTF-8, or send it by its own type.',
    fa: 'متنی با UTF-8 نیست؛ آن را با UTF-8 ذخیره کنید یا با نوع خودش بفرستید.',
  },
  notBase64: {
    en: 'it is not valid Base64 (standard alphabet, padded, no spaces).',
    fa: 'Base64 معتبر نیست (الفبای استاندارد، با پرکننده و بدون فاصله).',
  },
  empty: {
    en: 'it is empty: nothing was sent in it.',
    fa: 'خالی است: چیزی در آن فرستاده نشده.',
  },
  unreadHeif: {
    en: 'this is a HEIC or AVIF picture that cannot be read here, or has more than 16 megapixels; save it as JPEG or PNG (iPhones: Settings, Camera, Formats, Most Compatible).',
    fa: 'این تصویر HEIC یا AVIF است و اینجا خوانده نمی‌شود، یا بیش از ۱۶ مگاپیکسل دارد؛ آن را JPEG یا PNG ذخیره کنید (آیفون: Settings، ‏Camera، ‏Formats، ‏Most Compatible).',
  },
  largeHeif: {
    en: 'this HEIC or AVIF picture would have more than 12 MB as JPEG, PNG or WebP; send a smaller one.',
    fa: 'این تصویر HEIC یا AVIF به شکل JPEG، ‏PNG یا WebP بیش از ۱۲ مگابایت می‌شود؛ تصویر کوچک‌تری بفرستید.',
  },
  undecodable: {
    en: 'the picture cannot be decoded to its end, or has more than 64 megapixels.',
    fa: 'تصویر را نمی‌توان تا پایان خواند، یا بیش از ۶۴ مگاپیکسل دارد.',
  },
  otherBytes: (found: string | undefined, types: readonly string[]): Localized =>
    found === undefined
      ? {
          en: `its bytes are not of type ${types.join(', ')}.`,
          fa: `بایت‌های آن از نوع ${types.join('، ')} نیست.`,
        }
      : {
          en: `its bytes are ${found}, which is not taken here; send ${types.join(', ')}.`,
          fa: `بایت‌های آن ${found} است که اینجا پذیرفته نمی‌شود؛ ${types.join('، ')} بفرستید.`,
        },
}
