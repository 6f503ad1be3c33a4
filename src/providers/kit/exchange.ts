import type { Dispatcher } from 'undici'
import { GrowingBytes } from '#platform/bytes'
import { ProxyFailed } from '#platform/proxy'
import { type Timeouts, UpstreamError } from '#providers/spec'
import { tooLong } from './bounds.ts'
import { CallTimers } from './call-timers.ts'
import { faultOfProxy } from './fault.ts'

/** Bytes buffered for a slow reader before the socket is paused. */
const highWaterBytes = 256 * 1024
/** How long a finished answer may take to close, so that its connection can be reused. */
const lingerMs = 1_000

export type ReplyHeaders = Record<string, string | string[] | undefined>

export interface UpstreamCallOptions {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  signal: AbortSignal
  timeouts: Timeouts
  /** Timeout for the response headers, which a non-streamed call gets only with its complete answer. */
  firstByteMs: number
}

/**
 * One request and its answer on a pool, with undici's handler interface instead of streams, since every chunk of every answer passes here.
 * Failures are `UpstreamError`s; aborting the signal or a timeout destroys the socket at once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0
  headers: ReplyHeaders = {}
  readonly timers: CallTimers
  readonly #options: UpstreamCallOptions
  readonly #onAbort: () => void
  readonly #answered = Promise.withResolvers<void>()
  #controller: Dispatcher.DispatchController | undefined
  #chunks: Buffer[] = []
  #heldBytes = 0
  #sent = false
  #ended = false
  #discarding = false
  #failure: UpstreamError | undefined
  #wake: (() => void) | undefined

  private constructor(options: UpstreamCallOptions) {
    this.#options = options
    this.#onAbort = () => this.#fail(new UpstreamError('aborted', { executed: this.#sent }))
    this.timers = new CallTimers(options.timeouts, (error) => this.#fail(error))
    options.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Sends the request and resolves with its answer's headers. */
  static async open(pool: Dispatcher, options: UpstreamCallOptions): Promise<Exchange> {
    if (options.signal.aborted) throw new UpstreamError('aborted', { executed: false })
    const exchange = new Exchange(options)
    const { method, path, headers, body } = options
    pool.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange)
    await exchange.#answered.promise
    return exchange
  }

  /** Waits until bytes arrive, if none are buffered. `moved`: there was progress since the last wait (see `CallTimers`). */
  arrival(moved: boolean): Promise<void> | undefined {
    if (this.#chunks.length > 0 || this.#ended || this.#failure) return undefined
    this.timers.wait(moved)
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** The bytes that have arrived; undefined at the end. Throws the failure that ended the answer early. */
  take(): Buffer | undefined {
    this.timers.arrived()
    const chunk = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : this.#chunks[0]
    if (chunk) {
      this.#chunks = []
      this.#heldBytes = 0
      if (this.#controller?.paused) this.#controller.resume()
    } else if (this.#failure) throw this.#failure
    return chunk
  }

  /** The whole body as text, in UTF-8. See `bytes`. */
  async text(maxBytes: number, overflow: 'cut' | 'fail'): Promise<string> {
    return (await this.bytes(maxBytes, overflow)).toString('utf8')
  }

  /** The whole body, in one new buffer. Past `maxBytes`, `overflow: 'cut'` truncates and `'fail'` throws malformed. */
  async bytes(maxBytes: number, overflow: 'cut' | 'fail'): Promise<Buffer> {
    const body = new GrowingBytes()
    for (;;) {
      await this.arrival(true)
      const chunk = this.take()
      if (!chunk) break
      if (body.length + chunk.length <= maxBytes) {
        body.add(chunk)
        continue
      }
      this.abandon()
      if (overflow === 'fail') throw tooLong(maxBytes)
      body.add(chunk.subarray(0, maxBytes - body.length))
      break
    }
    return body.take()
  }

  /** Ends reading: a stream at its end may close by itself, so that the connection is reused; one that is still sending is destroyed. */
  release(): void {
    if (this.#ended || this.#failure) {
      this.#settle()
      return
    }
    this.#discarding = true
    this.#chunks = []
    this.#settle()
    if (this.#controller?.paused) this.#controller.resume()
    const limit = setTimeout(() => this.abandon(), lingerMs)
    limit.unref()
    this.#wake = () => clearTimeout(limit)
  }

  /** Destroys the socket; for answers that will not be read to their end. */
  abandon(): void {
    this.#fail(new UpstreamError('aborted', { executed: true }))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure) {
      controller.abort(this.#failure)
      return
    }
    this.#sent = true
    this.timers.enter('firstByte', this.#options.firstByteMs)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    // An answer that is not streamed may send its headers early and its body late.
    this.timers.enter('idle', Math.max(this.#options.timeouts.idleMs, this.#options.firstByteMs))
    this.#answered.resolve()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#discarding) return
    this.#chunks.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes > highWaterBytes) controller.pause()
    this.#wake?.()
    this.#wake = undefined
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#settle()
    this.#wake?.()
    this.#wake = undefined
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(this.#failure ?? this.#connectionFault(cause))
  }

  /** Failures before the request was sent mean that nothing was executed; after the headers, that the answer was cut. */
  #connectionFault(cause: Error): UpstreamError {
    if (cause instanceof ProxyFailed) return faultOfProxy(cause)
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
    if (!this.#sent) return new UpstreamError('connect', { executed: false, detail: code, cause })
    if (this.status !== 0) return new UpstreamError('cut', { status: this.status, detail: code, cause })
    const nonsense = cause.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW'
    return new UpstreamError(nonsense ? 'malformed' : 'reset', { detail: code, cause })
  }

  #fail(error: UpstreamError): void {
    if (this.#ended || this.#failure) {
      this.#settle()
      return
    }
    this.#failure = error
    this.#settle()
    this.#controller?.abort(error)
    this.#answered.reject(error)
    this.#wake?.()
    this.#wake = undefined
  }

  #settle(): void {
    this.timers.end()
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }
}
