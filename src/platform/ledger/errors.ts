import { declareFailures } from '#platform/errors'
import { persianDecimal, persianDigits } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    INSUFFICIENT_CREDITS: { needMicrocredits: bigint; haveMicrocredits: bigint }
    BUDGET_EXCEEDED: { scope: string; needMicrocredits: bigint; haveMicrocredits: bigint }
    IDEMPOTENCY_IN_PROGRESS: Record<string, never>
    IDEMPOTENCY_CONFLICT: Record<string, never>
    REQUEST_ALREADY_ACCEPTED: { receiptId: string; files?: string }
    RATE_LIMITED: { whose: 'key' | 'project' | 'account'; waitMs: number }
    CONCURRENCY_LIMITED: { whose: 'key' | 'project' | 'account' }
  }
}

const credits = (micro: bigint): string => {
  const text = (Number(micro) / 1e6)
    .toFixed(6)
    .replace(/(?<!0)0+$/, '')
    .replace(/\.$/, '')
  return text === '' ? '0' : text
}

const caps: Record<string, { en: string; fa: string }> = {
  account: { en: 'total cap of the account', fa: 'سقف کل حساب' },
  account_month: { en: 'monthly cap of the account', fa: 'سقف ماهانهٔ حساب' },
  project: { en: 'total cap of the project', fa: 'سقف کل پروژه' },
  project_month: { en: 'monthly cap of the project', fa: 'سقف ماهانهٔ پروژه' },
  key: { en: 'total cap of the key', fa: 'سقف کل کلید' },
  key_month: { en: 'monthly cap of the key', fa: 'سقف ماهانهٔ کلید' },
}

const owner: Record<string, { en: string; fa: string }> = {
  key: { en: 'key', fa: 'کلید' },
  project: { en: 'project', fa: 'پروژه' },
  account: { en: 'account', fa: 'حساب' },
}

declareFailures({
  RATE_LIMITED: {
    status: 429,
    en: ({ whose, waitMs }) =>
      `The calls per minute of this ${owner[whose]?.en ?? whose} are used up; wait ${Math.ceil(waitMs / 1000)} s and send the request again.`,
    fa: ({ whose, waitMs }) =>
      `سقف درخواست در دقیقهٔ این ${owner[whose]?.fa ?? whose} پر شده است؛ ${persianDigits(Math.ceil(waitMs / 1000))} ثانیه صبر کنید و دوباره بفرستید.`,
  },
  CONCURRENCY_LIMITED: {
    status: 429,
    en: ({ whose }) =>
      `This ${owner[whose]?.en ?? whose} has as many calls under way as it may; wait for one to end and send the request again.`,
    fa: ({ whose }) =>
      `این ${owner[whose]?.fa ?? whose} به شمار مجاز درخواست‌های هم‌زمان رسیده است؛ صبر کنید یکی پایان یابد و دوباره بفرستید.`,
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    retry: false,
    en: ({ needMicrocredits: need, haveMicrocredits: have }) =>
      `The balance is insufficient: this call may cost up to ${credits(need)} credits and ${credits(have)} can be spent now. Add credits, or ask for less (such as a lower max_tokens).`,
    fa: ({ needMicrocredits: need, haveMicrocredits: have }) =>
      `اعتبار کافی نیست: این درخواست تا ${persianDecimal(credits(need))} اعتبار هزینه دارد و اکنون ${persianDecimal(credits(have))} اعتبار در دسترس است. اعتبار بیفزایید یا کمتر بخواهید (مثلاً با max_tokens کوچک‌تر).`,
  },
  BUDGET_EXCEEDED: {
    status: 402,
    retry: false,
    en: ({ scope, needMicrocredits: need, haveMicrocredits: have }) =>
      `The ${caps[scope]?.en ?? scope} is reached: this call may cost up to ${credits(need)} credits and the cap leaves ${credits(have)}. Raise the cap, or ask for less (such as a lower max_tokens).`,
    fa: ({ scope, needMicrocredits: need, haveMicrocredits: have }) =>
      `${caps[scope]?.fa ?? scope} پر شده است: این درخواست تا ${persianDecimal(credits(need))} اعتبار هزینه دارد و ${persianDecimal(credits(have))} اعتبار از سقف مانده است. سقف را بالا ببرید یا کمتر بخواهید (مثلاً با max_tokens کوچک‌تر).`,
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    retry: false,
    en: () =>
      'A request with this Idempotency-Key is still running; wait for it and ask again, or look it up with GET /v1/requests/lookup.',
    fa: () =>
      'درخواستی با همین Idempotency-Key هنوز در حال اجراست؛ صبر کنید و دوباره بپرسید یا با GET /v1/requests/lookup وضعیت آن را ببینید.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    retry: false,
    en: () => 'This Idempotency-Key was used with another request; use a new key for a new request.',
    fa: () =>
      'این Idempotency-Key پیش‌تر با درخواست دیگری به کار رفته است؛ برای درخواست تازه کلید تازه بسازید.',
  },
  REQUEST_ALREADY_ACCEPTED: {
    status: 409,
    retry: false,
    en: ({ receiptId, files }) =>
      `This request was accepted before and its first answer cannot be replayed; it was not run again. See its receipt: GET /v1/requests/${receiptId}${files ? `. What it made is kept: ${files}` : ''}`,
    fa: ({ receiptId, files }) =>
      `این درخواست پیش‌تر پذیرفته شده و پاسخ نخست آن قابل بازپخش نیست؛ دوباره اجرا نشد. رسید آن: GET /v1/requests/${receiptId}${files ? `. آنچه ساخت نگه داشته شده است: ${files}` : ''}`,
  },
})
