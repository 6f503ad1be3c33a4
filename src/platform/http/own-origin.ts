/** Protects against requests that a browser sends for a page of another origin, with the person's cookies. */
import { Failure } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { baseUrlOf } from './base-url.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

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
    site === 'cross-site' || site === 'same-site' || (origin !== undefined && origin !== originOf(context))
  return isForeign ? new Failure('CROSS_SITE_REQUEST', {}, {}) : undefined
}

const originOf = (context: ActiveRequest): string => new URL(baseUrlOf(context)).origin
