import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

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
      `مدل \`${model}\` در ${persian(maxOutputTokens)} توکن خروجی متنی ننوشت؛ شاید همه صرف استدلال شده باشد. توکن‌ها مصرف شده‌اند و در رسید آمده‌اند. maxOutputTokens را بیشتر یا reasoningEffort را کمتر کنید.`,
  },
})

/** The recordings that can be read. */
const read: Localized = {
  en: 'wav, mp3, flac, ogg (Opus, Vorbis or FLAC), webm and mp4 (with one of those or PCM in them) are read here, and AAC, ALAC, AIFF, CAF, WMA and AMR where the operator has ffmpeg.',
  fa: 'اینجا wav، mp3، flac، ogg (با Opus یا Vorbis یا FLAC)، webm و mp4 (با یکی از همین‌ها یا PCM) خوانده می‌شوند، و AAC، ALAC، AIFF، CAF، WMA و AMR جایی که ffmpeg نصب است.',
}

/** The reasons for which an order is refused. */
export const reasons = {
  nothingToWrite: { en: 'must say what to write.', fa: 'باید بگوید چه نوشته شود.' },
  nothingToDraw: { en: 'must say what to draw.', fa: 'باید بگوید چه کشیده شود.' },
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
    fa: `ضبطی که پاسخ داده می‌شود حداکثر ${persian(seconds)} ثانیه است.`,
  }),
  unreadable: (mediaType: string | undefined): Localized => ({
    en: `nothing can be heard of this recording${mediaType ? ` as ${mediaType}` : ''}; ${read.en}`,
    fa: `از این ضبط ${mediaType ? `به شکل ${mediaType} ` : ''}چیزی شنیده نمی‌شود؛ ${read.fa}`,
  }),
  noSound: (mediaType: string | undefined): Localized => ({
    en: `this ${mediaType ?? 'file'} has no audio track; ${read.en}`,
    fa: `این ${mediaType ?? 'فایل'} مسیر صدا (audio track) ندارد؛ ${read.fa}`,
  }),
  noDecoder: (mediaType: string | undefined, codec: string): Localized => ({
    en: `the sound of this ${mediaType ?? 'file'} is ${codec.toUpperCase()}, and this server has no ffmpeg that decodes it: send it as webm, ogg or mp3, or ask its operator to install ffmpeg.`,
    fa: `صدای این ${mediaType ?? 'فایل'} با ${codec.toUpperCase()} کد شده است و این سرور ffmpegای ندارد که بازش کند: آن را webm، ogg یا mp3 بفرستید یا از مدیر سرور بخواهید ffmpeg را نصب کند.`,
  }),
  unreadCodec: (mediaType: string | undefined, codec: string): Localized => ({
    en: `the audio track of this ${mediaType ?? 'file'} is coded as ${codec}, which is not read here; ${read.en}`,
    fa: `صدای این ${mediaType ?? 'فایل'} با ${codec} کد شده است که اینجا خوانده نمی‌شود؛ ${read.fa}`,
  }),
}
