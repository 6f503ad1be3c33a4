/** Keep-alive connections to one origin. Each address is checked when a connection to it is opened. */
import { type buildConnector, errors, Pool } from 'undici'
import type { Egress } from '#platform/proxy'
import type { AddressPolicy } from './address-policy.ts'
import type { ReplyHeaders } from './exchange.ts'
import { openSocket } from './open-socket.ts'
import { FetchRefused } from './refused.ts'
import { hostOf } from './target.ts'
import { unlessAborted } from './unless-aborted.ts'

/** Idle connections are closed after this time: many servers close after 5 s, and a request sent into a closing connection is lost. */
const keptMs = 4_000
/** The maximum age of a connection, so that a changed address of the name is noticed. */
const oldestMs = 60_000
const maxHeaderSize = 16 * 1024
const maxConnectMs = 15_000

export interface KeepAliveOptions {
  url: URL
  policy: AddressPolicy
  egress: Egress
  connections: number
}

export interface KeepAliveRequest {
  headers: Record<string, string>
  body: string
  /** The timeout from the name lookup to the end of the answer's body. */
  timeoutMs: number
  /** The maximum bytes of the answer's body that are read; then the connection is closed. */
  maxBytes: number
  signal?: AbortSignal
}

export interface KeepAliveReply {
  status: number
  headers: ReplyHeaders
}

/** A client with keep-alive connections. Disposing it lets running requests finish. */
export interface KeepAliveClient extends AsyncDisposable {
  /**
   * Sends the request and returns the answer, whatever its status, without following redirects; the body is discarded. Throws
   * `FetchRefused`.
   */
  post(options: KeepAliveRequest): Promise<KeepAliveReply>
}

export const openKeepAliveClient = (options: KeepAliveOptions): KeepAliveClient => new PooledClient(options)

class PooledClient implements KeepAliveClient {
  readonly #options: KeepAliveOptions
  #pool: Pool
  #openedMs = performance.now()

  constructor(options: KeepAliveOptions) {
    this.#options = options
    this.#pool = openPool(options)
  }

  async post(request: KeepAliveRequest): Promise<KeepAliveReply> {
    const { url } = this.#options
    const deadline = AbortSignal.timeout(request.timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
    try {
      return await send(this.#freshPool(), url, request, signal).catch((error: unknown) => {
        if (!wasClosing(error)) throw error
        return send(this.#freshPool(), url, request, signal)
      })
    } catch (cause) {
      throw refusalOf(cause, url.hostname, request.signal, deadline)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close()
  }

  /** The pool, or a new one if its connections may no longer be used. */
  #freshPool(): Pool {
    if (performance.now() - this.#openedMs > oldestMs) {
      close(this.#pool)
      this.#pool = openPool(this.#options)
      this.#openedMs = performance.now()
    }
    return this.#pool
  }
}

/** Closes a pool; running requests may finish. */
const close = (pool: Pool): void => void pool.close().catch(() => undefined)

const openPool = ({ url, policy, egress, connections }: KeepAliveOptions): Pool =>
  new Pool(url.origin, {
    connect: connector(url, policy, egress),
    connections,
    maxHeaderSize,
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    // The timeout of a request covers all its parts.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

const connector =
  (url: URL, policy: AddressPolicy, egress: Egress): buildConnector.connector =>
  (_options, done) => {
    const signal = AbortSignal.timeout(maxConnectMs)
    const open = async () => {
      const addresses = await unlessAborted(policy.resolve(hostOf(url)), signal)
      return openSocket(url, { addresses, admits: policy.admits, ...egress, signal })
    }
    open().then(
      (socket) => done(null, socket as Parameters<typeof done>[1] & object),
      (error: Error) => done(error, null),
    )
  }

async function send(
  pool: Pool,
  url: URL,
  options: KeepAliveRequest,
  signal: AbortSignal,
): Promise<KeepAliveReply> {
  const reply = await pool.request({
    method: 'POST',
    path: url.pathname + url.search,
    headers: options.headers,
    body: options.body,
    signal,
  })
  // Only the status matters: an answer that breaks off afterwards counts, too.
  await reply.body.dump({ limit: options.maxBytes, signal }).catch(() => undefined)
  return { status: reply.statusCode, headers: reply.headers }
}

/** True if a reused connection was closed by its peer at that moment: the peer had answered on it before. */
const wasClosing = (error: unknown): boolean =>
  error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0

function refusalOf(
  cause: unknown,
  host: string,
  caller: AbortSignal | undefined,
  deadline: AbortSignal,
): FetchRefused {
  if (cause instanceof FetchRefused) return cause
  if (caller?.aborted) return new FetchRefused('aborted', host, cause)
  if (deadline.aborted || (cause as Error).name === 'TimeoutError')
    return new FetchRefused('timeout', host, cause)
  if (cause instanceof errors.HeadersOverflowError) return new FetchRefused('too_large', host, cause)
  if (cause instanceof errors.HTTPParserError) return new FetchRefused('bad_answer', host, cause)
  return new FetchRefused('connect', host, cause)
}
