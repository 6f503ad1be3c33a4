import { declareFailures, type Localized } from '#platform/errors'
import { english, persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    TOO_MANY_MANAGEMENT_KEYS: { max: number }
    MANAGEMENT_KEY_ENDED: Record<string, never>
  }
}

declareFailures({
  TOO_MANY_MANAGEMENT_KEYS: {
    status: 403,
    retry: false,
    en: ({ max }) => `An account has at most ${max} management keys that have not ended. Revoke one first.`,
    fa: ({ max }) => `هر حساب حداکثر ${persian(max)} کلید مدیریتی پایان‌نیافته دارد. نخست یکی را باطل کنید.`,
  },
  MANAGEMENT_KEY_ENDED: {
    status: 409,
    retry: false,
    en: () => 'This management key has ended, for good. Make a new one.',
    fa: () => 'این کلید مدیریتی برای همیشه پایان یافته است. کلید تازه‌ای بسازید.',
  },
})

/** Why a value is refused, in words. */
export const reasons = {
  end: (maxDays: number): Localized => ({
    en: `expires_at must be a time in the future, as in 2027-03-21T00:00:00Z, at most ${english(maxDays)} days from now.`,
    fa: `expires_at باید زمانی در آینده باشد، مانند 2027-03-21T00:00:00Z، تا ${persian(maxDays)} روز دیگر.`,
  }),
  scope: (name: string): Localized => ({
    en: `${name} is no scope of keys; GET /v1/me/accounts lists those that your role may give.`,
    fa: `${name} دسترسی کلیدها نیست؛ GET /v1/me/accounts دسترسی‌هایی را که نقش شما می‌دهد می‌شمارد.`,
  }),
  scopesWithoutKeys: {
    en: 'key_scopes are for a key with the permission keys:write; leave them out, or add it.',
    fa: 'key_scopes برای کلیدی است که اجازهٔ keys:write دارد؛ آن را نفرستید یا این اجازه را بیفزایید.',
  } satisfies Localized,
  address: (text: string): Localized => ({
    en: `addresses must be IPv4 or IPv6 addresses or networks, such as 203.0.113.7 or 2001:db8::/32, and no network of all addresses; ${text} is none.`,
    fa: `addresses باید نشانی یا شبکهٔ IPv4 یا IPv6 باشد، مانند 203.0.113.7 یا \u20662001:db8::/32\u2069، و نه شبکهٔ همهٔ نشانی‌ها؛ \u2068${text}\u2069 چنین نیست.`,
  }),
}
