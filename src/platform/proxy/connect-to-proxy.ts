import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { ProxyFailed } from './failed.ts'
import type { ProxyConfig } from './settings.ts'

/** Connects to the proxy, with TLS if its address says so. Throws `ProxyFailed`, and the signal's reason. */
export async function connectToProxy(
  proxy: ProxyConfig,
  { trust, signal }: { trust?: SecureContext | undefined; signal: AbortSignal },
): Promise<Socket> {
  const { host, port } = proxy
  const socket = connect({ host, port, autoSelectFamily: true, noDelay: true, keepAlive: true })
  await whenOpened(socket, 'connect', proxy, signal)
  if (proxy.protocol !== 'https') return socket
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    ...(trust && { secureContext: trust }),
  })
  await whenOpened(secure, 'secureConnect', proxy, signal)
  return secure
}

async function whenOpened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  proxy: ProxyConfig,
  signal: AbortSignal,
): Promise<void> {
  // The owner of the socket gets errors from its awaited operations; an error in between must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
  } catch (cause) {
    socket.destroy()
    throw signal.aborted ? cause : new ProxyFailed('away', proxy, codeOf(cause), cause)
  }
}

/** The error code (such as ECONNREFUSED), otherwise the message. */
export function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const { code } = cause as NodeJS.ErrnoException
  return code ?? cause.message
}
