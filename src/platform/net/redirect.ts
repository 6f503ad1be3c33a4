import type { HopRequest, Reply } from './exchange.ts'
import { FetchRefused } from './refused.ts'
import { type Protocol, readTarget } from './target.ts'

/**
 * Headers that may be sent to another origin after a redirect. All others, such as signatures and keys, were meant for the first origin
 * only.
 */
const crossOriginHeaders = ['accept', 'accept-language', 'user-agent']

/**
 * Returns the request that follows a redirect (RFC 9110, section 15.4). Its address is checked as strictly as the first one; to another origin only
 * harmless headers are sent, and never a body. Throws `FetchRefused`.
 */
export function followRedirect(step: HopRequest, reply: Reply, protocols: readonly Protocol[]): HopRequest {
  const url = readLocation(step, reply, protocols)
  const isCrossOrigin = url.origin !== step.url.origin
  const becomesGet =
    reply.status === 303 ? step.method !== 'HEAD' : reply.status <= 302 && step.method === 'POST'
  if (!becomesGet && step.body !== undefined && isCrossOrigin)
    throw new FetchRefused('bad_redirect', url.hostname)
  const headers = Object.fromEntries(
    Object.entries(step.headers).filter(
      ([name]) =>
        (!isCrossOrigin || crossOriginHeaders.includes(name)) && !(becomesGet && name.startsWith('content-')),
    ),
  )
  return becomesGet ? { url, method: 'GET', headers } : { ...step, url, headers }
}

function readLocation(step: HopRequest, reply: Reply, protocols: readonly Protocol[]): URL {
  const location = [reply.headers['location']].flat()[0]
  if (location === undefined) throw new FetchRefused('bad_redirect', step.url.hostname)
  try {
    return readTarget(location, protocols, step.url)
  } catch (cause) {
    throw new FetchRefused('bad_redirect', step.url.hostname, cause)
  }
}
