import type { Localized } from '#platform/errors'

export const reasons = {
  object: { en: 'the body is a JSON object.', fa: 'بدنه یک شیء JSON است.' },
  text: (name: string): Localized => ({
    en: `${name} is a text.`,
    fa: `${name} متن است.`,
  }),
  grant: {
    en: 'grant_type is password, refresh_token or pkce.',
    fa: 'grant_type یکی از password، refresh_token و pkce است.',
  },
  scope: { en: 'scope is global, local or others.', fa: 'scope یکی از global، local و others است.' },
  verify: {
    en: 'type is signup, invite, magiclink, recovery, email_change or email, with token_hash, or with email and token.',
    fa: 'type یکی از signup، invite، magiclink، recovery، email_change و email است، همراه token_hash یا email و token.',
  },
  resend: { en: 'type is signup or email_change.', fa: 'type یکی از signup و email_change است.' },
  linkType: {
    en: 'type is signup, invite, magiclink, recovery or email_change_new.',
    fa: 'type یکی از signup، invite، magiclink، recovery و email_change_new است.',
  },
  role: {
    en: 'every user has the role authenticated; it cannot be set.',
    fa: 'نقش همهٔ کاربران authenticated است و عوض نمی‌شود.',
  },
  hash: {
    en: 'password_hash cannot be set here; send password, or import an export.',
    fa: 'password_hash اینجا نوشته نمی‌شود؛ password بفرستید یا خروجی بک‌اند را وارد کنید.',
  },
  ban: {
    en: 'ban_duration is none, or a time such as 24h or 1h30m, of at most a thousand years.',
    fa: 'ban_duration برابر none یا زمانی مانند 24h یا 1h30m و حداکثر هزار سال است.',
  },
  id: { en: 'id is a UUID.', fa: 'id یک UUID است.' },
}
