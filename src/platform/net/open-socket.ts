import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { ProxyConfig } from '#platform/proxy'
import { openTunnel } from '#platform/proxy'
import { FetchRefused } from './refused.ts'
import { hostOf, isAddress } from './target.ts'

export interface SocketOptions {
  /** The resolved addresses; no other address is connected to. */
  addresses: readonly LookupAddress[]
  admits: (address: string) => boolean
  /** Trusted root certificates, instead of the system's. */
  trust?: SecureContext | undefined
  /** A proxy that connects to one of the addresses; it never gets a name, which it could resolve differently. */
  proxy?: ProxyConfig | undefined
  signal: AbortSignal
}

/**
 * Connects to one of the given addresses, trying several as RFC 8305 describes; the connected address is checked again before a byte is
 * sent. For https: the certificate is checked against the host's name, whatever the environment says. Throws `FetchRefused`, and the
 * signal's AbortError.
 */
export async function openSocket(url: URL, options: SocketOptions): Promise<Socket> {
  const socket = options.proxy
    ? await openByProxy(url, options, options.proxy)
    : await openDirectly(url, options)
  if (url.protocol === 'http:') return socket
  const host = hostOf(url)
  const secure = connectTls({
    socket,
    host,
    ...(!isAddress(host) && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(options.trust && { secureContext: options.trust }),
  })
  await whenOpened(secure, 'secureConnect', 'tls', url, options.signal)
  return secure
}

export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

async function openDirectly(url: URL, options: SocketOptions): Promise<Socket> {
  const socket = connect({
    host: hostOf(url),
    port: portOf(url),
    // Node's own lookup of the name is the second and last one; it is answered with the checked addresses.
    lookup: (_host, _options, answer) => answer(null, [...options.addresses]),
    autoSelectFamily: true,
    noDelay: true,
  })
  await whenOpened(socket, 'connect', 'connect', url, options.signal)
  if (!socket.remoteAddress || !options.admits(socket.remoteAddress)) {
    socket.destroy()
    throw new FetchRefused('address_not_public', url.hostname)
  }
  return socket
}

/** Tries one address after another, since only the proxy knows which it can reach. */
async function openByProxy(
  url: URL,
  { addresses, trust, signal }: SocketOptions,
  proxy: ProxyConfig,
): Promise<Socket> {
  let last: unknown
  for (const { address } of addresses.slice(0, maxTries)) {
    try {
      const socket = await openTunnel(proxy, { host: address, port: portOf(url) }, { trust, signal })
      socket.on('error', () => {})
      return socket
    } catch (cause) {
      signal.throwIfAborted()
      last = cause
    }
  }
  throw new FetchRefused('connect', url.hostname, last)
}

const maxTries = 4

async function whenOpened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  reason: 'connect' | 'tls',
  url: URL,
  signal: AbortSignal,
): Promise<void> {
  // The owner of the socket gets errors from its awaited operations; an error in between must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
  } catch (cause) {
    socket.destroy()
    throw signal.aborted ? cause : new FetchRefused(reason, url.hostname, cause)
  }
}
