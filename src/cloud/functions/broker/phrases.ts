/** What a function gets for a request that it may not send: the status and body of the answer to its `fetch`. */

import { declareFailures, type Localized } from '#platform/errors'
import { english, persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    FUNCTION_FETCH_INVALID: { why: Localized }
    FUNCTION_FETCH_REFUSED: { why: Localized }
    FUNCTION_FETCH_FAILED: { why: Localized }
    FUNCTION_FETCH_TIMEOUT: { seconds: number }
    FUNCTION_FETCH_LIMIT: { most: number }
    FUNCTION_FETCH_TOO_LARGE: { most: number }
    FUNCTION_FETCH_UNSUPPORTED: { why: Localized }
    FUNCTION_EGRESS_LIMIT: object
    FUNCTION_DEPTH: { most: number }
  }
}

declareFailures({
  FUNCTION_FETCH_INVALID: {
    status: 400,
    en: ({ why }) => `This request of the function cannot be sent: ${why.en}`,
    fa: ({ why }) => `این درخواست تابع فرستادنی نیست: ${why.fa}`,
    retry: false,
  },
  FUNCTION_FETCH_REFUSED: {
    status: 403,
    en: ({ why }) => `Functions may not send requests to this address: ${why.en}`,
    fa: ({ why }) => `تابع‌ها اجازه ندارند به این نشانی درخواست بفرستند: ${why.fa}`,
    retry: false,
  },
  FUNCTION_FETCH_FAILED: {
    status: 502,
    en: ({ why }) => `The address that the function requested gave no answer: ${why.en}`,
    fa: ({ why }) => `نشانی‌ای که تابع درخواست کرده پاسخی نداد: ${why.fa}`,
  },
  FUNCTION_FETCH_TIMEOUT: {
    status: 504,
    en: ({ seconds }) =>
      `The address that the function requested did not answer within ${english(seconds)} seconds.`,
    fa: ({ seconds }) => `نشانی‌ای که تابع درخواست کرده در ${persian(seconds)} ثانیه پاسخ نداد.`,
  },
  FUNCTION_FETCH_LIMIT: {
    status: 429,
    en: ({ most }) =>
      `A call of a function may send at most ${english(most)} requests, redirects included. Send fewer, or several items in one.`,
    fa: ({ most }) =>
      `هر فراخوانی تابع حداکثر ${persian(most)} درخواست می‌فرستد، با احتساب هدایت‌ها. کمتر بفرستید یا چند مورد را در یک درخواست.`,
    retry: false,
  },
  FUNCTION_FETCH_TOO_LARGE: {
    status: 413,
    en: ({ most }) =>
      `A request of a function has at most ${english(most)} bytes of body, and as many its answer.`,
    fa: ({ most }) => `بدنهٔ درخواست تابع حداکثر ${persian(most)} بایت است و بدنهٔ پاسخ آن نیز.`,
    retry: false,
  },
  FUNCTION_FETCH_UNSUPPORTED: {
    status: 501,
    en: ({ why }) => `Functions send plain HTTP requests only: ${why.en}`,
    fa: ({ why }) => `تابع‌ها فقط درخواست سادهٔ HTTP می‌فرستند: ${why.fa}`,
    retry: false,
  },
  FUNCTION_DEPTH: {
    status: 508,
    en: ({ most }) =>
      `Functions have called each other ${english(most)} times within one call, the most that may be. Look for a function that calls itself without an end.`,
    fa: ({ most }) =>
      `تابع‌ها در یک فراخوانی ${persian(most)} بار یکدیگر را صدا زده‌اند که بیشترین حد مجاز است. دنبال تابعی بگردید که بی‌پایان خود را صدا می‌زند.`,
    retry: false,
  },
  FUNCTION_EGRESS_LIMIT: {
    status: 429,
    en: () =>
      'The functions of this cloud have sent as many bytes as its daily limit allows. It begins anew at midnight (UTC).',
    fa: () => 'تابع‌های این بک‌اند به اندازهٔ سقف روزانه‌اش بایت فرستاده‌اند. سقف نیمه‌شب (UTC) از نو آغاز می‌شود.',
  },
})

export const reasons = {
  noHost: {
    en: 'it names no host, or more than one.',
    fa: 'میزبانی را نام نمی‌برد، یا بیش از یکی را.',
  },
  noPath: {
    en: 'its target is no path.',
    fa: 'هدف آن مسیر نیست.',
  },
  bodyOfGet: {
    en: 'GET, HEAD and TRACE have no body.',
    fa: 'GET و HEAD و TRACE بدنه ندارند.',
  },
  malformed: {
    en: 'it is no well-formed HTTP request.',
    fa: 'درخواست HTTP درستی نیست.',
  },
  headersTooLarge: {
    en: 'its headers are larger than 16 KB.',
    fa: 'هدرهای آن از ۱۶ کیلوبایت بزرگ‌ترند.',
  },
  tooSlow: {
    en: 'its headers did not come in time.',
    fa: 'هدرهای آن به‌موقع نرسیدند.',
  },
  webSocket: {
    en: 'WebSockets and other protocols over a request are not available.',
    fa: 'وب‌سوکت و پروتکل‌های دیگر روی یک درخواست در دسترس نیستند.',
  },
  socket: {
    en: 'connections of TCP (connect, CONNECT) are not available.',
    fa: 'اتصال TCP (connect و CONNECT) در دسترس نیست.',
  },
  busy: {
    en: 'too many requests of functions are open on this server; try again in a moment.',
    fa: 'درخواست‌های باز تابع‌ها روی این سرور بیش از اندازه است؛ کمی بعد دوباره تلاش کنید.',
  },
} satisfies Record<string, Localized>
