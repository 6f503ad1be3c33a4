import type { WorkKind } from '#engine/pipelines'
import type { Sentence } from '../command.ts'

const sentence = (fa: string, en: string): Sentence => ({ fa, en })

export const workPhrases = {
  /** Of each kind of work. */
  kinds: {
    research: sentence(
      'گزارش پژوهشی با منبع؛ پیشرفت کار نشان داده و پرونده‌ها ذخیره می‌شوند',
      'a cited report; shows progress and saves the files',
    ),
    document: sentence(
      'سند؛ پیشرفت کار نشان داده و پرونده‌ها ذخیره می‌شوند',
      'a document; shows progress and saves the files',
    ),
    code: sentence(
      'برنامه؛ پیشرفت کار نشان داده و پرونده‌ها ذخیره می‌شوند',
      'a program; shows progress and saves the files',
    ),
    data: sentence(
      'تحلیل داده؛ پیشرفت کار نشان داده و پرونده‌ها ذخیره می‌شوند',
      'an analysis of data; shows progress and saves the files',
    ),
  } satisfies Record<WorkKind, Sentence>,
  watch: sentence(
    'دنبال کردن کاری که پیش‌تر خواسته شده، و ذخیرهٔ پرونده‌هایش',
    'follows work that was asked for before, and saves its files',
  ),
  noKey: () =>
    sentence(
      'کلیدی داده نشده است: --key را بنویسید یا KHERAD_KEY را مقدار دهید.',
      'No key is given: write --key, or set KHERAD_KEY.',
    ),
  badUrl: (typed: string) =>
    sentence(
      `--url برابر «${typed}» است: نشانی سرور را مانند http://127.0.0.1:8080 بنویسید.`,
      `--url is "${typed}": write the address of the server, such as http://127.0.0.1:8080.`,
    ),
  badKey: () =>
    sentence(
      'کلید نویسه‌ای دارد که در هیچ کلیدی نیست: آن را همان‌گونه که ساخته شد بنویسید (khr_…).',
      'The key has a character that no key has: write it as it was made (khr_…).',
    ),
  waiting: (url: string) =>
    sentence(
      `سرور پاسخ نمی‌دهد (${url})؛ تا حدود دو دقیقه دوباره امتحان می‌شود. آیا سرور روشن است؟`,
      `The server does not answer (${url}); it is tried again for about two minutes. Is it running?`,
    ),
  away: (url: string) =>
    sentence(
      `سرور پاسخ نداد: ${url}. آن را روشن کنید (npm start) یا نشانی‌اش را با --url بنویسید.`,
      `The server does not answer: ${url}. Start it (npm start), or write its address with --url.`,
    ),
  accepted: (id: string, credits: number) =>
    sentence(
      `کار پذیرفته شد (${id})؛ حداکثر ${credits.toLocaleString('fa-IR')} اعتبار کنار گذاشته شد. با Ctrl-C کار در سرور ادامه می‌یابد: kherad work watch ${id}`,
      `The work is accepted (${id}); at most ${credits} credits are held. After Ctrl-C it goes on at the server: kherad work watch ${id}`,
    ),
  step: (percent: number, message: string) =>
    sentence(
      `${`${percent.toLocaleString('fa-IR')}٪`.padStart(5)}  ${message}`,
      `${`${percent}%`.padStart(5)}  ${message}`,
    ),
  ended: (message: string, credits: number) =>
    sentence(
      `${message} هزینه: ${credits.toLocaleString('fa-IR')} اعتبار.`,
      `${message} Cost: ${credits} credits.`,
    ),
  badPath: (path: string) =>
    sentence(
      `سرور پرونده‌ای بیرون از پوشه نام برد: ${path}`,
      `The server names a file outside of the folder: ${path}`,
    ),
  notSaved: (place: string, why: string) =>
    sentence(`${place} ذخیره نشد: ${why}`, `${place} could not be saved: ${why}`),
}

export const workOptions: Readonly<Record<string, { value: string; about: Sentence }>> = {
  url: {
    value: 'URL',
    about: sentence(
      'نشانی سرور؛ در نبودش KHERAD_BASE_URL یا این ماشین',
      'the server; KHERAD_BASE_URL or this machine when left out',
    ),
  },
  key: { value: 'khr_…', about: sentence('کلید؛ در نبودش KHERAD_KEY', 'the key; KHERAD_KEY when left out') },
  title: { value: 'TEXT', about: sentence('عنوان، ۱ تا ۱۰۰ نویسه', 'a title, 1 to 100 characters') },
  model: { value: 'ID', about: sentence('مدل متنی', 'a text model') },
  out: {
    value: 'FOLDER',
    about: sentence(
      'پوشهٔ پرونده‌ها؛ در نبودش kherad-work-<شناسه>',
      'where files are saved; kherad-work-<id> when left out',
    ),
  },
}
