import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    CLOUD_NOT_FOUND: Record<string, never>
    CLOUD_LIMIT: { max: number }
    CLOUD_DELETION_LIMIT: Record<string, never>
    CLOUD_NOT_READY: { status: 'provisioning' | 'failed' }
    CLOUD_READY: Record<string, never>
    CLOUD_DELETING: Record<string, never>
    CLOUD_SUSPENDED: Record<string, never>
    CLOUD_IMPORTING: Record<string, never>
    CLOUD_KEY_NOT_FOUND: Record<string, never>
    CLOUD_KEY_LIMIT: { max: number }
    CLOUD_MOVING: Record<string, never>
    CLOUD_DEDICATED: Record<string, never>
    PACKAGE_REQUIRED: Record<string, never>
    PACKAGE_UNPAID: Record<string, never>
    PACKAGE_USED_UP: Record<string, never>
    CLOUD_READ_ONLY: { why: ReadOnlyReason | 'machine' }
    CLOUD_EGRESS_LIMIT: { maxBytes: number }
    CLOUD_CALL_LIMIT: { max: number }
  }
}

declareFailures({
  CLOUD_NOT_FOUND: {
    status: 404,
    en: () => 'There is no such app back-end here; GET /v1/cloud lists those there are.',
    fa: () => 'چنین بک‌اندی اینجا نیست؛ GET /v1/cloud آن‌ها را که هستند نشان می‌دهد.',
  },
  CLOUD_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) => `A project has at most ${max} Starter app back-ends here; delete one first.`,
    fa: ({ max }) => `هر پروژه در اینجا حداکثر ${persian(max)} بک‌اند Starter دارد؛ نخست یکی را حذف کنید.`,
  },
  CLOUD_DELETION_LIMIT: {
    status: 409,
    retry: true,
    en: () =>
      'Several app back-ends of this project are still being deleted; create another one when they are gone.',
    fa: () => 'چند بک‌اند این پروژه هنوز در حال حذف است؛ پس از پایان حذفشان بک‌اند تازه بسازید.',
  },
  CLOUD_NOT_READY: {
    status: 409,
    retry: true,
    en: ({ status }) =>
      status === 'failed'
        ? 'Setting up this app back-end has failed; POST /v1/cloud/{id}/retry tries again, and GET /v1/cloud/{id} says why.'
        : 'This app back-end is still being set up; GET /v1/cloud/{id} says when it is ready.',
    fa: ({ status }) =>
      status === 'failed'
        ? 'راه‌اندازی این بک‌اند ناکام ماند؛ POST /v1/cloud/{id}/retry دوباره می‌کوشد و GET /v1/cloud/{id} علت را می‌گوید.'
        : 'این بک‌اند هنوز در حال راه‌اندازی است؛ GET /v1/cloud/{id} می‌گوید چه هنگام آماده است.',
  },
  CLOUD_READY: {
    status: 409,
    retry: false,
    en: () => 'This app back-end is ready: there is nothing to retry.',
    fa: () => 'این بک‌اند آماده است و چیزی برای تلاش دوباره نیست.',
  },
  CLOUD_DELETING: {
    status: 409,
    retry: false,
    en: () => 'This app back-end is being deleted, which cannot be undone; create another one.',
    fa: () => 'این بک‌اند در حال حذف است و بازگردانده نمی‌شود؛ بک‌اند دیگری بسازید.',
  },
  CLOUD_SUSPENDED: {
    status: 403,
    retry: false,
    en: () =>
      'The operator has suspended this app back-end: its app gets no answers and it cannot be changed until it is resumed. Ask the operator about it.',
    fa: () =>
      'گردانندهٔ سرویس این بک‌اند را معلق کرده است: تا رفع تعلیق به برنامه پاسخ نمی‌دهد و تغییر نمی‌کند. علت را از گرداننده بپرسید.',
  },
  CLOUD_IMPORTING: {
    status: 409,
    retry: true,
    en: () => 'Other exports are being imported at this moment; try again in a few seconds.',
    fa: () => 'در این لحظه خروجی‌های دیگری در حال ورودند؛ چند ثانیهٔ دیگر دوباره بکوشید.',
  },
  CLOUD_KEY_NOT_FOUND: {
    status: 404,
    en: () => 'This app back-end has no such key; GET /v1/cloud/{id}/keys lists those it has.',
    fa: () => 'این بک‌اند چنین کلیدی ندارد؛ GET /v1/cloud/{id}/keys آن‌ها را که دارد نشان می‌دهد.',
  },
  CLOUD_KEY_LIMIT: {
    status: 409,
    retry: false,
    en: ({ max }) =>
      `An app back-end has at most ${max} keys of a kind at a time, those in their grace period included; delete one first.`,
    fa: ({ max }) =>
      `هر بک‌اند هم‌زمان حداکثر ${persian(max)} کلید از هر نوع دارد، با آن‌ها که در مهلت‌اند؛ نخست یکی را حذف کنید.`,
  },
  CLOUD_EGRESS_LIMIT: {
    status: 429,
    retry: true,
    en: ({ maxBytes }) =>
      `This app back-end has sent the ${maxBytes} bytes that it may send in a day; it answers again at 00:00 UTC (3:30 in Tehran).`,
    fa: ({ maxBytes }) =>
      `این بک‌اند ${persian(maxBytes)} بایتی را که در یک روز می‌تواند بفرستد فرستاده است؛ از ساعت ۳:۳۰ بامداد به وقت تهران (۰۰:۰۰ به وقت جهانی) دوباره پاسخ می‌دهد.`,
  },
  CLOUD_CALL_LIMIT: {
    status: 429,
    retry: true,
    en: ({ max }) =>
      `The functions of this app back-end have been called ${max} times today, which is its limit; they can be called again at 00:00 UTC (3:30 in Tehran).`,
    fa: ({ max }) =>
      `تابع‌های این بک‌اند امروز ${persian(max)} بار فراخوانده شده‌اند که سقف آن است؛ از ساعت ۳:۳۰ بامداد به وقت تهران (۰۰:۰۰ به وقت جهانی) دوباره فراخواندنی‌اند.`,
  },
  CLOUD_MOVING: {
    status: 503,
    retry: true,
    en: () =>
      'This app back-end is being copied into a database of its own, which takes some seconds; until then it only answers reads.',
    fa: () =>
      'این بک‌اند در حال کپی‌شدن به پایگاه دادهٔ اختصاصی است که چند ثانیه می‌کشد؛ تا پایان آن فقط خواندن ممکن است.',
  },
  CLOUD_DEDICATED: {
    status: 409,
    retry: false,
    en: () => 'This app back-end has a database of its own already; there is nothing to move.',
    fa: () => 'این بک‌اند از پیش پایگاه دادهٔ اختصاصی دارد؛ چیزی برای جابه‌جایی نیست.',
  },
  PACKAGE_REQUIRED: {
    status: 403,
    retry: false,
    en: () =>
      'Dedicated infrastructure needs a package of the account, which the operator gives. GET /v1/cloud lists what is offered and what the account has; `plan: "starter"` needs none.',
    fa: () =>
      'بک‌اند اختصاصی بستهٔ حساب می‌خواهد که گردانندهٔ سرویس آن را می‌دهد. GET /v1/cloud بسته‌ها و آنچه حساب دارد را نشان می‌دهد؛ `plan: "starter"` بسته نمی‌خواهد.',
  },
  PACKAGE_UNPAID: {
    status: 402,
    retry: false,
    en: () =>
      'The free package of this account is no longer paid for; have the operator renew it, and send this again.',
    fa: () => 'پرداخت بستهٔ آزاد این حساب به پایان رسیده است؛ تمدیدش را از گرداننده بخواهید و دوباره بفرستید.',
  },
  PACKAGE_USED_UP: {
    status: 402,
    retry: false,
    en: () =>
      'Every package of this account is used by an app back-end; delete one of them, or ask the operator for another package.',
    fa: () =>
      'همهٔ بسته‌های این حساب در کار بک‌اندی‌اند؛ یکی از بک‌اندها را حذف کنید یا از گرداننده بستهٔ دیگری بخواهید.',
  },
  CLOUD_READ_ONLY: {
    status: 403,
    retry: false,
    en: ({ why }) => (readOnlyReasons[why] ?? readOnlyReasons.disk).en,
    fa: ({ why }) => (readOnlyReasons[why] ?? readOnlyReasons.disk).fa,
  },
})

/** Why an app only reads. */
export type ReadOnlyReason = 'disk' | 'unpaid'

const readOnlyReasons: Record<ReadOnlyReason | 'machine', Localized> = {
  disk: {
    en: 'The database of this app back-end has reached the disk of its package, so it only answers reads. Delete rows or drop tables with POST /v1/cloud/{id}/database (DELETE, TRUNCATE, DROP and VACUUM work), or take a larger package.',
    fa: 'پایگاه دادهٔ این بک‌اند به سقف دیسک بسته‌اش رسیده و فقط خواندن ممکن است. با POST /v1/cloud/{id}/database ردیف‌ها یا جدول‌هایی را حذف کنید (DELETE و TRUNCATE و DROP و VACUUM کار می‌کنند) یا بستهٔ بزرگ‌تری بگیرید.',
  },
  machine: {
    en: 'The disk of the server is nearly full, so its databases only answer reads, TRUNCATE and DROP. Try again later; the operator has to make room.',
    fa: 'دیسک سرور نزدیک به پر شدن است و پایگاه‌های داده فقط خواندن و TRUNCATE و DROP را پاسخ می‌دهند. بعداً دوباره امتحان کنید؛ گرداننده باید جا باز کند.',
  },
  unpaid: {
    en: 'The package of this app back-end is no longer paid for, so it only answers reads. Nothing is deleted; ask the operator to renew it.',
    fa: 'پرداخت بستهٔ این بک‌اند به پایان رسیده و فقط خواندن ممکن است. چیزی حذف نمی‌شود؛ تمدید بسته را از گرداننده بخواهید.',
  },
}

/** Texts of `suspended_reason` that the platform itself writes; all others are the operator's. */
export const suspensionReasons = {
  packageEnded: 'بستهٔ این بک‌اند پایان یافته است. The package of this app back-end has ended.',
  accountClosing: 'حساب این بک‌اند در حال حذف است. The account of this app back-end is being deleted.',
}

/** Why a cloud could not be set up. */
const problems = {
  given_up: {
    en: 'It was tried several times in vain, mostly because the database could not be written. Retry, or tell the operator.',
    fa: 'چند بار بی‌نتیجه آزموده شد، بیشتر از آن رو که نوشتن در پایگاه داده ممکن نبود. دوباره بکوشید یا به گردانندهٔ سرویس خبر دهید.',
  },
  set_aside: {
    en: 'The server process ended twice while it was set up, so it was set aside. Retry, or tell the operator.',
    fa: 'پردازهٔ سرور دو بار هنگام راه‌اندازی آن از کار افتاد و کنار گذاشته شد. دوباره بکوشید یا به گردانندهٔ سرویس خبر دهید.',
  },
} satisfies Record<string, Localized>

export type ProvisioningProblem = keyof typeof problems

export const problemPhrases = (code: string): Localized => problems[code as ProvisioningProblem]
