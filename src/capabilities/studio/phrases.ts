import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    NO_TEXT_WRITTEN: { model: string; maxOutputTokens: number }
  }
}

declareFailures({
  NO_TEXT_WRITTEN: {
    status: 502,
    en: ({ model, maxOutputTokens }) =>
      `\`${model}\` wrote no text within ${maxOutputTokens} output tokens, which may all have gone into reasoning. The tokens were used and are on the receipt. Raise maxOutputTokens or lower reasoningEffort.`,
    fa: ({ model, maxOutputTokens }) =>
      `مدل \`${model}\` در ${maxOutputTokens.toLocaleString('fa-IR')} توکن خروجی متنی ننوشت؛ شاید همه صرف استدلال شده باشد. توکن‌ها مصرف شده‌اند و در رسید آمده‌اند. maxOutputTokens را بیشتر یا reasoningEffort را کمتر کنید.`,
  },
})

/** What recordings are read. */
const read: Localized = {
  en: 'wav, mp3, flac, ogg (Opus), webm and mp4 (Opus, FLAC, MP3 or PCM in them) are read here.',
  fa: 'این‌جا wav، mp3، flac، ogg (Opus)، webm و mp4 (با Opus، FLAC، MP3 یا PCM) خوانده می‌شوند.',
}

/** Why an order is refused. */
export const reasons = {
  blank: { en: 'must say what to draw.', fa: 'باید بگوید چه کشیده شود.' },
  bothReferences: {
    en: 'send reference or references, not both.',
    fa: 'فقط یکی از reference و references را بفرستید.',
  },
  turnsAlone: {
    en: 'send turns alone, without text and audioInput.',
    fa: 'turns را تنها بفرستید، بی text و audioInput.',
  },
  turnsOwn: {
    en: 'a dialogue has voice and instructions in each of its turns.',
    fa: 'در گفت‌وگو voice و instructions درون هر turn می‌آیند.',
  },
  nothingToSpeak: {
    en: 'send text, turns or audioInput.',
    fa: 'یکی از text، turns یا audioInput را بفرستید.',
  },
  longRecording: (seconds: number): Localized => ({
    en: `a recording that is answered has at most ${seconds} seconds.`,
    fa: `ضبطی که پاسخ داده می‌شود حداکثر ${seconds.toLocaleString('fa-IR')} ثانیه است.`,
  }),
  unreadable: (mediaType: string): Localized => ({
    en: `the recording cannot be read to its end as ${mediaType}; ${read.en}`,
    fa: `ضبط را نمی‌توان تا پایان به شکل ${mediaType} خواند؛ ${read.fa}`,
  }),
  noSound: (mediaType: string): Localized => ({
    en: `this ${mediaType} has no audio track; ${read.en}`,
    fa: `این ${mediaType} مسیر صدا (audio track) ندارد؛ ${read.fa}`,
  }),
  unreadCodec: (mediaType: string, codec: string): Localized => ({
    en: `the audio track of this ${mediaType} is coded as ${codec}, which is not read here; ${read.en}`,
    fa: `صدای این ${mediaType} با ${codec} کد شده است که این‌جا خوانده نمی‌شود؛ ${read.fa}`,
  }),
}
