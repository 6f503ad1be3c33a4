/** Requests and answers that are passed on as they arrive: nothing is held in memory, decompressed or redirected. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { Client, errors } from 'undici'
import { singleSocketConnector } from './exchange.ts'
import { FetchRefused } from './refused.ts'
import { hostOf, isAddress } from './target.ts'

export type HeaderLine = readonly [name: string, value: string]

export interface StreamRequest {
  method: string
  /** The end-to-end headers; `content-length` if the length of the body is known. */
  headers: readonly HeaderLine[]
  body: Readable | undefined
  /** The longest pause between two parts of the answer's body. */
  idleMs: number
  /** Aborts the whole exchange, including the answer's body. */
  signal: AbortSignal
}

export interface StreamReply {
  status: number
  headers: HeaderLine[]
  /** The body, compressed as it arrived. A reader that does not read it to its end must destroy it. Its errors are `FetchRefused`. */
  body: Readable
}

/** The maximum bytes of all headers of an answer together. */
const maxHeaderSize = 16 * 1024

/** Sends one request on a socket of its own, which is closed with the answer. Throws `FetchRefused`, and the signal's AbortError. */
export async function streamOver(socket: Socket, url: URL, request: StreamRequest): Promise<StreamReply> {
  const client = new Client(url.origin, {
    connect: singleSocketConnector(socket),
    maxHeaderSize,
    headersTimeout: 0,
    bodyTimeout: request.idleMs,
  })
  const close = (): void => {
    void client.destroy().catch(() => {})
    socket.destroy()
  }
  try {
    const reply = await client.request({
      method: request.method as 'GET',
      path: url.pathname + url.search,
      headers: [['host', url.host] as const, ...request.headers].flat(),
      body: request.body ?? null,
      signal: request.signal,
      responseHeaders: 'raw',
      // The connection is not reused, and the other side may know that.
      reset: true,
    })
    // The reader of the body gets its errors; an error of a body that nobody reads any more must not end the process.
    reply.body.on('error', () => {})
    reply.body.once('close', close)
    return {
      status: reply.statusCode,
      headers: linesOf(reply.headers as unknown as readonly (string | Buffer)[]),
      body: reply.body,
    }
  } catch (cause) {
    close()
    if (request.signal.aborted) throw cause
    throw streamRefusal(cause, url.hostname)
  }
}

function linesOf(raw: readonly (string | Buffer)[]): HeaderLine[] {
  const text = (at: number): string => {
    const part = raw[at]!
    return typeof part === 'string' ? part : part.toString('latin1')
  }
  return Array.from({ length: raw.length / 2 }, (_, at) => [text(2 * at), text(2 * at + 1)] as const)
}

/** Turns an error of a request or of an answer's body into `FetchRefused`. Errors of the request's own body are passed on. */
export function streamRefusal(cause: unknown, host: string): Error {
  if (cause instanceof FetchRefused) return cause
  if (cause instanceof errors.HeadersOverflowError) return new FetchRefused('too_large', host, cause)
  if (cause instanceof errors.HTTPParserError || cause instanceof errors.ResponseContentLengthMismatchError)
    return new FetchRefused('bad_answer', host, cause)
  if (cause instanceof errors.BodyTimeoutError || cause instanceof errors.HeadersTimeoutError)
    return new FetchRefused('timeout', host, cause)
  if (cause instanceof errors.InvalidArgumentError || cause instanceof errors.NotSupportedError)
    return new FetchRefused('bad_request', host, cause)
  if (cause instanceof errors.RequestContentLengthMismatchError)
    return new FetchRefused('bad_request', host, cause)
  if (cause instanceof errors.UndiciError || isOfNetwork(cause))
    return new FetchRefused('connect', host, cause)
  return cause as Error
}

/** Whether the error comes from the network: `ECONNRESET`, `EPIPE` and similar. */
const isOfNetwork = (cause: unknown): boolean =>
  typeof (cause as NodeJS.ErrnoException | undefined)?.syscall === 'string' ||
  (cause as Error | undefined)?.message === 'the connection broke'

/**
 * Sends a request like `stream` to an address of the operator, which needs no guard: the connection goes to `origin`, whatever host the request
 * names.
 */
export async function streamTo(origin: URL, url: URL, request: StreamRequest): Promise<StreamReply> {
  const host = hostOf(origin)
  const isSecure = origin.protocol === 'https:'
  const port = Number(origin.port || (isSecure ? 443 : 80))
  const socket = isSecure
    ? connectTls({ host, port, ...(!isAddress(host) && { servername: host }), ALPNProtocols: ['http/1.1'] })
    : connect({ host, port, noDelay: true })
  socket.on('error', () => {})
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: request.signal })
  } catch (cause) {
    socket.destroy()
    throw request.signal.aborted ? cause : new FetchRefused('connect', host, cause)
  }
  return streamOver(socket, url, request)
}
