/** Checks which pages links may lead to: such a page is given a session. */
import type { LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import { findSite, siteUrl } from '#sites/hosting'
import type { AppSignInApp } from './app.ts'
import { reasons } from './phrases.ts'

const maxUrlLength = 2_000

/**
 * Returns the requested address, or that of the app; null if there is neither. Throws APP_USER_REDIRECT_REFUSED for an address that is neither of the
 * app's origin, nor of a site of this cloud, nor below one of the additional addresses; and APP_USER_INVALID.
 */
export async function readRedirect(
  app: Pick<AppSignInApp, 'config' | 'db' | 'sites'>,
  cloud: LiveCloud,
  asked: string | null | undefined,
): Promise<string | null> {
  if (asked === undefined || asked === null || asked === '') return cloud.siteUrl
  const url = asked.length <= maxUrlLength ? webAddress(asked) : undefined
  if (!url) fail('APP_USER_INVALID', { why: reasons.redirect })
  const isAllowed =
    (cloud.siteUrl !== null && new URL(cloud.siteUrl).origin === url.origin) ||
    cloud.additionalRedirectUrls.some((one) => isBelow(url, one)) ||
    (await isSiteOf(app, cloud, url))
  // Tokens are put behind the #, where a fragment of the requested address would hide them.
  url.hash = ''
  return isAllowed ? url.href : fail('APP_USER_REDIRECT_REFUSED', { origin: url.origin })
}

/** Returns an absolute web address without credentials, or undefined. */
export function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')
  return isWeb && url.username === '' && url.password === '' ? url : undefined
}

/** `https://app.example/done` allows itself and `https://app.example/done/…`; an address that ends in / allows everything below it. */
function isBelow(url: URL, allowed: string): boolean {
  const base = new URL(allowed)
  const { pathname } = base
  return (
    base.origin === url.origin &&
    (url.pathname === pathname || url.pathname.startsWith(pathname.endsWith('/') ? pathname : `${pathname}/`))
  )
}

/** Whether the URL is a site that is published in this cloud, at the address that visitors use. */
async function isSiteOf(
  { config, db, sites }: Pick<AppSignInApp, 'config' | 'db' | 'sites'>,
  { accountId, projectId, cloudId }: LiveCloud,
  { protocol, port, hostname }: URL,
): Promise<boolean> {
  const served = new URL(siteUrl(config, 'any'))
  const found = sites.find(hostname.replace(/\.$/, ''))
  if (!found || found.takenDown || found.accountId !== accountId) return false
  if (protocol !== served.protocol || port !== served.port) return false
  return (await findSite(db, { accountId, projectId, siteId: found.siteId, cloudId })) !== undefined
}
