import { request } from 'node:http'
import type { Socket } from 'node:net'
import { codeOf } from './connect-to-proxy.ts'
import { ProxyFailed } from './failed.ts'
import type { ProxyConfig } from './settings.ts'
import type { Target } from './tunnel.ts'

/** The credentials for the proxy, if its address contains a user. */
export const loginOf = ({ username, password = '' }: ProxyConfig): Record<string, string> =>
  username === undefined
    ? {}
    : { 'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }

/** Requests a tunnel from an HTTP proxy (RFC 9110, section 9.3.6). */
export async function connectByHttp(socket: Socket, proxy: ProxyConfig, target: Target): Promise<void> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`
  const asked = request({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, 'user-agent': 'kherad', ...loginOf(proxy) },
    createConnection: () => socket,
  })
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; head: Buffer }>()
  asked.on('connect', ({ statusCode: status = 0 }, _socket, head) => resolve({ status, head }))
  asked.on('error', reject)
  asked.end()
  const { status, head } = await promise.catch((cause: Error) => {
    const isNonsense = codeOf(cause).startsWith('HPE_')
    throw new ProxyFailed(isNonsense ? 'other_language' : 'away', proxy, codeOf(cause), cause)
  })
  if (status < 200 || status > 299) throw refusal(proxy, status)
  if (head.length > 0) socket.unshift(head)
}

/** Statuses in the 400s that may be temporary: not found, timeout, too many requests. */
const temporaryStatuses = [404, 408, 429]

function refusal(proxy: ProxyConfig, status: number): ProxyFailed {
  const answer = `HTTP ${status}`
  if (status === 407 || status === 401) return new ProxyFailed('login', proxy, answer)
  // The proxy does not support CONNECT.
  if (status === 405 || status === 501) return new ProxyFailed('other_language', proxy, answer)
  const isRefused = status >= 400 && status < 500 && !temporaryStatuses.includes(status)
  return new ProxyFailed(isRefused ? 'forbidden' : 'unreachable', proxy, answer)
}
