import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    CLOUD_KEY_INVALID: { given: boolean }
    CLOUD_SERVICE_KEY_EXPOSED: Record<string, never>
    CLOUD_PATH_NOT_FOUND: { path: string }
  }
}

declareFailures({
  CLOUD_KEY_INVALID: {
    status: 401,
    en: ({ given }) =>
      given
        ? 'The apikey of this request is no key of this app back-end. Take the public key from GET /v1/cloud/{id}/connection; a rotated key ends with its grace period.'
        : 'This request has no apikey. Send the public key of the app back-end in the header apikey; GET /v1/cloud/{id}/connection shows it.',
    fa: ({ given }) =>
      given
        ? 'مقدار apikey این درخواست کلید این بک‌اند نیست. کلید عمومی را از GET /v1/cloud/{id}/connection بردارید؛ کلیدی که عوض شده تا پایان مهلتش پذیرفته می‌شود.'
        : 'این درخواست apikey ندارد. کلید عمومی بک‌اند را در سرایند apikey بفرستید؛ GET /v1/cloud/{id}/connection آن را نشان می‌دهد.',
  },
  CLOUD_SERVICE_KEY_EXPOSED: {
    status: 403,
    en: () =>
      'A browser sent the service key, which opens all data of this app back-end. Put the public key into pages, keep the service key on a server, and replace this one now: POST /v1/cloud/{id}/keys with {"kind": "service"}.',
    fa: () =>
      'مرورگری کلید سرویس را فرستاده که همهٔ داده‌های این بک‌اند را باز می‌کند. در صفحه‌ها کلید عمومی را بگذارید، کلید سرویس را روی سرور نگه دارید و این یکی را همین حالا عوض کنید: POST /v1/cloud/{id}/keys با {"kind": "service"}.',
  },
  CLOUD_PATH_NOT_FOUND: {
    status: 404,
    en: ({ path }) =>
      `An app back-end has nothing at ${path}. It answers at /auth/v1, /rest/v1, /functions/v1, /storage/v1 and /files.`,
    fa: ({ path }) =>
      `بک‌اند در ${path} چیزی ندارد. نشانی‌های آن: ‎/auth/v1، ‎/rest/v1، ‎/functions/v1، ‎/storage/v1 و ‎/files.`,
  },
})

export const reasons = {
  notJson: {
    en: 'this path reads JSON; send Content-Type: application/json.',
    fa: 'این مسیر JSON می‌خواند؛ Content-Type: application/json بفرستید.',
  },
} satisfies Record<string, Localized>
