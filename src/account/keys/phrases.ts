import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    KEY_REVOKED: Record<string, never>
    /** A management key without any `key_scopes` only revokes keys. */
    KEY_SCOPE_NOT_GIVEN: { scope: string; hasKeyScopes: boolean }
    TOO_MANY_KEYS: { max: number }
    TOO_MANY_PROJECTS: { max: number }
  }
}

declareFailures({
  KEY_REVOKED: {
    status: 409,
    retry: false,
    en: () => 'This key is revoked, for good. Make a new one.',
    fa: () => 'این کلید برای همیشه باطل شده است. کلید تازه‌ای بسازید.',
  },
  KEY_SCOPE_NOT_GIVEN: {
    status: 403,
    retry: false,
    en: ({ scope, hasKeyScopes }) =>
      hasKeyScopes
        ? `This management key may not give the scope ${scope}: it makes and changes keys within its own key_scopes alone. It may still revoke this key.`
        : 'This management key has no key_scopes, so that it makes and changes no keys: it revokes them alone. Make a management key whose key_scopes are what its keys may do.',
    fa: ({ scope, hasKeyScopes }) =>
      hasKeyScopes
        ? `این کلید مدیریتی نمی‌تواند دسترسی ${scope} بدهد: تنها کلیدهایی در محدودهٔ key_scopes خود را می‌سازد و تغییر می‌دهد. باطل کردن کلید همچنان ممکن است.`
        : 'این کلید مدیریتی key_scopes ندارد، پس کلیدی نمی‌سازد و تغییر نمی‌دهد: تنها باطل می‌کند. کلید مدیریتی دیگری بسازید که key_scopes آن دسترسی‌های کلیدهایش باشد.',
  },
  TOO_MANY_KEYS: {
    status: 403,
    retry: false,
    en: ({ max }) => `An account has at most ${max} keys that are not revoked. Revoke one first.`,
    fa: ({ max }) => `هر حساب حداکثر ${persian(max)} کلید باطل‌نشده دارد. نخست یکی را باطل کنید.`,
  },
  TOO_MANY_PROJECTS: {
    status: 403,
    retry: false,
    en: ({ max }) => `An account has at most ${max} projects. Use one that is there.`,
    fa: ({ max }) => `هر حساب حداکثر ${persian(max)} پروژه دارد. از یکی از آن‌ها استفاده کنید.`,
  },
})

/** Why a value is refused, in words. */
export const reasons = {
  nothing: {
    en: 'the body changes nothing; name at least one member.',
    fa: 'بدنه چیزی را تغییر نمی‌دهد؛ دست‌کم یک عضو آن را بفرستید.',
  } satisfies Localized,
  timeZone: {
    en: 'time_zone must be a name of the IANA database, such as Asia/Tehran.',
    fa: 'time_zone باید نامی از فهرست IANA باشد، مانند Asia/Tehran.',
  } satisfies Localized,
  past: {
    en: 'expires_at must be a time in the future, as in 2027-03-21T00:00:00Z, within 100 years.',
    fa: 'expires_at باید زمانی در آینده باشد، مانند 2027-03-21T00:00:00Z، تا ۱۰۰ سال دیگر.',
  } satisfies Localized,
  scope: (name: string): Localized => ({
    en: `${name} is no scope of keys; GET /v1/me/accounts lists what your role may give.`,
    fa: `${name} دسترسی کلیدها نیست؛ GET /v1/me/accounts آنچه را نقش شما می‌تواند بدهد می‌شمارد.`,
  }),
  origin: (text: string): Localized => ({
    en: `origins must have origins as browsers send them, such as https://app.example.com; ${text} is none.`,
    fa: `origins باید نشانی صفحه‌ها را چنان داشته باشد که مرورگر می‌فرستد، مانند https://app.example.com؛ ${text} چنین نیست.`,
  }),
}
