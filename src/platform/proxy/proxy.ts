/**
 * Outgoing connections: directly or through a proxy, and the root certificates against which the other end is checked. The setting of a provider
 * wins, then that of the environment with its exceptions (docs/decisions/platform/outgoing-requests.md).
 */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { Config } from '#platform/config'
import { goesDirect } from './bypass.ts'
import type { CaConfig, ProxyConfig } from './settings.ts'

export { openAgent } from './agent.ts'
export { OriginPool, openDispatcher } from './dispatcher.ts'
export { ProxyFailed } from './failed.ts'
export { redactedProxy } from './redacted.ts'
export type { CaConfig, ProxyConfig } from './settings.ts'
export { openTunnel, type Target, tryProxy } from './tunnel.ts'
export { openWebSocket, type WebSocketOptions } from './web-socket.ts'

/** How requests reach one origin: the proxy and the trusted root certificates. */
export interface Egress {
  /** The proxy; if absent, requests go directly. */
  proxy?: ProxyConfig | undefined
  /** The trusted root certificates; if absent, those of Node. */
  trust?: SecureContext | undefined
}

/** The settings of one provider in the configuration file, which override those of the environment. */
export interface EgressOverrides {
  proxy?: ProxyConfig | 'direct' | undefined
  ca?: CaConfig | undefined
}

export interface Outbound {
  /** The egress of requests to the origin of this address. */
  egressTo(url: string | URL, own?: EgressOverrides): Egress
}

/** Makes the egress settings from the configuration. */
export const openOutbound = (config: Pick<Config, 'proxies' | 'tls'>): Outbound =>
  new ConfiguredOutbound(config)

class ConfiguredOutbound implements Outbound {
  readonly #config: Pick<Config, 'proxies' | 'tls'>
  /** One context for each set of files: reading all certificates for each connection would cost more than the connection. */
  readonly #contexts = new Map<string, SecureContext>()

  constructor(config: Pick<Config, 'proxies' | 'tls'>) {
    this.#config = config
  }

  egressTo(url: string | URL, own: EgressOverrides = {}): Egress {
    const { proxies, tls } = this.#config
    const target = new URL(url)
    const proxy = own.proxy === undefined ? proxyOf(proxies, target) : own.proxy
    const files = [tls.ca, own.ca].filter((ca) => ca !== undefined)
    return {
      ...(proxy !== undefined && proxy !== 'direct' && { proxy }),
      ...(files.length > 0 && { trust: this.#trusting(files) }),
    }
  }

  #trusting(files: readonly CaConfig[]): SecureContext {
    const names = files.map(({ file }) => file).join('\0')
    const context = this.#contexts.get(names) ?? trustedContext(files.map(({ pem }) => pem))
    this.#contexts.set(names, context)
    return context
  }
}

function proxyOf({ http, https, direct }: Config['proxies'], url: URL): ProxyConfig | undefined {
  const proxy = url.protocol === 'https:' ? https : http
  return proxy && !goesDirect(url, direct) ? proxy : undefined
}

/** Trusts the root certificates of Node (with those of NODE_EXTRA_CA_CERTS) and the operator's. */
const trustedContext = (own: readonly string[]): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), ...own] })
