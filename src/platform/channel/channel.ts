/**
 * An authenticated channel between processes of one service: HTTP over TLS with a secret that both sides share (ECDHE-PSK). The processes may be on
 * any machines. Without the secret nobody can read the channel, take part in it, or replay what was captured; whoever learns the secret later cannot
 * decrypt earlier traffic.
 */
import { hkdfSync } from 'node:crypto'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request, type Server } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/** Headers carry the metadata of forwarded requests: the address and up to 16 KB of headers, in base64. */
const maxHeaderSize = 256 * 1024
const identity = 'kherad channel 1'

/** The only cipher suite: it has forward secrecy, authenticates both sides by the key, and needs no certificate that somebody would have to renew. */
const suite = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const

export interface ChannelKey {
  /** The secret that both sides share, at least 32 characters. */
  secret: string
  /** The receiving end, such as `hosts of work`. Channels with the same secret and different labels cannot connect to each other. */
  label: string
}

const presharedKeyOf = ({ secret, label }: ChannelKey): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `kherad channel to ${label}`, 32))

export type ServeChannel = (message: IncomingMessage, response: ServerResponse) => void

/** Returns a server that does not listen yet. Every request it gets was sent by somebody who has the secret. */
export function channelServer(key: ChannelKey, serve: ServeChannel): Server {
  const psk = presharedKeyOf(key)
  const server = createServer(
    {
      ...suite,
      maxHeaderSize,
      handshakeTimeout: 10_000,
      pskCallback: (_socket, claimed) => (claimed === identity ? psk : null),
      // The server keeps idle connections longer than the client does.
      keepAliveTimeout: 120_000,
      // A body may take as long as its call.
      requestTimeout: 0,
      // TCP keep-alive detects a cut network, which nothing else reports.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    serve,
  )
  server.on('checkContinue', serve)
  server.maxHeadersCount = 0
  return server
}

export interface ChannelRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
}

/** Sends requests to one process at the other end, at an address such as `https://10.0.0.7:8090`. */
export class ChannelClient implements Disposable {
  readonly #end: { host: string; port: number }
  readonly #keyed: Pick<
    ConnectionOptions,
    'ciphers' | 'minVersion' | 'maxVersion' | 'pskCallback' | 'checkServerIdentity'
  >
  readonly #agent: Agent

  constructor(url: string, key: ChannelKey) {
    const psk = presharedKeyOf(key)
    const { hostname, port } = new URL(url)
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    this.#end = { host, port: Number(port) }
    this.#keyed = {
      ...suite,
      // The secret alone proves the other end: there is no certificate with a name.
      pskCallback: () => ({ psk, identity }),
      checkServerIdentity: () => undefined,
    }
    this.#agent = new Agent({ ...this.#keyed, keepAlive: true, timeout: 300_000, maxCachedSessions: 0 })
  }

  /** Begins a request; the caller writes the body and ends it. */
  request({ method, path, headers = {} }: ChannelRequest): ClientRequest {
    return request({ ...this.#end, method, path, headers, agent: this.#agent, maxHeaderSize })
  }

  /** Returns a separate connection for traffic that is not a request with its answer; it is not open yet. */
  connect(): TLSSocket {
    return connect({ ...this.#end, ...this.#keyed })
  }

  /** Ends all requests and connections; the next request opens a new connection. */
  closeConnections(): void {
    this.#agent.destroy()
  }

  [Symbol.dispose](): void {
    this.closeConnections()
  }
}
