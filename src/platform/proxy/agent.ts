import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Egress } from './proxy.ts'
import { openTunnel, targetOf } from './tunnel.ts'

export interface AgentOptions extends Egress {
  /** The connection timeout, proxy and TLS included. */
  connectMs: number
}

/** An agent for Node's own HTTP clients; its connections to the origin use the origin's egress. */
export function openAgent(origin: string, options: AgentOptions): HttpAgent | HttpsAgent {
  const url = new URL(origin)
  if (url.protocol === 'http:') return new TunnelAgent(() => open(url, options), { keepAlive: true })
  return new SecureTunnelAgent(() => open(url, options), options.connectMs, {
    keepAlive: true,
    ...(options.trust && { secureContext: options.trust }),
  })
}

type TunnelOpener = () => Promise<Socket> | undefined
type ConnectionCallback = (error: Error | null, stream: Duplex) => void

function open(url: URL, { proxy, trust, connectMs }: AgentOptions): Promise<Socket> | undefined {
  if (!proxy) return undefined
  return openTunnel(proxy, targetOf(url), { trust, signal: AbortSignal.timeout(connectMs) })
}

class TunnelAgent extends HttpAgent {
  readonly #open: TunnelOpener

  constructor(open: TunnelOpener, options: ConstructorParameters<typeof HttpAgent>[0]) {
    super(options)
    this.#open = open
  }

  override createConnection(
    options: Parameters<HttpAgent['createConnection']>[0],
    done?: ConnectionCallback,
  ): Duplex | null | undefined {
    const opening = this.#open()
    if (!opening || !done) return super.createConnection(options, done)
    opening.then(
      (socket) => done(null, socket),
      (error: Error) => done(error, undefined as never),
    )
    return undefined
  }
}

class SecureTunnelAgent extends HttpsAgent {
  readonly #open: TunnelOpener
  readonly #connectMs: number

  constructor(open: TunnelOpener, connectMs: number, options: ConstructorParameters<typeof HttpsAgent>[0]) {
    super(options)
    this.#open = open
    this.#connectMs = connectMs
  }

  override createConnection(
    options: Parameters<HttpsAgent['createConnection']>[0],
    done?: ConnectionCallback,
  ): Duplex | null | undefined {
    const until = performance.now() + this.#connectMs
    const opening = this.#open()
    if (!opening || !done) return super.createConnection(options, done)
    const host = String((options as { host?: string }).host ?? '')
    opening.then(
      (socket) => {
        const servername = isIP(host) === 0 ? { servername: host } : {}
        const secure = connectTls({
          ...(this.options.secureContext && { secureContext: this.options.secureContext }),
          ...servername,
          host,
          socket,
        })
        const slow = setTimeout(
          () => secure.destroy(new Error(`TLS with ${host} took longer than ${this.#connectMs} ms`)),
          Math.max(0, until - performance.now()),
        )
        secure.once('secureConnect', () => {
          clearTimeout(slow)
          done(null, secure)
        })
        secure.once('error', (error) => {
          clearTimeout(slow)
          done(error, undefined as never)
        })
      },
      (error: Error) => done(error, undefined as never),
    )
    return undefined
  }
}
