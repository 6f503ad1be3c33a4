import { english, persian } from '#platform/words'
import { type BilingualText, type OptionHelp, sentence } from '../../command.ts'
import { savedOptions, studioPhrases } from '../studio/phrases.ts'

export const transcribePhrases = {
  transcribe: sentence(
    'ضبطی را به متن یا زیرنویس برمی‌گرداند و کنار همان ضبط ذخیره می‌کند؛ روی خروجی تنها نشانی فایل است',
    'writes a recording down as subtitles or text and saves them beside it; standard output has the path and nothing else',
  ),
  badFormat: (typed: string) =>
    sentence(
      `--format برابر «${typed}» است: یکی از srt، ‏vtt، ‏txt و json را بنویسید.`,
      `--format is "${typed}": write srt, vtt, txt or json.`,
    ),
  noFile: (place: string) =>
    sentence(
      `${place} فایل نیست: نام یک ضبط را بنویسید.`,
      `${place} is no file: write the name of a recording.`,
    ),
  emptyFile: (place: string) =>
    sentence(
      `${place} خالی است: ضبطی بدهید که صدایی در آن باشد.`,
      `${place} is empty: give a recording with sound in it.`,
    ),
  fileTooLarge: (place: string, max: number) =>
    sentence(
      `${place} از ${persian(max)} بایت بزرگ‌تر است: آن را تکه‌تکه بفرستید، یا فشرده‌تر ذخیره کنید.`,
      `${place} is larger than ${english(max)} bytes: send it in pieces, or store it with more compression.`,
    ),
  uploading: () => sentence('ضبط بارگذاری می‌شود', 'the recording is uploaded'),
  badAnswer: studioPhrases.badAnswer,
  done: (format: string, cost: BilingualText | undefined) =>
    sentence(
      `متن ضبط (${format})${cost ? ` · هزینه: ${cost.fa} اعتبار` : ''}`,
      `transcript (${format})${cost ? ` · cost: ${cost.en} credits` : ''}`,
    ),
}

export const transcribeOptions: OptionHelp = {
  model: {
    value: 'ID',
    about: sentence(
      'مدل رونویسی؛ در نبودش مدل پیش‌فرض سرور',
      'the transcription model; when left out that of the server',
    ),
  },
  language: {
    value: 'fa',
    about: sentence(
      'زبانی که گفته می‌شود؛ در نبودش مدل خودش می‌شنود',
      'the language that is spoken; when left out the model hears it',
    ),
  },
  format: {
    value: 'srt|vtt|txt|json',
    about: sentence(
      'قالب؛ در نبودش از پسوند --out، وگرنه srt',
      'the format; when left out by the ending of --out, else srt',
    ),
  },
  speakers: { value: '', about: sentence('گوینده‌ها را از هم جدا می‌کند', 'tells speakers apart') },
  prompt: {
    value: 'TEXT',
    about: sentence('آنچه پیش‌تر گفته شده، یا املای نام‌ها', 'what was said before, or how names are spelled'),
  },
  keyword: {
    value: 'WORD',
    about: sentence(
      'واژه‌ای که شاید گفته شود؛ چند بار می‌آید',
      'a word that is likely to be said; may be given often',
    ),
  },
  ...savedOptions,
  out: {
    value: 'FILE|FOLDER',
    about: sentence(
      'جای ذخیره؛ در نبودش کنار ضبط و هم‌نام آن',
      'where it is saved; when left out beside the recording, under its name',
    ),
  },
  timeout: {
    value: 'SECONDS',
    about: sentence('بیشترین انتظار؛ در نبودش ۳۶۰۰', 'the longest wait; 3600 when left out'),
  },
}
