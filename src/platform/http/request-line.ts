/** Checks for ambiguities in a request, whichever listener answers it. */
import type { IncomingMessage } from 'node:http'
import { Failure } from '#platform/errors'
import { hostName } from './host-name.ts'
import { reasons } from './phrases.ts'

/** Headers that decide what a request means and who pays. Node keeps the first of duplicates, a proxy in front of the server may keep the last. */
const singular = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'idempotency-key',
  'origin',
])

/** Refuses an ambiguous request. HTTP/1.1 must name its host, and no request may name two (RFC 9112, section 3.2). */
export function ambiguityFailure({
  httpVersion,
  headers,
  rawHeaders,
  url,
}: IncomingMessage): Failure | undefined {
  if (httpVersion === '1.1' && headers.host === undefined)
    return new Failure('INVALID_REQUEST', { why: reasons.noHost }, { param: 'Host' })
  if (url!.charCodeAt(0) !== slash && namesOtherHost(url!, headers.host))
    return new Failure('INVALID_REQUEST', { why: reasons.otherHost }, { param: 'Host' })
  for (let at = 2; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const known = name.toLowerCase()
    if (!singular.has(known)) continue
    for (let before = 0; before < at; before += 2)
      if (rawHeaders[before]!.length === name.length && rawHeaders[before]!.toLowerCase() === known)
        return new Failure('INVALID_REQUEST', { why: reasons.twoHeaders(known) }, { param: name })
  }
  return undefined
}

const slash = 47

/** Whether target and `Host` name different hosts: the host of a request must not depend on who reads the request. */
function namesOtherHost(target: string, host: string | undefined): boolean {
  const authority = absoluteOf(target)?.authority
  if (authority === undefined) return false
  const named = hostName(authority)
  return named === undefined || (host !== undefined && named !== hostName(host))
}

/** The path and query of a target that also names its host; any other target as it is. */
export function pathOfTarget(target: string): string {
  const rest = absoluteOf(target)?.rest
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`
}

/** The target in absolute form, as sent to a proxy: its authority is the host of the request (RFC 9112, section 3.2.2). */
function absoluteOf(target: string): { authority: string; rest: string } | undefined {
  const [scheme, after] = target.split('://', 2)
  if (after === undefined || !/^[a-z][a-z0-9+.-]*$/i.test(scheme!)) return undefined
  const end = after.search(/[/?#]/)
  const from = scheme!.length + 3
  return {
    authority: end === -1 ? after : after.slice(0, end),
    rest: end === -1 ? '' : target.slice(from + end),
  }
}
