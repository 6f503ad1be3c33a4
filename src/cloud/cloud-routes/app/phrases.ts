import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    CLOUD_KEY_INVALID: { given: boolean }
    CLOUD_SERVICE_KEY_EXPOSED: Record<string, never>
    CLOUD_PATH_NOT_FOUND: { path: string }
    CLOUD_BUSY: Record<string, never>
    CLOUD_BUCKETS_UNAVAILABLE: Record<string, never>
    CLOUD_REALTIME_UNAVAILABLE: Record<string, never>
    APP_FILE_SIGN_IN_NEEDED: Record<string, never>
    APP_FILE_OWNER_NEEDED: Record<string, never>
  }
}

declareFailures({
  CLOUD_KEY_INVALID: {
    status: 401,
    en: ({ given }) =>
      given
        ? 'The apikey of this request is not a key of this app back-end. Take the public key from GET /v1/cloud/{id}/connection; a rotated key ends with its grace period.'
        : 'This request has no apikey. Send the public key of the app back-end in the header apikey; GET /v1/cloud/{id}/connection shows it.',
    fa: ({ given }) =>
      given
        ? 'مقدار apikey این درخواست کلید این بک‌اند نیست. کلید عمومی را از GET /v1/cloud/{id}/connection بردارید؛ کلیدی که عوض شده تا پایان مهلتش پذیرفته می‌شود.'
        : 'این درخواست apikey ندارد. کلید عمومی بک‌اند را در هدر apikey بفرستید؛ GET /v1/cloud/{id}/connection آن را نشان می‌دهد.',
  },
  CLOUD_SERVICE_KEY_EXPOSED: {
    status: 403,
    en: () =>
      'A browser sent the service key, which opens all data of this app back-end. Put the public key into pages, keep the service key on a server, and replace this one now: POST /v1/cloud/{id}/keys with {"kind": "service"}.',
    fa: () =>
      'مرورگری کلید سرویس را فرستاده که همهٔ داده‌های این بک‌اند را باز می‌کند. در صفحه‌ها کلید عمومی را بگذارید، کلید سرویس را روی سرور نگه دارید و این یکی را همین حالا عوض کنید: POST /v1/cloud/{id}/keys با ‎{"kind": "service"}‎.',
  },
  CLOUD_PATH_NOT_FOUND: {
    status: 404,
    en: ({ path }) =>
      `An app back-end has nothing at ${path}. It answers at /auth/v1, /rest/v1, /functions/v1, /storage/v1 and /files.`,
    fa: ({ path }) =>
      `بک‌اند در ${path} چیزی ندارد. نشانی‌های آن: ‎/auth/v1، ‎/rest/v1، ‎/functions/v1، ‎/storage/v1 و ‎/files.`,
  },
  CLOUD_BUSY: {
    status: 429,
    en: () =>
      'Too many requests of this app back-end wait for the database at this moment; send this one again in a second.',
    fa: () =>
      'در این لحظه درخواست‌های زیادی از این بک‌اند در صف پایگاه داده‌اند؛ یک ثانیه دیگر همین درخواست را دوباره بفرستید.',
  },
  CLOUD_BUCKETS_UNAVAILABLE: {
    status: 403,
    retry: false,
    en: () =>
      'Storage buckets need dedicated infrastructure, which this Starter app back-end does not have. Private files of its users go to /files: POST {"name", "content_base64"} with the apikey and the session of the user.',
    fa: () =>
      'باکت‌های فایل بک‌اند اختصاصی می‌خواهند که این بک‌اند Starter ندارد. فایل‌های خصوصی کاربران جایشان ‎/files است: POST با ‎{"name", "content_base64"}‎، همراه apikey و نشست کاربر.',
  },
  CLOUD_REALTIME_UNAVAILABLE: {
    status: 403,
    retry: false,
    en: () =>
      'App back-ends have no realtime channels: remove the subscription, and ask for new rows again when the page needs them (rest/v1).',
    fa: () =>
      'بک‌اند برنامه‌ها کانال بی‌درنگ (realtime) ندارد: اشتراک را بردارید و هر گاه صفحه ردیف‌های تازه می‌خواهد آن‌ها را دوباره بخواهید (rest/v1).',
  },
  APP_FILE_SIGN_IN_NEEDED: {
    status: 401,
    en: () =>
      'Private files belong to a signed-in user; send Authorization: Bearer with the session token beside the apikey. The public key alone opens none.',
    fa: () =>
      'فایل‌های خصوصی از آن کاربری‌اند که وارد شده است؛ کنار apikey، توکن نشست را در Authorization: Bearer بفرستید. کلید عمومی به تنهایی هیچ فایلی را باز نمی‌کند.',
  },
  APP_FILE_OWNER_NEEDED: {
    status: 403,
    retry: false,
    en: () =>
      'A private file belongs to the user who stores it; the service key is no user, so send the session of the user in its place.',
    fa: () =>
      'هر فایل خصوصی از آن کاربری است که آن را می‌گذارد؛ کلید سرویس کاربر نیست، پس به جای آن نشست کاربر را بفرستید.',
  },
})

export const reasons = {
  notJson: {
    en: 'this path reads JSON; send Content-Type: application/json.',
    fa: 'این مسیر JSON می‌خواند؛ Content-Type: application/json بفرستید.',
  },
  notBase64: {
    en: 'content_base64 is not whole Base64 (RFC 4648, section 4): padded, standard alphabet, no white space.',
    fa: 'content_base64 یک Base64 کامل نیست (RFC 4648، بخش ۴): با پرکنندهٔ =، الفبای استاندارد و بی‌فاصله.',
  },
} satisfies Record<string, Localized>
