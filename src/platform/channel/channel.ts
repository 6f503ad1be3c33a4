/**
 * A channel between processes of one service, on any machines: HTTP over TLS that both sides authenticate by a secret they share (ECDHE-PSK). Nobody
 * without it reads the channel, takes part in it, or repeats what was recorded of it; who learns it later cannot read what was said before.
 */
import { hkdfSync } from 'node:crypto'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request, type Server } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/** Meta data of what is passed on stand in headers: the address and 16 KB of headers of a request, in base64. */
const maxHeaderSize = 256 * 1024
const identity = 'kherad channel 1'

/** The only one: forward secrecy, both sides by the key, and no certificate that somebody would have to renew. */
const suite = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const

export interface ChannelKey {
  /** What both sides know, at least 32 characters. */
  secret: string
  /** To whom the channel leads, such as `hosts of work`. Channels of one secret with different labels do not open each other. */
  label: string
}

const presharedKeyOf = ({ secret, label }: ChannelKey): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `kherad channel to ${label}`, 32))

export type ServeChannel = (message: IncomingMessage, response: ServerResponse) => void

/** Not yet listening. Every request was sent by somebody who has the secret. */
export function channelServer(key: ChannelKey, serve: ServeChannel): Server {
  const psk = presharedKeyOf(key)
  const server = createServer(
    {
      ...suite,
      maxHeaderSize,
      handshakeTimeout: 10_000,
      pskCallback: (_socket, claimed) => (claimed === identity ? psk : null),
      // Longer than the other side keeps a connection that it does not use.
      keepAliveTimeout: 120_000,
      // Bodies have the time that calls have.
      requestTimeout: 0,
      // A network that was cut reports nothing.
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

/** Requests to one process at the other end, at an address such as `https://10.0.0.7:8090`. */
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
      // Who has the secret is the other end: there is no certificate with a name.
      pskCallback: () => ({ psk, identity }),
      checkServerIdentity: () => undefined,
    }
    this.#agent = new Agent({ ...this.#keyed, keepAlive: true, timeout: 300_000, maxCachedSessions: 0 })
  }

  /** The caller writes the body and ends it. */
  request({ method, path, headers = {} }: ChannelRequest): ClientRequest {
    return request({ ...this.#end, method, path, headers, agent: this.#agent, maxHeaderSize })
  }

  /** A connection of its own, for what is no request and its answer; not yet open. */
  connect(): TLSSocket {
    return connect({ ...this.#end, ...this.#keyed })
  }

  /** Ends all that is under way, and every connection: the next request opens a new one. */
  breakOff(): void {
    this.#agent.destroy()
  }

  [Symbol.dispose](): void {
    this.breakOff()
  }
}
