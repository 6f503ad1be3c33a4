import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    UNKNOWN_EVENT: { type: string }
    ITEM_NOT_FOUND: { item: string }
  }
}

/** The errors in `error` events of a call, beside those that refuse requests. */
export const eventFailures = declareFailures({
  UNKNOWN_EVENT: {
    status: 400,
    en: ({ type }) =>
      `A call takes no events of the type ${type}. The names are those of OpenAI's Realtime API, without beta.`,
    fa: ({ type }) =>
      `تماس رویدادی از نوع ${type} نمی‌گیرد. نام‌ها همان‌های نسخهٔ نهایی (نه beta) از Realtime API‌ی OpenAI هستند.`,
  },
  ITEM_NOT_FOUND: {
    status: 404,
    en: ({ item }) => `The conversation has no item ${item}: it was never added, or it was deleted.`,
    fa: ({ item }) => `گفت‌وگو موردی با نام ${item} ندارد: افزوده نشده یا پاک شده است.`,
  },
})

/** The mark in the metadata of a response that the call itself speaks, without a model. */
export const noticeMark = 'kherad.notice'

/** The reasons for which an event of a client is refused. */
export const reasons = {
  noType: {
    en: 'an event is a JSON object with a `type`.',
    fa: 'هر رویداد یک شیء JSON است که `type` دارد.',
  },
  notJson: {
    en: 'the message is no JSON, or is nested too deeply.',
    fa: 'پیام JSON نیست یا بیش از اندازه تودرتوست.',
  },
  object: { en: 'it must be an object.', fa: 'باید یک شیء (object) باشد.' },
  list: (max: number): Localized => ({
    en: `it must be a list of at most ${max}.`,
    fa: `باید فهرستی با حداکثر ${persian(max)} عضو باشد.`,
  }),
  text: (min: number, max: number): Localized => ({
    en: `it must be a text of ${min} to ${max} characters.`,
    fa: `باید متنی از ${persian(min)} تا ${persian(max)} کاراکتر باشد.`,
  }),
  number: (min: number, max: number): Localized => ({
    en: `it must be a number from ${min} to ${max}.`,
    fa: `باید عددی از ${persian(min)} تا ${persian(max)} باشد.`,
  }),
  integer: (min: number, max: number): Localized => ({
    en: `it must be a whole number from ${min} to ${max}.`,
    fa: `باید عددی صحیح از ${persian(min)} تا ${persian(max)} باشد.`,
  }),
  flag: { en: 'it must be true or false.', fa: 'باید true یا false باشد.' },
  oneOf: (values: readonly string[]): Localized => ({
    en: `it must be one of ${values.join(', ')}.`,
    fa: `باید یکی از این‌ها باشد: ${values.join('، ')}.`,
  }),
  rate: {
    en: 'audio/pcm has 24000 samples a second here; audio/pcmu and audio/pcma have 8000.',
    fa: 'اینجا audio/pcm در هر ثانیه ۲۴۰۰۰ نمونه دارد و audio/pcmu و audio/pcma هر کدام ۸۰۰۰ نمونه.',
  },
  name: {
    en: 'it must be 1 to 64 of the letters a–z, digits, - and _.',
    fa: 'باید ۱ تا ۶۴ کاراکتر از حرف‌های لاتین، رقم، - و _ باشد.',
  },
  twoTools: (name: string): Localized => ({
    en: `two tools are called ${name}.`,
    fa: `نام دو ابزار ${name} است.`,
  }),
  domain: {
    en: 'it must be a domain such as example.com, or one with a path.',
    fa: 'باید دامنه‌ای مانند example.com باشد، یا دامنه‌ای با مسیر.',
  },
  noSuchTool: (name: string): Localized => ({
    en: `no tool is called ${name}.`,
    fa: `ابزاری به نام ${name} نیست.`,
  }),
  typeChanged: {
    en: 'the type of a session is chosen when it begins, and stays.',
    fa: 'نوع نشست هنگام آغاز آن انتخاب می‌شود و تغییر نمی‌کند.',
  },
  noSound: {
    en: 'an item takes no sound here: send it by input_audio_buffer.append, or its `transcript` alone.',
    fa: 'اینجا مورد گفت‌وگو صدا نمی‌گیرد: صدا را با input_audio_buffer.append بفرستید، یا فقط `transcript` آن را.',
  },
  noAppend: {
    en: 'over WebRTC sound comes by the audio track.',
    fa: 'در WebRTC صدا از راه مسیر صوتی (audio track) می‌آید.',
  },
  base64: {
    en: 'it must be Base64 of whole samples.',
    fa: 'باید Base64 و شامل نمونه‌های کامل باشد.',
  },
  image: {
    en: 'an image is a data: URL in Base64 of a png, jpeg, webp or gif.',
    fa: 'تصویر باید نشانی data: با Base64 از نوع png، jpeg، webp یا gif باشد.',
  },
  usedId: { en: 'an item of this id is there already.', fa: 'موردی با این شناسه از پیش هست.' },
  notSpoken: {
    en: 'only what the assistant has spoken can be truncated.',
    fa: 'فقط گفتهٔ دستیار را می‌توان کوتاه کرد.',
  },
} as const
