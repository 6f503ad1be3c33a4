/** Protects against requests that a browser sends for a page of another origin, with the person's cookies. */
import { Failure } from '#platform/errors'
import { essenceOf } from '#platform/schema'
import type { ActiveRequest } from './active-request.ts'
import { baseUrlOf } from './base-url.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The header by which a session names its project. */
export const projectHeader = 'x-kherad-project'

/**
 * Refuses a request that changes something and is authenticated by a cookie, unless it comes from a page of this very origin: browsers send cookies
 * along whichever page makes the request, even one at another port of this host. A page of another origin cannot forge a request with
 * `Authorization`.
 */
export function foreignPageFailure(context: ActiveRequest): Failure | undefined {
  const { message, headers } = context
  if (headers.cookie === undefined || headers.authorization !== undefined || safeMethods.has(message.method!))
    return undefined
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign =
    site === 'cross-site' || site === 'same-site' || (origin !== undefined && origin !== context.origin)
  return isForeign ? foreign(context) : undefined
}

/**
 * Refuses a request whose cookie must not count. It counts for a page of our own origin, by what the browser says of it: `Sec-Fetch-Site`, which
 * browsers send on HTTPS and to this machine, and `Origin`, without which nothing is changed and no WebSocket is opened.
 */
export function cookieFailure(context: ActiveRequest, isSocket: boolean): Failure | undefined {
  const { message, headers } = context
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': destination } = headers
  const changes = isSocket || !safeMethods.has(message.method!)
  const isOwnSite =
    site === undefined || site === 'same-origin' || (site === 'none' && destination === 'document')
  const isOwnOrigin = origin === undefined ? !changes : origin === context.origin
  return isOwnSite && isOwnOrigin && !isForm(context) ? undefined : foreign(context)
}

/** What a page of another origin may send without being asked whether it may: bodies of HTML forms. The header of a project shows that it is none. */
function isForm({ headers }: ActiveRequest): boolean {
  const type = headers['content-type']
  return type !== undefined && formTypes.has(essenceOf(type)) && headers[projectHeader] === undefined
}

const formTypes = new Set(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])

const foreign = ({ origin }: ActiveRequest): Failure =>
  new Failure('CROSS_SITE_REQUEST', { address: origin }, {})

/** The origin at which this client reaches the server, as its browser writes it. */
export const ownOriginOf = (context: Pick<ActiveRequest, 'app' | 'headers' | 'peer'>): string =>
  new URL(baseUrlOf(context)).origin
