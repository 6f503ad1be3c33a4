/** Tells a proxy on this machine for which hosts it may obtain certificates. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostName, peerOf } from '#platform/http'
import type { HostHandler } from './apps.ts'

const path = '/_ask'

/**
 * Whether a proxy asks on its own behalf (`GET /_ask?domain=…`), as Caddy does for on-demand TLS: the request comes from this machine, to a name of
 * this machine, and not on behalf of a visitor, whose request every proxy marks.
 */
export function isCertificateQuery({ method, url, headers, socket }: IncomingMessage): boolean {
  if (url!.length > maxUrlLength || (url !== path && !url!.startsWith(`${path}?`))) return false
  if (method !== 'GET' && method !== 'HEAD') return false
  const host = hostName(headers.host ?? '')
  return (
    host !== undefined &&
    isLoopback(host) &&
    isLoopback(peerOf(socket)) &&
    !Object.keys(headers).some(isForwarding)
  )
}

/** The longest accepted URL, in characters. The name in it has at most 253. */
const maxUrlLength = 1_000

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

const isForwarding = (name: string): boolean =>
  name === 'forwarded' || name === 'via' || name === 'x-real-ip' || name.startsWith('x-forwarded-')

/** Answers 200 for a host of something that exists, else 404; decides from memory. */
export function answerCertificateQuery(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  handlers: readonly HostHandler[],
): void {
  const domain = new URLSearchParams(url!.slice(path.length)).getAll('domain')
  const host = domain.length === 1 && !domain[0]!.includes(':') ? hostName(domain[0]!) : undefined
  const exists = host !== undefined && handlers.some((handler) => handler.mayHaveCertificate(host))
  const body = exists ? 'yes\n' : 'no\n'
  response.writeHead(exists ? 200 : 404, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  })
  response.end(method === 'HEAD' ? undefined : body)
}
