import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    SITE_NOT_FOUND: Record<string, never>
    SITE_LIMIT: { max: number }
    SITE_PUBLISHING_LIMIT: { max: number }
    SITE_TAKEN_DOWN: Record<string, never>
    SITE_CONTENT_GONE: Record<string, never>
    SITE_VERSION_NOT_FOUND: { version: number }
    SITE_VERSION_NOT_READY: { version: number }
    SITE_VERSION_LIVE: { version: number }
    SITE_NOTHING_BEFORE: Record<string, never>
    SITE_OF_CLOUD: { cloudId: string }
  }
}

declareFailures({
  SITE_NOT_FOUND: {
    status: 404,
    en: () => 'There is no such site here; GET /v1/sites lists those there are.',
    fa: () => 'چنین سایتی اینجا نیست؛ GET /v1/sites آن‌ها را که هستند نشان می‌دهد.',
  },
  SITE_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) =>
      `A project has at most ${max} sites here; delete one, or publish a new version of one with POST /v1/sites/{id}.`,
    fa: ({ max }) =>
      `هر پروژه در اینجا حداکثر ${persian(max)} سایت دارد؛ یکی را حذف کنید یا با POST /v1/sites/{id} نسخهٔ تازه‌ای از یکی منتشر کنید.`,
  },
  SITE_PUBLISHING_LIMIT: {
    status: 429,
    en: ({ max }) =>
      `This project has ${max} publications that are not ready yet, as many as it may have. Publish when one of them is.`,
    fa: ({ max }) =>
      `این پروژه ${persian(max)} انتشار ناتمام دارد، به اندازهٔ سقف آن. پس از آماده‌شدن یکی از آن‌ها منتشر کنید.`,
  },
  SITE_TAKEN_DOWN: {
    status: 403,
    retry: false,
    en: () =>
      'The operator has taken this site down: nothing is published to it until it is restored. Ask the operator about it.',
    fa: () =>
      'گردانندهٔ سرویس این سایت را از دسترس خارج کرده است و تا بازگرداندنش چیزی در آن منتشر نمی‌شود. علت را از گرداننده بپرسید.',
  },
  SITE_CONTENT_GONE: {
    status: 409,
    retry: false,
    en: () =>
      'A file that was named by its sha256 alone has just been deleted with its version; publish again, with the content of the file.',
    fa: () =>
      'فایلی که تنها با sha256 نامیده شده بود همین حالا همراه نسخه‌اش حذف شد؛ دوباره و با محتوای آن فایل منتشر کنید.',
  },
  SITE_VERSION_NOT_FOUND: {
    status: 404,
    en: ({ version }) =>
      `There is no version ${version} of this site, or it is kept no longer; GET /v1/sites/{id} lists those there are.`,
    fa: ({ version }) =>
      `این سایت نسخهٔ ${persian(version)} ندارد یا آن نسخه دیگر نگه داشته نشده است؛ GET /v1/sites/{id} آن‌ها را که هستند نشان می‌دهد.`,
  },
  SITE_VERSION_NOT_READY: {
    status: 409,
    retry: true,
    en: ({ version }) =>
      `Version ${version} is not ready: it is still being published, or that failed. Choose another one, or wait.`,
    fa: ({ version }) =>
      `نسخهٔ ${persian(version)} آماده نیست: هنوز در حال انتشار است یا انتشارش ناکام ماند. نسخهٔ دیگری برگزینید یا صبر کنید.`,
  },
  SITE_VERSION_LIVE: {
    status: 409,
    retry: false,
    en: ({ version }) => `Version ${version} is the one that visitors get already.`,
    fa: ({ version }) => `بازدیدکنندگان هم‌اکنون همین نسخهٔ ${persian(version)} را می‌بینند.`,
  },
  SITE_NOTHING_BEFORE: {
    status: 409,
    retry: false,
    en: () =>
      'No version was live before the one that visitors get now; name a `version` that GET /v1/sites/{id} lists.',
    fa: () =>
      'پیش از نسخه‌ای که بازدیدکنندگان اکنون می‌بینند نسخه‌ای در دسترس نبوده است؛ یکی از نسخه‌های GET /v1/sites/{id} را در `version` بنویسید.',
  },
  SITE_OF_CLOUD: {
    status: 409,
    retry: false,
    en: ({ cloudId }) =>
      `This site belongs to an app back-end; delete it with DELETE /v1/cloud/${cloudId}/sites/{siteId}.`,
    fa: ({ cloudId }) =>
      `این سایت از آنِ یک بک‌اند است؛ آن را با DELETE /v1/cloud/${cloudId}/sites/{siteId} حذف کنید.`,
  },
})

/** Why a publication has failed for good. */
const problems = {
  given_up: {
    en: 'It was tried several times in vain, mostly because the storage of files could not be reached. Publish again later.',
    fa: 'چند بار بی‌نتیجه آزموده شد، بیشتر از آن رو که انبار فایل‌ها در دسترس نبود. اندکی بعد دوباره منتشر کنید.',
  },
  set_aside: {
    en: 'The server process ended twice while it was made ready, so it was set aside. Publish again, or tell the operator.',
    fa: 'پردازهٔ سرور دو بار هنگام آماده‌سازی آن از کار افتاد و کنار گذاشته شد. دوباره منتشر کنید یا به گردانندهٔ سرور خبر دهید.',
  },
  lost: {
    en: 'The bytes that were sent are not in the storage any more. Publish again, and tell the operator.',
    fa: 'بایت‌هایی که فرستاده شده بود دیگر در انبار نیست. دوباره منتشر کنید و به گردانندهٔ سرور خبر دهید.',
  },
  taken_down: {
    en: 'The operator took the site down before this version was ready.',
    fa: 'گردانندهٔ سرویس پیش از آماده‌شدن این نسخه سایت را از دسترس خارج کرد.',
  },
} satisfies Record<string, Localized>

export type PublicationProblem = keyof typeof problems

export const problemPhrases = (code: string): Localized => problems[code as PublicationProblem]
