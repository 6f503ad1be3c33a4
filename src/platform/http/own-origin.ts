/** Requests that a browser sends for a page of another origin, with the cookies of the person. */
import { Failure } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { baseUrlOf } from './base-url.ts'

const harmless = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A request that changes something and stands on a cookie has to come from a page of this very origin: browsers send cookies along whoever
 * asks, also for pages of other ports of this host. What carries `Authorization` no page of another origin can forge.
 */
export function crossSite(context: ActiveRequest): Failure | undefined {
  const { message, headers } = context
  if (headers.cookie === undefined || headers.authorization !== undefined || harmless.has(message.method!))
    return undefined
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign =
    site === 'cross-site' || site === 'same-site' || (origin !== undefined && origin !== originOf(context))
  return isForeign ? new Failure('CROSS_SITE_REQUEST', {}, {}) : undefined
}

const originOf = (context: ActiveRequest): string => new URL(baseUrlOf(context)).origin
