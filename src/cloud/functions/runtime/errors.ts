import { declareFailures, type Localized } from '#platform/errors'
import { persianDigits } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    FUNCTIONS_UNAVAILABLE: { why: Localized }
    FUNCTION_NOT_FOUND: Record<string, never>
    FUNCTION_BUSY: { atOnce: number; waiting: number }
    FUNCTION_TIMEOUT: { seconds: number }
    FUNCTION_CPU_LIMIT: { milliseconds: number }
    FUNCTION_MEMORY_LIMIT: { megabytes: number }
    FUNCTION_CRASHED: { why: Localized }
    FUNCTION_ANSWER_TOO_LARGE: { limitBytes: number }
  }
}

declareFailures({
  FUNCTIONS_UNAVAILABLE: {
    status: 503,
    retry: false,
    en: ({ why }) => `Functions do not run here: ${why.en}.`,
    fa: ({ why }) => `تابع‌ها اینجا اجرا نمی‌شوند: ${why.fa}.`,
  },
  FUNCTION_NOT_FOUND: {
    status: 404,
    en: () => 'This cloud has no function of that name; GET /v1/cloud/{id}/functions lists those it has.',
    fa: () => 'این بک‌اند تابعی به این نام ندارد؛ GET /v1/cloud/{id}/functions آن‌هایی را که دارد نشان می‌دهد.',
  },
  FUNCTION_BUSY: {
    status: 429,
    en: ({ atOnce, waiting }) =>
      `The functions of this cloud answer ${atOnce} calls at once and ${waiting} more wait; send this one again in a moment.`,
    fa: ({ atOnce, waiting }) =>
      `تابع‌های این بک‌اند هم‌زمان به ${persianDigits(atOnce)} فراخوانی پاسخ می‌دهند و ${persianDigits(waiting)} تای دیگر منتظر می‌مانند؛ کمی بعد دوباره بفرستید.`,
  },
  FUNCTION_TIMEOUT: {
    status: 504,
    retry: false,
    en: ({ seconds }) =>
      `The function did not end within ${seconds} seconds, and its call was broken off. Shorten what it does or waits for.`,
    fa: ({ seconds }) =>
      `تابع در ${persianDigits(seconds)} ثانیه پایان نیافت و فراخوانی‌اش قطع شد. کار یا انتظارش را کوتاه کنید.`,
  },
  FUNCTION_CPU_LIMIT: {
    status: 504,
    retry: false,
    en: ({ milliseconds }) =>
      `The functions of this cloud were ended because a call used more than ${milliseconds} ms of CPU time. Look for a loop without an end, or do less in one call.`,
    fa: ({ milliseconds }) =>
      `تابع‌های این بک‌اند پایان داده شدند، چون فراخوانی‌ای بیش از ${persianDigits(milliseconds)} میلی‌ثانیه زمان پردازنده گرفت. دنبال حلقهٔ بی‌پایان بگردید یا در هر فراخوانی کار کمتری بکنید.`,
  },
  FUNCTION_MEMORY_LIMIT: {
    status: 502,
    retry: false,
    en: ({ megabytes }) =>
      `The functions of this cloud were ended because they needed more memory than they may have (${megabytes} MB of JavaScript values). Keep less at once.`,
    fa: ({ megabytes }) =>
      `تابع‌های این بک‌اند پایان داده شدند، چون بیش از حافظهٔ مجاز می‌خواستند (${persianDigits(megabytes)} مگابایت برای مقدارهای جاوااسکریپت). دادهٔ کمتری هم‌زمان نگه دارید.`,
  },
  FUNCTION_CRASHED: {
    status: 502,
    retry: false,
    en: ({ why }) => `The function gave no answer: ${why.en}. Its logs say more.`,
    fa: ({ why }) => `تابع پاسخی نداد: ${why.fa}. گزارش‌هایش بیشتر می‌گویند.`,
  },
  FUNCTION_ANSWER_TOO_LARGE: {
    status: 502,
    retry: false,
    en: ({ limitBytes }) =>
      `The function answered more than ${limitBytes} bytes; answer less, or store it as a file.`,
    fa: ({ limitBytes }) =>
      `تابع بیش از ${persianDigits(limitBytes)} بایت پاسخ داد؛ کمتر پاسخ دهید یا آن را در فایلی ذخیره کنید.`,
  },
})

/** Why a call got no answer. */
export const crashes = {
  threw: { en: 'it threw an error', fa: 'خطایی پرتاب کرد' },
  no_answer: { en: 'it returned no Response', fa: 'مقداری از نوع Response برنگرداند' },
  not_loaded: { en: 'its code could not be loaded', fa: 'کدش بارگذاری نشد' },
  hung: {
    en: 'it waited for something that can never happen, or ended itself',
    fa: 'منتظر چیزی ماند که هرگز رخ نمی‌دهد، یا خود را پایان داد',
  },
  ended: { en: 'the process of this cloud’s functions ended', fa: 'پردازهٔ تابع‌های این بک‌اند پایان یافت' },
  started: {
    en: 'the process of this cloud’s functions did not start',
    fa: 'پردازهٔ تابع‌های این بک‌اند آغاز نشد',
  },
  broken: { en: 'it answered what is no valid HTTP', fa: 'پاسخش HTTP معتبر نیست' },
} satisfies Record<string, Localized>

export const noProgram: Localized = {
  en: 'the program workerd is not installed for this system and processor; install the optional dependencies of this service',
  fa: 'برنامهٔ workerd برای این سیستم و پردازنده نصب نیست؛ وابستگی‌های اختیاری سرویس را نصب کنید',
}
