import { declareFailures, type Localized } from '#platform/errors'
import { english, persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    TOO_MANY_RUNS: { max: number }
  }
}

declareFailures({
  TOO_MANY_RUNS: {
    status: 429,
    en: ({ max }) =>
      `An account has at most ${max} runs in progress; wait until one ends or cancel one, then send this one again.`,
    fa: ({ max }) =>
      `هر حساب هم‌زمان حداکثر ${persian(max)} کار در جریان دارد؛ صبر کنید یکی پایان یابد یا یکی را لغو کنید و دوباره بفرستید.`,
  },
})

/** Why a request is refused. */
export const reasons = {
  filesOfData: {
    en: 'stored files are read by work of the kind data; leave them out, or ask for that.',
    fa: 'فایل‌های ذخیره‌شده را کار از نوع data می‌خواند؛ آن‌ها را حذف کنید یا همان نوع را بخواهید.',
  },
  noData: (mediaType: string): Localized => ({
    en: `this file is ${mediaType}; an analysis reads CSV, TSV, XLSX and JSON.`,
    fa: `نوع این فایل ${mediaType} است؛ تحلیل داده CSV، TSV، XLSX و JSON می‌خواند.`,
  }),
  budget: (need: number) => ({
    en: `this run may cost up to ${english(need)} credits; name at least so many.`,
    fa: `این کار ممکن است تا ${persian(need)} اعتبار هزینه داشته باشد؛ دست‌کم همین اندازه بنویسید.`,
  }),
  pathOrBundle: {
    en: 'send either path, exactly as the manifest has it, or bundle=1.',
    fa: 'یا path را درست همان‌گونه که در فهرست فایل‌ها آمده بفرستید، یا bundle=1.',
  },
}

/** Why a link gave no file, in addition to the reasons of the guarded client; used after a colon. */
export const fetchReasons = {
  off: {
    en: 'the operator of this service has switched web pages off (tools.web_fetch).',
    fa: 'گردانندهٔ این سرویس خواندن صفحه‌های وب را خاموش کرده است (tools.web_fetch).',
  },
  gone: {
    en: 'it could be read before and cannot be read any more.',
    fa: 'پیش‌تر خواندنی بود و دیگر نیست.',
  },
  status: (status: number): Localized => ({
    en: `its host answered with status ${status}.`,
    fa: `میزبان آن با وضعیت ${persian(status)} پاسخ داد.`,
  }),
}

/** How a run ended, for people; `code` is an error code, or a code of runs (docs/guides/work/runs.md). */
export const endings = {
  cancelled: {
    en: 'The work was cancelled; what was finished by then can be downloaded.',
    fa: 'کار لغو شد؛ آنچه تا آن هنگام آماده شده بود دانلودکردنی است.',
  },
  overtime: {
    en: 'The work took longer than this server allows; what was finished can be downloaded. Ask for less at a time.',
    fa: 'کار بیش از زمان مجاز این سرور طول کشید؛ آنچه آماده شده دانلودکردنی است. کار را به بخش‌های کوچک‌تر تقسیم کنید.',
  },
  interrupted: {
    en: 'The server process ended twice over this work, so it was set aside; ask for less at a time, or tell the operator.',
    fa: 'پردازهٔ سرور دو بار هنگام این کار از کار افتاد و کار کنار گذاشته شد؛ کار کوچک‌تری بخواهید یا به گردانندهٔ سرور خبر دهید.',
  },
  outOfCredits: {
    en: 'The reserved credits were used up before anything could be handed over; ask for less at a time.',
    fa: 'اعتبار کنارگذاشته پیش از آماده شدن نتیجه تمام شد؛ کار کوچک‌تری بخواهید.',
  },
  broke: {
    en: 'Something broke inside the server; what was finished can be downloaded. Ask for it anew, or tell the operator.',
    fa: 'چیزی در سرور خراب شد؛ آنچه آماده شده دانلودکردنی است. دوباره بخواهید یا به گردانندهٔ سرور خبر دهید.',
  },
  lost: (step: string): Localized => ({
    en: `The result of the step ${step} was lost when a server process ended. It was charged and not sent again; ask for the work anew.`,
    fa: `نتیجهٔ گام ${step} با پایان یافتن ناگهانی یک پردازهٔ سرور از دست رفت. هزینه‌اش حساب شد و دوباره فرستاده نشد؛ کار را از نو بخواهید.`,
  }),
  stepFailed: (step: string, code: string): Localized => ({
    en: `The step ${step} failed (${code}); what was finished can be downloaded. Ask for the work anew.`,
    fa: `گام ${step} انجام نشد (${code})؛ آنچه آماده شده دانلودکردنی است. کار را از نو بخواهید.`,
  }),
  refused: (code: string): Localized => ({
    en: `The work could not go on (${code}); see this code in the list of errors, then ask for the work anew.`,
    fa: `ادامهٔ کار ممکن نشد (${code})؛ این کد را در فهرست خطاها ببینید و سپس کار را از نو بخواهید.`,
  }),
}

/** Descriptions of a run until its pipeline has reported progress. */
export const states = {
  queued: { en: 'Waiting for its turn.', fa: 'در نوبت.' },
  running: { en: 'At work.', fa: 'در حال انجام.' },
  waiting: {
    en: 'The model provider is busy; the work goes on by itself.',
    fa: 'ارائه‌دهندهٔ مدل شلوغ است؛ کار خودش ادامه می‌یابد.',
  },
  cancelling: { en: 'Being cancelled.', fa: 'در حال لغو.' },
} satisfies Record<string, Localized>

export const filePhrases = (path: string): Localized => ({ en: `${path} is ready.`, fa: `${path} آماده شد.` })

export const manifestTitle: Localized = { en: 'List of files', fa: 'فهرست فایل‌ها' }
