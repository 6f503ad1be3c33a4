import { buildConnector, type Dispatcher, Pool } from 'undici'
import { AheadConnector } from './ahead.ts'
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

/** Keep-alive connections to one origin, one of which can be opened ahead of its request. */
export class OriginPool implements AsyncDisposable {
  readonly dispatcher: Dispatcher
  readonly #origin: URL
  readonly #pool: Pool
  readonly #connector: AheadConnector

  /**
   * The proxy gets host names unresolved. Plain HTTP requests are sent to an HTTP proxy in absolute form, as proxies expect (many allow CONNECT to port
   * 443 only); all other requests go through a tunnel. Connection errors are those of the network, or `ProxyFailed`.
   */
  constructor(origin: string, { proxy, trust, connectMs, pool }: DispatcherOptions) {
    this.#origin = new URL(origin)
    const tls = { timeout: connectMs, allowH2: false, ...(trust && { secureContext: trust }) }
    const open = buildConnector(tls)
    this.#connector = new AheadConnector(
      proxy ? proxied({ origin: this.#origin, proxy, trust, connectMs, secure: open }) : open,
    )
    this.#pool = new Pool(origin, { ...pool, connect: this.#connector.connect })
    this.dispatcher =
      proxy && isForwarded(origin, proxy)
        ? this.#pool.compose(forwarding(origin, loginOf(proxy)))
        : this.#pool
  }

  /** Opens a connection for the next request, unless one is idle. Nothing is sent on it. Never rejects: the request itself meets what is wrong. */
  async warm(): Promise<void> {
    if (this.#pool.destroyed || this.#pool.stats.free > 0) return
    const { protocol, host, hostname, port } = this.#origin
    await this.#connector.openAhead({ protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connector[Symbol.dispose]()
    await this.#pool.destroy()
  }
}

/** Keep-alive connections to one origin, for those who open none ahead. They are closed with the dispatcher. */
export const openDispatcher = (origin: string, options: DispatcherOptions): Dispatcher =>
  new OriginPool(origin, options).dispatcher

interface ProxiedOptions {
  origin: URL
  proxy: ProxyConfig
  trust: Egress['trust']
  connectMs: number
  /** Makes a tunnel secure. */
  secure: buildConnector.connector
}

/** Opens connections through the proxy. */
function proxied({ origin, proxy, trust, connectMs, secure }: ProxiedOptions): buildConnector.connector {
  const forwards = isForwarded(origin.href, proxy)
  return (options, done) => {
    const signal = AbortSignal.timeout(connectMs)
    const opening = forwards
      ? connectToProxy(proxy, { trust, signal })
      : openTunnel(proxy, targetOf(origin), { trust, signal })
    opening.then(
      (socket) => {
        if (forwards || options.protocol !== 'https:') done(null, socket)
        else secure({ ...options, httpSocket: socket }, done)
      },
      (error: Error) => done(error, null),
    )
  }
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
