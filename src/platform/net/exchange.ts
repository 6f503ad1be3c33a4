import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliDecompress, createBrotliDecompress, createGunzip, gunzip } from 'node:zlib'
import { type buildConnector, Client, type Dispatcher, errors } from 'undici'
import { Failure } from '#platform/errors'
import { FetchRefused } from './refused.ts'

/** Maximum bytes of an answer's headers, and of its trailers. */
const maxHeaderSize = 16 * 1024

export type ReplyHeaders = Record<string, string | string[] | undefined>

/** A byte limit that several fetches share; it is counted down while they read. */
export interface ByteBudget {
  left: number
}

export interface HopRequest {
  url: URL
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  body?: string | Uint8Array | undefined
}

/** Receives the decompressed body of a successful answer chunk by chunk, at its own pace; the body in `Reply` is then empty. */
export type Sink = (body: AsyncIterable<Uint8Array>) => Promise<void>

export interface ReplyBounds {
  /** The maximum bytes of the body, both compressed and decompressed. */
  maxBytes: number
  budget?: ByteBudget | undefined
  /** The accepted media types of a successful answer, such as `text/*`; if absent, any. */
  accept?: readonly string[] | undefined
  sink?: Sink | undefined
  /** If false, the body of a redirect is not read. */
  readsRedirects: boolean
  signal: AbortSignal
}

export interface Reply {
  status: number
  headers: ReplyHeaders
  body: Buffer
}

/** Sends one request on a socket of its own, which is closed with the answer. Throws `FetchRefused`, and the signal's AbortError. */
export async function exchange(socket: Socket, step: HopRequest, bounds: ReplyBounds): Promise<Reply> {
  const client = new Client(step.url.origin, {
    connect: singleSocketConnector(socket),
    maxHeaderSize,
    // The signal limits the time of the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    const reply = await client.request({
      method: step.method,
      path: step.url.pathname + step.url.search,
      headers: {
        'user-agent': 'kherad',
        accept: bounds.accept?.join(', ') ?? '*/*',
        ...step.headers,
        'accept-encoding': 'gzip, br',
      },
      body: step.body ?? null,
      signal: bounds.signal,
    })
    return { status: reply.statusCode, headers: reply.headers, body: await readBody(reply, step, bounds) }
  } catch (cause) {
    if (bounds.signal.aborted) throw cause
    throw refusalOf(cause, step.url.hostname)
  } finally {
    await client.destroy().catch(() => {})
    socket.destroy()
  }
}

/**
 * Passes the existing socket to undici. If undici asks for a second one it gets none, since its address would be unchecked. The error must not be a
 * `SocketError`: undici would reconnect again and again.
 */
export function singleSocketConnector(socket: Socket): buildConnector.connector {
  let given = false
  return (_options, done) => {
    const again = given
    given = true
    queueMicrotask(() => (again ? done(new Error('the connection broke'), null) : done(null, socket)))
  }
}

async function readBody(
  reply: Dispatcher.ResponseData,
  step: HopRequest,
  bounds: ReplyBounds,
): Promise<Buffer> {
  const { statusCode: status, headers } = reply
  const host = step.url.hostname
  // Unread bytes of the body are dropped when the client is destroyed, which must not count as an error.
  reply.body.on('error', () => {})
  if (isRedirect(status) && !bounds.readsRedirects) return Buffer.alloc(0)
  if (isSuccess(status) && bounds.accept && !accepts(bounds.accept, first(headers['content-type'])))
    throw new FetchRefused('media_type', host)
  if (step.method !== 'HEAD' && Number(first(headers['content-length'])) > bounds.maxBytes)
    throw new FetchRefused('too_large', host)

  const encoding = first(headers['content-encoding'])
  if (bounds.sink && isSuccess(status)) {
    await writeToSink(reply, encoding, bounds, bounds.sink, host)
    return Buffer.alloc(0)
  }
  const chunks: Buffer[] = []
  for await (const chunk of limitedChunks(reply.body, bounds, host)) chunks.push(chunk)
  return unpack(Buffer.concat(chunks), encoding, bounds, host)
}

/** Yields the chunks as long as they are within the limits. */
async function* limitedChunks(
  body: AsyncIterable<Buffer>,
  bounds: ReplyBounds,
  host: string,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    countBytes(chunk.length, bytes, bounds, host)
    yield chunk
  }
}

/** Writes the decompressed body of an answer to a sink. */
async function writeToSink(
  { body }: Dispatcher.ResponseData,
  encoding: string,
  bounds: ReplyBounds,
  sink: Sink,
  host: string,
): Promise<void> {
  const within = (part: AsyncIterable<Buffer>) => limitedChunks(part, bounds, host)
  if (encoding === '' || encoding === 'identity') return pipeline(body, within, sink)
  if (!Object.hasOwn(unpackers, encoding)) throw new FetchRefused('bad_answer', host)
  const unpacker = encoding === 'br' ? createBrotliDecompress() : createGunzip()
  try {
    await pipeline(body, within, unpacker, within, sink)
  } catch (cause) {
    throw isOfUnpacker(cause) ? new FetchRefused('bad_answer', host, cause) : cause
  }
}

/** Whether an error comes from zlib or from brotli, whose codes are misspelt. */
const isOfUnpacker = (cause: unknown): boolean =>
  /^(Z_|ERR__ERROR)/.test((cause as { code?: string }).code ?? '')

const unpackers = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), br: promisify(brotliDecompress) }

/** The decompressed body; decompression stops at the limit. */
async function unpack(body: Buffer, encoding: string, bounds: ReplyBounds, host: string): Promise<Buffer> {
  if (encoding === '' || encoding === 'identity' || body.length === 0) return body
  if (!Object.hasOwn(unpackers, encoding)) throw new FetchRefused('bad_answer', host)
  const maxOutputLength = Math.min(bounds.maxBytes, bounds.budget?.left ?? Number.POSITIVE_INFINITY)
  const plain = await unpackers[encoding as keyof typeof unpackers](body, { maxOutputLength }).catch(
    (cause: Error & { code?: string }) => {
      const reason = cause.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_answer'
      throw new FetchRefused(reason, host, cause)
    },
  )
  countBytes(plain.length, plain.length, bounds, host)
  return plain
}

function countBytes(bytes: number, total: number, { maxBytes, budget }: ReplyBounds, host: string): void {
  if (budget) budget.left -= bytes
  if (total > maxBytes || (budget && budget.left < 0)) throw new FetchRefused('too_large', host)
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

export const first = (value: string | string[] | undefined): string =>
  ([value].flat()[0] ?? '').trim().toLowerCase()

const isSuccess = (status: number): boolean => status >= 200 && status < 300

function accepts(accepted: readonly string[], contentType: string): boolean {
  const type = contentType.split(';', 1)[0]!.trim()
  return accepted.some((one) =>
    one.endsWith('/*') ? one === '*/*' || type.startsWith(one.slice(0, -1)) : one === type,
  )
}

function refusalOf(cause: unknown, host: string): FetchRefused {
  if (cause instanceof FetchRefused) return cause
  // Errors of the sink are passed on unchanged.
  if (cause instanceof Failure) throw cause
  if (cause instanceof errors.HeadersOverflowError) return new FetchRefused('too_large', host, cause)
  if (cause instanceof errors.HTTPParserError || cause instanceof errors.ResponseContentLengthMismatchError)
    return new FetchRefused('bad_answer', host, cause)
  // A request that cannot be written is a defect of the program.
  if (cause instanceof errors.InvalidArgumentError || cause instanceof TypeError) throw cause
  return new FetchRefused('connect', host, cause)
}
