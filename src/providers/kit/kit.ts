/** What all providers share: HTTP, SSE and WebSockets to an upstream, timeouts, faults, masking, and readers of answers. */
import { Readable } from 'node:stream'
import { type Timeouts, UpstreamError } from '#core/spec'
import { type Egress, OriginPool, openWebSocket, ProxyFailed } from '#platform/proxy'
import { tooLong } from './bounds.ts'
import { type AnswerReceiver, Exchange, type ReplyHeaders } from './exchange.ts'
import { faultOfProxy, faultOfStatus } from './fault.ts'
import { readJson } from './json.ts'
import { redirectOf } from './redirected.ts'
import { maxEventBytes, type SocketReceiver, UpstreamSocket } from './socket.ts'
import { isStreamed, type StreamedBody } from './streamed-body.ts'
import { wellFormedJson } from './well-formed.ts'
import { WholeBody } from './whole-body.ts'

export { isRecord } from '#platform/json'
export type { AnswerReader, EventProgress } from './answer-reader.ts'
export {
  jobBytes,
  listBytes,
  picturesBytes,
  soundBytes,
  vectorsBytes,
  videoBytes,
  wholeSoundBytes,
} from './bounds.ts'
export { type CallIdRule, CallIds } from './call-ids.ts'
export { faultOfError, maskSecrets } from './fault.ts'
export { Form } from './form.ts'
export { headerOf } from './header.ts'
export { claimedCount, firstOf, readJson } from './json.ts'
export { type FileOptions, fileBytes, type LinkedFileNet, linkedBytes } from './linked-bytes.ts'
export { LiveAnswer } from './live-answer.ts'
export { LiveSession, type LiveWire } from './live-session.ts'
export { base64Of, PcmUpsampler } from './live-sound.ts'
export { mediaRequest } from './media-ask.ts'
export { claimedTokens, type MediaTokens, mediaTokens } from './media-tokens.ts'
export { listModels, modelNames } from './model-names.ts'
export { pdfName } from './pdf-name.ts'
export { linkedPicture, type PictureLinks, pictureIn } from './picture.ts'
export { nearestShape, sizeTier } from './picture-shape.ts'
export {
  isOurs,
  type ReasoningMark,
  reasoningMarks,
  type SigningAddress,
  type SigningWire,
  signerOf,
} from './reasoning-mark.ts'
export { sameWireBody } from './same-wire-body.ts'
export { type SocketReceiver, type UpstreamEvent, UpstreamSocket } from './socket.ts'
export { faultIn, SoundSniffer } from './sound-start.ts'
export {
  checkLength,
  claimedSeconds,
  languageCode,
  maxCharacters,
  segmentsIn,
  segmentsOfWords,
  spanOf,
  speakerOf,
  transcriptBytes,
  wordsIn,
} from './spoken.ts'
export { SseReader } from './sse.ts'
export { base64Body, partsOf, rawBody, type StreamedBody } from './streamed-body.ts'
export { takeFulfilled } from './take-each.ts'
export { type ClientCodec, generate } from './text-answer.ts'
export {
  claimedCost,
  faultOfJob,
  jobId,
  type LinkedAddress,
  throwRefusal,
  type VideoClient,
} from './video-job.ts'
export { wellFormedArguments, wellFormedJson } from './well-formed.ts'
export { withinLimit } from './within-limit.ts'

/** Timeouts of a ping, which checks that the upstream answers and accepts the key. */
export const pingTimeouts: Timeouts = {
  connectMs: 5_000,
  firstByteMs: 5_000,
  firstTokenMs: 5_000,
  idleMs: 5_000,
  totalMs: 5_000,
}

/** Address and credentials of an upstream. */
export interface UpstreamAddress {
  baseUrl: string
  /** Sent as `Authorization: Bearer`, or as `keyHeader` says. */
  apiKey?: string
  /** How the key is sent to a vendor that expects another header. */
  keyHeader?: { name: string; scheme?: string }
  headers?: Record<string, string>
  /** The proxy and trusted roots of the requests; a direct connection when absent. */
  egress?: Egress
}

export interface UpstreamOptions {
  /** The path after the base address, with its slash, such as `/chat/completions`. */
  path: string
  /** True if `path` is the path of the whole address, without the base path. */
  isFromRoot?: boolean
  /** If absent, the method is POST with a body, else GET. */
  method?: 'PUT' | 'POST'
  /** Sent as JSON, or as a form or another body that is made as it is sent; absent for a GET. */
  body?: Record<string, unknown> | StreamedBody
  headers?: Record<string, string>
  timeouts: Timeouts
  /** Set for non-streamed answers, whose headers come only with the complete body; then longer than `timeouts.firstByteMs`. */
  firstByteMs?: number
}

export interface SocketOptions extends Pick<UpstreamOptions, 'path' | 'isFromRoot' | 'headers' | 'timeouts'> {
  /** Aborting it cuts the connection. */
  signal: AbortSignal
}

export interface AbortableOptions extends UpstreamOptions {
  /** Aborting it ends the request. */
  signal: AbortSignal
}

const keyHeaderOf = (
  key: string,
  { name, scheme }: NonNullable<UpstreamAddress['keyHeader']> = { name: 'authorization', scheme: 'Bearer' },
): Record<string, string> => ({ [name]: scheme === undefined ? key : `${scheme} ${key}` })

/** Bytes that may wait for a slow writer of a stream before the upstream is held up. */
const maxWaitingBytes = 256 * 1024

export interface ByteReceiver {
  begin?: (headers: ReplyHeaders) => void
  write: (chunk: Uint8Array) => void | Promise<void>
  maxBytes: number
}

/**
 * HTTP to one upstream: keep-alive connections, one call at a time on each, as many connections as calls (1,000 streams are 1,000 sockets).
 * TCP_NODELAY is undici's default. Every failure is an `UpstreamError`; nothing is retried here.
 */
export class UpstreamClient implements AsyncDisposable {
  readonly host: string
  readonly #origin: string
  readonly #pool: OriginPool
  readonly #egress: Egress
  readonly #basePath: string
  readonly #headers: Record<string, string>
  /** Secrets of this upstream, masked in every error. */
  readonly secrets: readonly string[]

  constructor(address: UpstreamAddress) {
    const url = new URL(address.baseUrl)
    this.host = url.hostname
    this.#origin = url.origin
    this.#basePath = url.pathname.replace(/(?<!\/)\/+$/, '')
    this.#egress = address.egress ?? {}
    // `CallTimers` keeps the timeouts; the connection limit is only a fallback.
    this.#pool = new OriginPool(url.origin, {
      ...this.#egress,
      connectMs: 120_000,
      pool: { pipelining: 1, allowH2: false },
    })
    this.#headers = {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'kherad',
      ...(address.apiKey !== undefined && keyHeaderOf(address.apiKey, address.keyHeader)),
      ...address.headers,
    }
    const { proxy } = this.#egress
    // A user name without a password is sent as a token.
    const login = proxy?.password ?? proxy?.username
    const hidden = [address.apiKey, ...Object.values(address.headers ?? {}), login]
    this.secrets = [...hidden, url.host, url.hostname].filter((secret) => secret !== undefined)
  }

  /** Sends the request. A success is given to `receiver` as it arrives, anything else as the fault that it describes. */
  send(options: UpstreamOptions, receiver: AnswerReceiver): Exchange {
    const { body, headers, timeouts, firstByteMs } = options
    const streamed = body && isStreamed(body) ? body : undefined
    const request = {
      method: options.method ?? (body ? ('POST' as const) : ('GET' as const)),
      path: this.#pathOf(options),
      headers: { ...this.#headers, ...(streamed && headersOf(streamed)), ...headers },
      body: streamed ? Readable.from(streamed) : body ? wellFormedJson(body) : null,
      timeouts,
      firstByteMs: firstByteMs ?? timeouts.firstByteMs,
      faultOf: this.#faultOf,
    }
    return Exchange.send(this.#pool.dispatcher, request, receiver)
  }

  /**
   * Opens a WebSocket at a path of this upstream; resolves once the receiver says that it is ready. Throws `UpstreamError` with
   * `executed: false`.
   */
  socket(options: SocketOptions, receiver: SocketReceiver): Promise<UpstreamSocket> {
    const { timeouts, signal } = options
    const {
      'content-type': _type,
      'accept-encoding': _coding,
      ...headers
    } = { ...this.#headers, ...options.headers }
    const url = new URL(`${this.#origin}${this.#pathOf(options)}`)
    const { connectMs } = timeouts
    const open = () =>
      openWebSocket(url, { ...this.#egress, headers, connectMs, maxMessageBytes: maxEventBytes })
    return UpstreamSocket.connect(
      open,
      { timeouts, signal, secrets: this.secrets, faultOf: this.#faultOf },
      receiver,
    )
  }

  /** The whole body of a success, at most `maxBytes`. */
  bytes(options: AbortableOptions, maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (options.signal.aborted) return reject(new UpstreamError('aborted', { executed: false }))
      const body = new WholeBody(maxBytes)
      const stop = (): void => end(() => reject(new UpstreamError('aborted', { executed: exchange.wasSent })))
      const end = (settle: () => void): void => {
        options.signal.removeEventListener('abort', stop)
        exchange.abandon()
        settle()
      }
      options.signal.addEventListener('abort', stop, { once: true })
      const exchange = this.send(options, {
        begin: () => {},
        bytes: (chunk) => {
          if (!body.add(chunk)) return end(() => reject(body.tooLong))
          exchange.timers.read(true)
        },
        flush: () => {},
        end: () => end(() => resolve(body.take())),
        fail: (error) => end(() => reject(error)),
      })
    })
  }

  /**
   * The body of a success, at most `maxBytes`, given to `write` chunk by chunk; a slow writer holds the upstream up. What `write` throws ends
   * the call. `begin` sees the headers first.
   */
  stream(options: AbortableOptions, { begin, write, maxBytes }: ByteReceiver): Promise<void> {
    return new Promise((resolve, reject) => {
      if (options.signal.aborted) return reject(new UpstreamError('aborted', { executed: false }))
      let writing = Promise.resolve()
      let left = maxBytes
      let waiting = 0
      let isOver = false
      const end = (settle: () => void): void => {
        if (isOver) return
        isOver = true
        options.signal.removeEventListener('abort', stop)
        exchange.abandon()
        settle()
      }
      const stop = (): void => end(() => reject(new UpstreamError('aborted', { executed: exchange.wasSent })))
      const guarded = (work: () => void | Promise<void>): Promise<void> =>
        Promise.resolve()
          .then(work)
          .catch((error: unknown) => end(() => reject(error)))
      options.signal.addEventListener('abort', stop, { once: true })
      const exchange = this.send(options, {
        begin: (headers) => {
          writing = guarded(() => begin?.(headers))
        },
        bytes: (chunk) => {
          left -= chunk.length
          if (left < 0) return end(() => reject(tooLong(maxBytes)))
          exchange.timers.read(true)
          waiting += chunk.length
          if (waiting > maxWaitingBytes) exchange.pause()
          writing = writing
            .then(() => (isOver ? undefined : guarded(() => write(chunk))))
            .then(() => {
              waiting -= chunk.length
              // The resumed parser may give out the next chunk at once, so that it is resumed in a turn of its own.
              if (waiting <= maxWaitingBytes) setImmediate(() => isOver || exchange.resume())
            })
        },
        flush: () => {},
        end: () => void writing.then(() => end(resolve)),
        fail: (error) => void writing.then(() => end(() => reject(error))),
      })
    })
  }

  /** Sends a request and reads a JSON answer of at most `maxBytes` (see bounds.ts). */
  async json(options: AbortableOptions, maxBytes: number): Promise<unknown> {
    return readJson(await this.bytes(options, maxBytes), maxBytes)
  }

  /** Opens a connection for the next call, unless one is idle. Nothing is asked, and nothing fails here. */
  warm(): Promise<void> {
    return this.#pool.warm()
  }

  /** The address that a redirect of this request leads to; undefined if there is none. */
  locationOf(options: UpstreamOptions, location: string): URL | undefined {
    return URL.parse(location, `${this.#origin}${this.#pathOf(options)}`) ?? undefined
  }

  /** Whether requests to this address may have the key. */
  isOwn(url: URL): boolean {
    return url.origin === this.#origin
  }

  readonly #pathOf = ({ path, isFromRoot }: UpstreamOptions): string =>
    isFromRoot ? path : `${this.#basePath}${path}`

  readonly #faultOf = (status: number, headers: ReplyHeaders, body: string): UpstreamError =>
    status === 407 && this.#egress.proxy
      ? faultOfProxy(new ProxyFailed('login', this.#egress.proxy, 'HTTP 407'))
      : (redirectOf(status, headers) ?? faultOfStatus(status, headers, body, this.secrets))

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }
}

const headersOf = ({ contentType, byteLength }: StreamedBody): Record<string, string> => ({
  'content-type': contentType,
  'content-length': String(byteLength),
})
