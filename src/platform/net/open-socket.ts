import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { FetchRefused } from './refused.ts'
import { hostOf, isAddress } from './target.ts'

export interface SocketAsk {
  /** What the host was resolved to; nothing else is connected to. */
  addresses: readonly LookupAddress[]
  admits: (address: string) => boolean
  /** Roots to trust instead of the system's. */
  ca?: string | undefined
  signal: AbortSignal
}

/**
 * A connection to one of the given addresses, several tried as RFC 8305 says, and the one that answered judged again before a byte is
 * sent. For https: with the certificate checked against the host's name, whatever the environment says. Throws `FetchRefused`, and
 * the signal's AbortError.
 */
export async function openSocket(url: URL, ask: SocketAsk): Promise<Socket> {
  const socket = connect({
    host: hostOf(url),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    // The second and last time that the name is asked for, it is answered from what was judged.
    lookup: (_host, _options, answer) => answer(null, [...ask.addresses]),
    autoSelectFamily: true,
    noDelay: true,
  })
  await opened(socket, 'connect', 'connect', url, ask.signal)
  if (!socket.remoteAddress || !ask.admits(socket.remoteAddress)) {
    socket.destroy()
    throw new FetchRefused('address_not_public', url.hostname)
  }
  if (url.protocol === 'http:') return socket
  const host = hostOf(url)
  const secure = connectTls({
    socket,
    host,
    ...(!isAddress(host) && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(ask.ca !== undefined && { ca: ask.ca }),
  })
  await opened(secure, 'secureConnect', 'tls', url, ask.signal)
  return secure
}

async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  reason: 'connect' | 'tls',
  url: URL,
  signal: AbortSignal,
): Promise<void> {
  // Whoever holds the socket learns of its end by what it awaits; an error in between must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
  } catch (cause) {
    socket.destroy()
    throw signal.aborted ? cause : new FetchRefused(reason, url.hostname, cause)
  }
}
