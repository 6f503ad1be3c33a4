/** Holds an answer of strangers' code to `cloudAnswer`, whichever way it is sent. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { secretPrefixes } from '#platform/ids'
import { cloudAnswer, type HeaderLine } from './cloud-answer.ts'

/** Every way to send headers ends in `writeHead`, which is replaced on this one answer. */
export function guardAnswer(response: ServerResponse, { isPathForm }: { isPathForm: boolean }): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: string[]) => ServerResponse
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const passed = rest.find((one) => typeof one === 'object') as OutgoingHttpHeaders | string[] | undefined
    const stated = [...linesOf(response.getHeaders()), ...linesOf(passed ?? {})]
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    return writeHead(status, cloudAnswer(stated, { status, isPathForm }).flat())
  }
  // Headers before and after the answer have no use for data.
  response.writeEarlyHints = () => {}
  response.addTrailers = () => {}
}

function linesOf(headers: OutgoingHttpHeaders | readonly string[]): HeaderLine[] {
  const pairs: [string, unknown][] = Array.isArray(headers)
    ? headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]] as [string, unknown]] : []))
    : Object.entries(headers)
  return pairs.flatMap(([name, value]) => [value ?? []].flat().map((one): HeaderLine => [name, String(one)]))
}

/** Strangers' code gets no credential of the platform: no cookie where hosts are shared, and no key that was sent by mistake. */
export function removeCredentials(message: IncomingMessage, { isPathForm }: { isPathForm: boolean }): void {
  const isRemoved = (name: string, value: string): boolean =>
    (isPathForm && name === 'cookie') || (carriers.has(name) && isPlatformKey(value))
  const kept = linesOf(message.rawHeaders).filter(([name, value]) => !isRemoved(name.toLowerCase(), value))
  for (const [name, value] of Object.entries(message.headers))
    if (isRemoved(name, String(value))) delete message.headers[name]
  message.rawHeaders = kept.flat()
}

/** At the beginning, behind a scheme or not: within a token of others these letters mean nothing. */
const isPlatformKey = (value: string): boolean =>
  value
    .replace(/^[A-Za-z]{1,20} {1,20}/, '')
    .trimStart()
    .startsWith(secretPrefixes.key)

const carriers = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'apikey'])
