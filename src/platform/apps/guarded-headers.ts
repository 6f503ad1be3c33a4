/** The headers with which answers of strangers' code may leave: the answers are data for programs and never a page. */

import { isOwnCookie } from '#platform/http'

export type HeaderLine = readonly [name: string, value: string]

interface GuardedAnswer {
  status: number
  /** The request came by the path form. All hosts share the listener's own origin there, so a cookie would belong to all of them. */
  isPathForm: boolean
}

/**
 * Returns the headers that strangers' code has stated, as they may be sent. Types that a browser would run or guess become plain text, except SVG,
 * which leaves in a sandbox, and a text that states no charset is UTF-8; headers with effects beyond the answer itself (cookies of other hosts,
 * storage, service workers, credentials of pages, promises about TLS and other servers, orders to the proxy in front) are dropped.
 */
export function guardedHeaders(
  stated: readonly HeaderLine[],
  { status, isPathForm }: GuardedAnswer,
): HeaderLine[] {
  const allowedHeaders: HeaderLine[] = []
  const types: string[] = []
  for (const [name, value] of stated) {
    const known = name.toLowerCase()
    if (known === 'content-type') types.push(value)
    else if (known === 'set-cookie')
      allowedHeaders.push(
        ...(isPathForm || isOfPlatform(value) ? [] : [[name, withoutDomain(value)] as const]),
      )
    else if (!isDropped(known, isPathForm)) allowedHeaders.push([name, value])
  }
  const type = typeOf(types)
  // Answers with 204 and 304 have no body, and a type on a 304 would replace that of the answer in the browser's cache.
  if (types.length > 0 || (status !== 204 && status !== 304)) allowedHeaders.push(['content-type', type])
  if (type.startsWith('text/event-stream')) allowedHeaders.push(['x-accel-buffering', 'no'])
  // Browsers follow all of several policies.
  const isSandboxed = allowedHeaders.some(
    ([name, value]) => value === sandboxPolicy && name.toLowerCase() === 'content-security-policy',
  )
  if (isSvg(type) && !isSandboxed) allowedHeaders.push(['content-security-policy', sandboxPolicy])
  allowedHeaders.push(['x-content-type-options', 'nosniff'])
  return allowedHeaders
}

const dropped = new Set([
  'clear-site-data',
  'service-worker-allowed',
  'alt-svc',
  'strict-transport-security',
  'public-key-pins',
  'expect-ct',
  'nel',
  'access-control-allow-credentials',
  'set-cookie2',
  'x-content-type-options',
  // Headers of a single connection, which is the platform's (RFC 9110, section 7.6.1).
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Prefixes of headers that proxies obey: nginx, for example, would answer with a file of its own. */
const orders = ['x-accel-', 'x-sendfile', 'x-lighttpd-', 'x-litespeed-', 'x-reproxy-']

/** In the path form no answer may ask for a password, since browsers send it to every path of the origin. */
const isDropped = (name: string, isPathForm: boolean): boolean =>
  dropped.has(name) ||
  orders.some((order) => name.startsWith(order)) ||
  (isPathForm && name === 'www-authenticate')

/** Whether the cookie bears the name of one of the platform's, which no stranger sets at any host. */
const isOfPlatform = (cookie: string): boolean => isOwnCookie(cookie.split(/[=;]/, 1)[0]!)

/** Removes `Domain`, so that only the answering host gets the cookie. */
const withoutDomain = (cookie: string): string =>
  cookie
    .split(';')
    .filter((part, at) => at === 0 || !/^[\s]*domain[\s]*(?:=|$)/i.test(part))
    .join(';')

/** The policy of what strangers have stored: a page of its own that runs, loads and sends nothing. Within another page it is drawn as ever. */
export const sandboxPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const plainText = 'text/plain; charset=utf-8'

const name = /^([\w!#$%&'*+.^`|~-]+)\/([\w!#$%&'*+.^`|~-]+)$/
const parameter = /^[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\,]*")$/

/** Returns the one type that was stated, in its grammar and without a comma: of several types, browsers believe the last. */
function typeOf(types: readonly string[]): string {
  const [type, ...more] = types
  if (type === undefined || more.length > 0) return plainText
  const [essence, ...parameters] = type.split(';').map((part) => part.trim())
  const [, kind, subtype] = name.exec(essence!.toLowerCase()) ?? []
  const isWhole = parameters.every((one) => one === '' || parameter.test(one))
  if (kind === undefined || subtype === undefined || !isWhole) return plainText
  const charset = parameters.find((one) => /^charset=/i.test(one))
  if (isActiveContent(kind, subtype)) return charset === undefined ? plainText : `text/plain; ${charset}`
  // Without a charset browsers read a text in the one that is common in the reader's country.
  const hasCharset = kind !== 'text' || charset !== undefined
  return hasCharset ? type.trim() : `${[essence, ...parameters.filter(Boolean)].join('; ')}; charset=utf-8`
}

const isSvg = (type: string): boolean => /^[^/]+\/svg\+xml(?:\s*;|$)/i.test(type)

/** Parts of subtypes that browsers render as a document, which may hold scripts: `xhtml+xml`, `svg+xml`, `xml-dtd`, `vnd.mozilla.xul+xml`. */
const markup = new Set(['html', 'xhtml', 'xml', 'svg', 'mathml', 'xsl', 'xslt', 'xul'])
const plainMultiparts = new Set(['form-data', 'byteranges', 'mixed'])

function isActiveContent(kind: string, subtype: string): boolean {
  if (kind === 'multipart') return !plainMultiparts.has(subtype)
  // Types for which browsers look at the bytes (MIME Sniffing, section 7).
  if (kind === 'unknown' || kind.includes('*') || subtype.includes('*') || subtype === 'unknown') return true
  if (kind === 'message') return true
  // The policy of SVG keeps it from running anything.
  return subtype !== 'svg+xml' && subtype.split(/[.+-]/).some((part) => markup.has(part))
}
