/** The HTML of a page, with the language and the nonce of one answer. */
import { nonceMark } from '#account/console-build'
import type { Language } from '#platform/errors'

/** Nothing is loaded from elsewhere, no inline script runs, and a style element runs only with the nonce of this answer. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The headers of every page, the policy aside. */
export const pageHeaders = {
  // The policy of a page that needs no script; a page with a nonce replaces it.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A page of strangers that opens this page in a window has no handle on that window: it cannot navigate it elsewhere.
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy':
    'microphone=(self), camera=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
}

/** The page for one answer. The document says the language that the browser prefers; the person's own choice comes with the script. */
export function pageOf(built: string, language: Language, nonce: string): { body: string; policy: string } {
  const body = built
    .replace(
      '<html lang="fa" dir="rtl">',
      `<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">`,
    )
    .replaceAll(nonceMark, nonce)
  return { body, policy: policyOf(nonce) }
}
