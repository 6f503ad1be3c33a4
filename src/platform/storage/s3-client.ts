/**
 * The AWS client with an HTTP handler of our own. The client provides commands, signatures and XML; this file proxies, private root certificates and
 * timeouts.
 */
import { Readable } from 'node:stream'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { type Dispatcher, request } from 'undici'
import { type Egress, openDispatcher } from '#platform/proxy'
import type { S3Config } from './settings.ts'

export type Sdk = typeof import('@aws-sdk/client-s3')

export interface Client extends AsyncDisposable {
  sdk: Sdk
  s3: S3Client
}

/** An attempt is aborted if nothing is received for this long. */
const silentMs = 30_000
/** The minimum transfer rate; anything slower counts as stuck. */
const slowestBytesPerMs = 64
const maxErrorLength = 64 * 1024
const pool = { connections: 32, keepAliveTimeout: 10_000 }

/** A silent logger: the client would log to the console, but its callers report errors. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** Opens the client. It is imported on first use: that takes 0.2 s of CPU, which a server that stores on disk never spends. */
export async function openClient(config: S3Config, egress: (url: string) => Egress): Promise<Client> {
  const sdk = await import('@aws-sdk/client-s3')
  const line = new DispatcherHandler(egress)
  const s3 = new sdk.S3Client({
    endpoint: config.endpoint,
    region: config.region,
    forcePathStyle: config.pathStyle,
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    requestHandler: line as NonNullable<S3ClientConfig['requestHandler']>,
    // This room does the retries itself, because it can open a source again.
    maxAttempts: 1,
    // Older versions of MinIO and Ceph refuse the newer checksums at the end of a body; instead, we sign the SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Waiting for "100 Continue" costs a round trip, and not every store answers it.
    expectContinueHeader: false,
    // All options are set explicitly, so that no environment variable or file in the home folder overrides them.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    useAccelerateEndpoint: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    retryMode: 'standard',
    defaultsMode: 'standard',
    userAgentAppId: 'kherad',
    logger: silent,
  })
  signContents(s3)
  return {
    sdk,
    s3,
    async [Symbol.asyncDispose]() {
      s3.destroy()
      await line[Symbol.asyncDispose]()
    },
  }
}

/** The hash of a stream, passed as metadata of the call; the client signs it instead of "unsigned". */
export const sha256Of = Symbol('sha256')

function signContents(s3: S3Client): void {
  s3.middlewareStack.add(
    (next) => (args) => {
      const { input, request: sent } = args as {
        input: { [sha256Of]?: string }
        request: { headers: Record<string, string> }
      }
      const hash = input[sha256Of]
      if (hash !== undefined) sent.headers['x-amz-content-sha256'] = hash
      return next(args)
    },
    { step: 'build', name: 'signContents' },
  )
}

interface SdkRequest {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: unknown
}

interface SdkResponse {
  statusCode: number
  headers: Record<string, string>
  body: Readable
}

/** The HTTP handler of the client. */
interface HttpHandler extends AsyncDisposable {
  metadata: { handlerProtocol: string }
  handle(sent: SdkRequest, options?: { abortSignal?: AbortSignal }): Promise<{ response: SdkResponse }>
}

class DispatcherHandler implements HttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' }
  readonly #egress: (url: string) => Egress
  /** The dispatchers by origin, because the bucket may be part of the host name. */
  readonly #dispatchers = new Map<string, Dispatcher>()

  constructor(egress: (url: string) => Egress) {
    this.#egress = egress
  }

  async handle(
    sent: SdkRequest,
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ): Promise<{ response: SdkResponse }> {
    const url = addressOf(sent)
    const { headers, body } = sent
    const timeoutMs = silentMs + Math.ceil(Number(headers['content-length'] ?? 0) / slowestBytesPerMs)
    const signals = [abortSignal, body === undefined ? undefined : AbortSignal.timeout(timeoutMs)]
    const answer = await request(url, {
      dispatcher: this.#dispatcherOf(url.origin),
      method: sent.method as Dispatcher.HttpMethod,
      headers,
      body: (body ?? null) as Readable | Uint8Array | string | null,
      signal: AbortSignal.any(signals.filter((signal) => signal !== undefined) as AbortSignal[]),
      headersTimeout: timeoutMs,
      bodyTimeout: silentMs,
    })
    return { response: await sdkResponse(answer) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((one) => one.destroy()))
  }

  #dispatcherOf(origin: string): Dispatcher {
    const known =
      this.#dispatchers.get(origin) ??
      openDispatcher(origin, { ...this.#egress(origin), connectMs: 5_000, pool })
    this.#dispatchers.set(origin, known)
    return known
  }
}

function addressOf({ protocol, hostname, port, path, query = {} }: SdkRequest): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${encoded(name)}=${encoded(value ?? '')}`),
  )
  url.search = pairs.sort().join('&')
  return url
}

/** Encodes everything but the unreserved characters of RFC 3986, as the signature requires. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Converts an answer. The client reads an error page completely, so its size is limited here. */
async function sdkResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<SdkResponse> {
  const plain = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  if (statusCode < 300) return { statusCode, headers: plain, body }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxErrorLength) break
    chunks.push(chunk)
  }
  return { statusCode, headers: plain, body: Readable.from(chunks, { objectMode: false }) }
}
