import { buildConnector, type Dispatcher, Pool } from 'undici'
import { connectToProxy } from './connect-to-proxy.ts'
import { loginOf } from './http-connect.ts'
import type { Egress } from './proxy.ts'
import type { ProxyConfig } from './settings.ts'
import { openTunnel, targetOf } from './tunnel.ts'

export interface DispatcherOptions extends Egress {
  /** The connection timeout, proxy included. Callers have timeouts of their own; this one is the fallback. */
  connectMs: number
  pool?: Omit<Pool.Options, 'connect'>
}

/**
 * Opens keep-alive connections to one origin through its egress. The proxy gets host names unresolved. Plain HTTP requests are sent to an HTTP proxy
 * in absolute form, as proxies expect (many allow CONNECT to port 443 only); all other requests go through a tunnel. Connection errors are those of
 * the network, or `ProxyFailed`.
 */
export function openDispatcher(
  origin: string,
  { proxy, trust, connectMs, pool }: DispatcherOptions,
): Dispatcher {
  const tls = { timeout: connectMs, allowH2: false, ...(trust && { secureContext: trust }) }
  if (!proxy) return new Pool(origin, { ...pool, connect: tls })
  const secure = buildConnector(tls)
  const forwards = isForwarded(origin, proxy)
  const opened = new Pool(origin, {
    ...pool,
    connect: (options, done) => {
      const signal = AbortSignal.timeout(connectMs)
      const opening = forwards
        ? connectToProxy(proxy, { trust, signal })
        : openTunnel(proxy, targetOf(new URL(origin)), { trust, signal })
      opening.then(
        (socket) => {
          if (forwards || options.protocol !== 'https:') done(null, socket)
          else secure({ ...options, httpSocket: socket }, done)
        },
        (error: Error) => done(error, null),
      )
    },
  })
  return forwards ? opened.compose(forwarding(origin, loginOf(proxy))) : opened
}

const isForwarded = (origin: string, { protocol }: ProxyConfig): boolean =>
  protocol !== 'socks5' && origin.startsWith('http:')

/** Sends requests in absolute form (RFC 9112, section 3.2.2). */
const forwarding =
  (origin: string, login: Record<string, string>): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(
      {
        ...options,
        path: `${origin}${options.path}`,
        headers: { ...(options.headers as Record<string, string>), host: new URL(origin).host, ...login },
      },
      handler,
    )
