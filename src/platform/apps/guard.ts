/** Applies `guardedHeaders` to an answer of strangers' code, whichever way it is sent. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { withoutOwnCookies } from '#platform/http'
import { secretPrefixes } from '#platform/ids'
import { guardedHeaders, type HeaderLine } from './guarded-headers.ts'

/** Replaces `writeHead` of this one answer, because every way to send headers ends there. */
export function guardAnswer(response: ServerResponse, { isPathForm }: { isPathForm: boolean }): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: string[]) => ServerResponse
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const passed = rest.find((one) => typeof one === 'object') as OutgoingHttpHeaders | string[] | undefined
    const stated = [...linesOf(response.getHeaders()), ...linesOf(passed ?? {})]
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    return writeHead(status, guardedHeaders(stated, { status, isPathForm }).flat())
  }
  // Early hints and trailers are dropped: programs that read data do not need them.
  response.writeEarlyHints = () => {}
  response.addTrailers = () => {}
}

function linesOf(headers: OutgoingHttpHeaders | readonly string[]): HeaderLine[] {
  const pairs: [string, unknown][] = Array.isArray(headers)
    ? headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]] as [string, unknown]] : []))
    : Object.entries(headers)
  return pairs.flatMap(([name, value]) => [value ?? []].flat().map((one): HeaderLine => [name, String(one)]))
}

/**
 * Removes the platform's credentials before strangers' code sees the request: cookies where hosts are shared, the platform's own cookies everywhere,
 * and keys that were sent by mistake.
 */
export function removeCredentials(message: IncomingMessage, { isPathForm }: { isPathForm: boolean }): void {
  const isRemoved = (name: string, value: string): boolean =>
    (isPathForm && name === 'cookie') || (carriers.has(name) && isPlatformKey(value))
  const kept = linesOf(message.rawHeaders).flatMap(([name, value]): HeaderLine[] => {
    if (isRemoved(name.toLowerCase(), value)) return []
    if (name.toLowerCase() !== 'cookie') return [[name, value]]
    const others = withoutOwnCookies(value)
    return others === '' ? [] : [[name, others]]
  })
  for (const [name, value] of Object.entries(message.headers))
    if (isRemoved(name, String(value))) delete message.headers[name]
  const others = withoutOwnCookies(message.headers.cookie ?? '')
  if (others === '') delete message.headers.cookie
  else message.headers.cookie = others
  message.rawHeaders = kept.flat()
}

/** Whether the value begins with a key of the platform, after a scheme or not; inside other tokens these letters mean nothing. */
function isPlatformKey(value: string): boolean {
  const bare = value.replace(/^[A-Za-z]{1,20} {1,20}/, '').trimStart()
  return bare.startsWith(secretPrefixes.key) || bare.startsWith(secretPrefixes.management)
}

const carriers = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'apikey'])
