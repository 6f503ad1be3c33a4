import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { connectToProxy } from './connect-to-proxy.ts'
import { connectByHttp } from './http-connect.ts'
import type { ProxyConfig } from './settings.ts'
import { connectBySocks, negotiateLogin } from './socks.ts'

/** The target to which the proxy connects: a name, which the proxy resolves itself, or an address. */
export interface Target {
  /** The host without the brackets of IPv6. */
  host: string
  port: number
}

export const targetOf = ({ hostname, port, protocol }: URL): Target => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
})

export interface TunnelOptions {
  trust?: SecureContext | undefined
  signal: AbortSignal
}

/** Opens a connection through the proxy, on which nothing has been sent yet. Throws `ProxyFailed`, and the signal's reason. */
export async function openTunnel(
  proxy: ProxyConfig,
  target: Target,
  options: TunnelOptions,
): Promise<Socket> {
  const socket = await connectToProxy(proxy, options)
  const onAbort = () => socket.destroy(options.signal.reason as Error)
  options.signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (proxy.protocol === 'socks5') await connectBySocks(socket, proxy, target)
    else await connectByHttp(socket, proxy, target)
    return socket
  } catch (error) {
    socket.destroy()
    throw options.signal.aborted ? options.signal.reason : error
  } finally {
    options.signal.removeEventListener('abort', onAbort)
  }
}

/** Checks what can be checked of a proxy without a target: that it can be reached and, for SOCKS, that it accepts the login. */
export async function tryProxy(proxy: ProxyConfig, options: TunnelOptions): Promise<void> {
  const socket = await connectToProxy(proxy, options)
  const onAbort = () => socket.destroy(options.signal.reason as Error)
  options.signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (proxy.protocol === 'socks5') await negotiateLogin(socket, proxy)
  } finally {
    options.signal.removeEventListener('abort', onAbort)
    socket.destroy()
  }
}
