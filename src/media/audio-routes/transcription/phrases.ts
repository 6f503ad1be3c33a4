import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

/** The recordings that can be read. */
const read: Localized = {
  en: 'wav, mp3, flac, aac, ogg, webm and mp4 (m4a) are read here; aiff, caf, wma and amr where the operator has ffmpeg.',
  fa: 'اینجا wav، mp3، flac، aac، ogg، webm و mp4 (یا m4a) خوانده می‌شوند؛ aiff، caf، wma و amr هم جایی که مدیر سرور ffmpeg دارد.',
}

const times: Localized = { en: 'say when something was said', fa: 'زمان گفته‌ها را نمی‌گوید' }
const speakers: Localized = { en: 'tell speakers apart', fa: 'گوینده‌ها را از هم جدا نمی‌کند' }

/** The reasons for which a recording is not transcribed. */
export const reasons = {
  noSource: {
    en: 'send one recording: audioBase64, input_audio, a form with file, or file_id.',
    fa: 'یک ضبط بفرستید: audioBase64، یا input_audio، یا فرمی با file، یا file_id.',
  },
  twoSources: {
    en: 'send one recording, not two.',
    fa: 'یک ضبط بفرستید، نه دو تا.',
  },
  nothing: {
    en: 'the file is empty: nothing was sent in it.',
    fa: 'فایل خالی است: چیزی در آن فرستاده نشده.',
  },
  empty: {
    en: 'there is no sound in this recording.',
    fa: 'در این ضبط صدایی نیست.',
  },
  noRecording: (mediaType: string | undefined): Localized => ({
    en: `the bytes are ${mediaType ? `${mediaType}, and ` : ''}no recording; ${read.en}`,
    fa: `این بایت‌ها ${mediaType ? `${mediaType} هستند و ` : ''}ضبط صدا نیستند؛ ${read.fa}`,
  }),
  film: (mediaType: string): Localized => ({
    en: `this is a film (${mediaType}): send its sound alone, or the film in a form.`,
    fa: `این فیلم است (${mediaType}): فقط صدایش را بفرستید، یا فیلم را در یک فرم.`,
  }),
  largeFile: (bytes: number): Localized => ({
    en: `a stored recording that is written down has at most ${bytes} bytes.`,
    fa: `ضبط ذخیره‌شده‌ای که رونویسی می‌شود حداکثر ${persian(bytes)} بایت است.`,
  }),
  longRecording: (seconds: number): Localized => ({
    en: `a recording has at most ${seconds} seconds; cut it in two.`,
    fa: `هر ضبط حداکثر ${persian(seconds)} ثانیه است؛ آن را دو تکه کنید.`,
  }),
  unreadable: (mediaType: string | undefined): Localized => ({
    en: `nothing can be heard of this recording${mediaType ? ` as ${mediaType}` : ''}; ${read.en}`,
    fa: `از این ضبط ${mediaType ? `به شکل ${mediaType} ` : ''}چیزی شنیده نمی‌شود؛ ${read.fa}`,
  }),
  noDecoder: (mediaType: string | undefined, codec: string): Localized => ({
    en: `the sound of this ${mediaType ?? 'file'} is ${codec.toUpperCase()}, and this server has no ffmpeg that decodes it: send it as wav, mp3, flac, ogg or webm, or ask its operator to install ffmpeg.`,
    fa: `صدای این ${mediaType ?? 'فایل'} با ${codec.toUpperCase()} کد شده است و این سرور ffmpegای ندارد که بازش کند: آن را wav، mp3، flac، ogg یا webm بفرستید یا از مدیر سرور بخواهید ffmpeg را نصب کند.`,
  }),
  noSound: {
    en: `there is no audio track in it; ${read.en}`,
    fa: `مسیر صدا (audio track) ندارد؛ ${read.fa}`,
  },
  unreadCodec: (mediaType: string | undefined, codec: string): Localized => ({
    en: `the audio track of this ${mediaType ?? 'file'} is coded as ${codec}, which is not read here; ${read.en}`,
    fa: `صدای این ${mediaType ?? 'فایل'} با ${codec} کد شده است که اینجا خوانده نمی‌شود؛ ${read.fa}`,
  }),
  noEvents: (format: string): Localized => ({
    en: `${format} comes whole; leave stream out, or send response_format json, verbose_json or diarized_json.`,
    fa: `${format} یکجا می‌آید؛ stream را حذف کنید یا response_format را json یا verbose_json یا diarized_json بفرستید.`,
  }),
  unableFormat: (model: string, format: string, others: readonly string[]): Localized => {
    const need = format === 'diarized_json' ? speakers : times
    return {
      en: `the model \`${model}\` does not ${need.en}, which ${format} needs; ${others.length > 0 ? `choose ${others.join(', ')}` : 'no model of this server does'}.`,
      fa: `مدل \`${model}\` ${need.fa} و ${format} آن را لازم دارد؛ ${others.length > 0 ? `یکی از این‌ها را برگزینید: ${others.join('، ')}` : 'هیچ مدل این سرور چنین نمی‌کند'}.`,
    }
  },
  noModel: {
    en: 'this server has no transcription model: its operator adds one, or a key of a vendor that has one.',
    fa: 'این سرور مدل رونویسی ندارد: گرداننده یکی می‌افزاید، یا کلید فروشنده‌ای را که دارد.',
  },
  noTranslator: {
    en: 'no model that this key may use translates; the operator writes transcription.translate: true at one that does.',
    fa: 'هیچ مدلی که این کلید به کار می‌برد ترجمه نمی‌کند؛ گرداننده کنار مدلی که می‌کند transcription.translate: true می‌نویسد.',
  },
  chunking: {
    en: 'chunking_strategy must be auto, or an object of the type server_vad.',
    fa: 'chunking_strategy باید auto یا شیئی با نوع server_vad باشد.',
  },
}
