import { persian } from '#platform/words'
import type { WorkKind } from '#work/pipelines'
import { type BilingualText, sentence } from '../command.ts'

export const workPhrases = {
  /** The description of each kind of work. */
  kinds: {
    research: sentence(
      'گزارش پژوهشی با منبع؛ پیشرفت کار نشان داده و فایل‌ها ذخیره می‌شوند',
      'a cited report; shows progress and saves the files',
    ),
    document: sentence(
      'سند؛ پیشرفت کار نشان داده و فایل‌ها ذخیره می‌شوند',
      'a document; shows progress and saves the files',
    ),
    code: sentence(
      'برنامه؛ پیشرفت کار نشان داده و فایل‌ها ذخیره می‌شوند',
      'a program; shows progress and saves the files',
    ),
    data: sentence(
      'تحلیل داده؛ پیشرفت کار نشان داده و فایل‌ها ذخیره می‌شوند',
      'an analysis of data; shows progress and saves the files',
    ),
  } satisfies Record<WorkKind, BilingualText>,
  watch: sentence(
    'دنبال کردن کاری که پیش‌تر خواسته شده، و ذخیرهٔ فایل‌هایش',
    'follows work that was asked for before, and saves its files',
  ),
  accepted: (id: string, credits: number) =>
    sentence(
      `کار پذیرفته شد (${id})؛ حداکثر ${persian(credits)} اعتبار کنار گذاشته شد. با Ctrl-C کار در سرور ادامه می‌یابد: kherad work watch ${id}`,
      `The work is accepted (${id}); at most ${credits} credits are held. After Ctrl-C it goes on at the server: kherad work watch ${id}`,
    ),
  step: (percent: number, message: string) =>
    sentence(`${`${persian(percent)}٪`.padStart(5)}  ${message}`, `${`${percent}%`.padStart(5)}  ${message}`),
  ended: (message: string, credits: number) =>
    sentence(`${message} هزینه: ${persian(credits)} اعتبار.`, `${message} Cost: ${credits} credits.`),
  badPath: (path: string) =>
    sentence(
      `سرور فایلی بیرون از پوشه نام برد: ${path}`,
      `The server names a file outside of the folder: ${path}`,
    ),
  notSaved: (place: string, why: string) =>
    sentence(`${place} ذخیره نشد: ${why}`, `${place} could not be saved: ${why}`),
}

export const workOptions: Readonly<Record<string, { value: string; about: BilingualText }>> = {
  title: { value: 'TEXT', about: sentence('عنوان، ۱ تا ۱۰۰ کاراکتر', 'a title, 1 to 100 characters') },
  model: { value: 'ID', about: sentence('مدل متنی', 'a text model') },
  out: {
    value: 'FOLDER',
    about: sentence(
      'پوشهٔ فایل‌ها؛ در نبودش kherad-work-<شناسه>',
      'where files are saved; kherad-work-<id> when left out',
    ),
  },
}
