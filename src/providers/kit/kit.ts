import type { Dispatcher } from 'undici'
import { type Egress, openDispatcher, ProxyFailed } from '#platform/proxy'
import { type Timeouts, UpstreamError } from '#providers/spec'
import { Exchange } from './exchange.ts'
import { faultOfProxy, faultOfStatus } from './fault.ts'
import { Form } from './form.ts'
import { readJson } from './json.ts'

export type { AnswerReader, EventProgress } from './answer-stream.ts'
export { listBytes, picturesBytes, vectorsBytes } from './bounds.ts'
export { faultOfError, maskSecrets } from './fault.ts'
export { Form } from './form.ts'
export { type ClientCodec, generate } from './generate.ts'
export { claimedCount, isRecord } from './json.ts'
export { modelNames } from './model-names.ts'
export { pdfName } from './pdf-name.ts'
export { sameWireBody } from './same-wire-body.ts'
export { SseReader } from './sse.ts'
export { withinLimit } from './within-limit.ts'

/** Timeouts of a ping, which checks that the upstream answers and accepts the key. */
export const pingTimeouts: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 5_000,
  firstTokenMs: 5_000,
  idleMs: 5_000,
  totalMs: 5_000,
}

const maxErrorBytes = 64 * 1024

/** Address and credentials of an upstream. */
export interface UpstreamAddress {
  baseUrl: string
  /** Sent as `Authorization: Bearer`. */
  apiKey?: string
  headers?: Record<string, string>
  /** The proxy and trusted roots of the requests; a direct connection when absent. */
  egress?: Egress
}

export interface UpstreamOptions {
  /** After the base address, with its slash: `/chat/completions`. */
  path: string
  /** Sent as JSON or as a form; absent for a GET. */
  body?: Record<string, unknown> | Form
  headers?: Record<string, string>
  signal: AbortSignal
  timeouts: Timeouts
  /** Set for non-streamed answers, whose headers come only with the complete body; then longer than `timeouts.firstByteMs`. */
  firstByteMs?: number
}

/**
 * HTTP to one upstream: keep-alive connections, one call at a time on each, as many connections as calls (1,000 streams are 1,000 sockets).
 * TCP_NODELAY is undici's default. Every failure is an `UpstreamError`; nothing is retried here.
 */
export class UpstreamClient implements AsyncDisposable {
  readonly host: string
  readonly #pool: Dispatcher
  readonly #egress: Egress
  readonly #basePath: string
  readonly #headers: Record<string, string>
  /** Secrets of this upstream, masked in every error. */
  readonly secrets: readonly string[]

  constructor(address: UpstreamAddress) {
    const url = new URL(address.baseUrl)
    this.host = url.hostname
    this.#basePath = url.pathname.replace(/(?<!\/)\/+$/, '')
    this.#egress = address.egress ?? {}
    // `CallTimers` keeps the timeouts; the connection limit is only a fallback.
    this.#pool = openDispatcher(url.origin, {
      ...this.#egress,
      connectMs: 120_000,
      pool: { pipelining: 1, allowH2: false },
    })
    this.#headers = {
      'content-type': 'application/json',
      'user-agent': 'kherad',
      ...(address.apiKey !== undefined && { authorization: `Bearer ${address.apiKey}` }),
      ...address.headers,
    }
    const { proxy } = this.#egress
    // A user name without a password is sent as a token.
    const login = proxy?.password ?? proxy?.username
    const hidden = [address.apiKey, ...Object.values(address.headers ?? {}), login]
    this.secrets = [...hidden, url.host, url.hostname].filter((secret) => secret !== undefined)
  }

  /**
   * Sends the request and resolves when the headers of a success arrive; for any other status, throws the fault that its body describes.
   */
  async open(options: UpstreamOptions): Promise<Exchange> {
    const exchange = await Exchange.open(this.#pool, {
      method: options.body ? 'POST' : 'GET',
      path: `${this.#basePath}${options.path}`,
      headers: {
        ...this.#headers,
        ...(options.body instanceof Form && { 'content-type': options.body.contentType }),
        ...options.headers,
      },
      body:
        options.body instanceof Form
          ? options.body.bytes
          : options.body
            ? JSON.stringify(options.body)
            : null,
      signal: options.signal,
      timeouts: options.timeouts,
      firstByteMs: options.firstByteMs ?? options.timeouts.firstByteMs,
    })
    if (exchange.status >= 200 && exchange.status < 300) return exchange
    // Only a proxy answers with this status.
    if (exchange.status === 407 && this.#egress.proxy) {
      exchange.abandon()
      throw faultOfProxy(new ProxyFailed('login', this.#egress.proxy, 'HTTP 407'))
    }
    throw faultOfStatus(exchange.status, exchange.headers, await errorText(exchange), this.secrets)
  }

  /** Sends a request and reads a JSON answer of at most `maxBytes` (see bounds.ts). */
  async json(options: UpstreamOptions, maxBytes: number): Promise<unknown> {
    return readJson(await this.open(options), maxBytes)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy()
  }
}

/** The status alone determines a fault: an error body that breaks off or takes too long does not hide it. */
async function errorText(exchange: Exchange): Promise<string> {
  try {
    return await exchange.text(maxErrorBytes, 'cut')
  } catch (error) {
    if (error instanceof UpstreamError && error.fault === 'aborted') throw error
    return ''
  }
}
