import type { Readable, Transform } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type Timeouts, UpstreamError } from '#core/spec'
import { type Deadline, deadlines } from '#platform/clock'
import { ProxyFailed } from '#platform/proxy'
import { CallTimers } from './call-timers.ts'
import { faultOfProxy } from './fault.ts'
import { unzipperFor } from './unzip.ts'
import { WholeBody } from './whole-body.ts'

/** How long a finished answer may take to close, so that its connection can be reused. */
const lingerMs = 1_000
const maxRefusalBytes = 64 * 1024

export type ReplyHeaders = Record<string, string | string[] | undefined>

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers: Record<string, string>
  body: string | Readable | null
  timeouts: Timeouts
  /** Timeout for the response headers, which a non-streamed call gets only with its complete answer. */
  firstByteMs: number
  /** The fault for an answer that is not a success, from its status and as much of its body as arrived, at most 64 KiB. */
  faultOf(status: number, headers: ReplyHeaders, body: string): UpstreamError
}

/** Receives the answer of a success (2xx) as it arrives. Its methods never throw. */
export interface AnswerReceiver {
  /** The headers have arrived. */
  begin(headers: ReplyHeaders): void
  bytes(chunk: Buffer): void
  /** The bytes of one read of the socket were all given. */
  flush(): void
  /** The answer is complete. */
  end(): void
  /** The answer is not, or no longer, coming; called at most once, and instead of `end`. */
  fail(error: UpstreamError): void
}

/**
 * One request and its answer on a pool, with undici's handler interface instead of streams, since every chunk of every answer passes here.
 * A timeout destroys the socket at once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly timers: CallTimers
  readonly #request: UpstreamRequest
  readonly #receiver: AnswerReceiver
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: ReplyHeaders = {}
  /** An answer that is not a success, while its reason is collected. */
  #refusal: { headers: ReplyHeaders; body: WholeBody } | undefined
  /** The body has begun. */
  #hasBegun = false
  /** Set for a body that comes compressed. */
  #unzip: Transform | undefined
  /** The fault that ended a compressed body, while what has arrived of it is decompressed. */
  #ending: UpstreamError | undefined
  /** True until `send` has returned. */
  #sending = false
  #sent = false
  #paused = false
  #flushing = false
  /** True once nothing more is reported to the receiver. */
  #over = false
  /** True once the connection has ended, after which it needs no care. */
  #closed = false
  #linger: Deadline | undefined

  private constructor(request: UpstreamRequest, receiver: AnswerReceiver) {
    this.#request = request
    this.#receiver = receiver
    this.timers = new CallTimers(request.timeouts, (error) =>
      this.#fail(this.#refusal ? this.#refused(this.#refusal) : error),
    )
  }

  /** Sends the request; its answer goes to `receiver`, whose first method is called later. */
  static send(pool: Dispatcher, request: UpstreamRequest, receiver: AnswerReceiver): Exchange {
    const exchange = new Exchange(request, receiver)
    const { method, path, headers, body } = request
    exchange.#sending = true
    pool.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange)
    exchange.#sending = false
    return exchange
  }

  /** True once the request is on its way: the upstream may have begun to work. */
  get wasSent(): boolean {
    return this.#sent
  }

  /** Reads nothing more until `resume`. */
  pause(): void {
    if (this.#over || this.#paused) return
    this.#paused = true
    this.timers.suspend()
    this.#unzip?.pause()
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.timers.proceed()
    this.#unzip?.resume()
    this.#controller?.resume()
  }

  /** Ends reading. A stream at its end may close by itself, so that the connection is reused; one that is still sending is destroyed. */
  release(): void {
    this.#settle()
    if (this.#closed) return
    this.#paused = false
    if (this.#controller?.paused) this.#controller.resume()
    this.#linger = deadlines.in(lingerMs, () => this.abandon())
  }

  /** Destroys the socket; for answers that are not read to their end. */
  abandon(): void {
    this.#settle()
    if (this.#closed) return
    this.#closed = true
    this.#controller?.abort(new UpstreamError('aborted', { executed: true }))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#over) {
      controller.abort(new UpstreamError('aborted', { executed: false }))
      return
    }
    this.#sent = true
    this.timers.enter('firstByte', this.#request.firstByteMs)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status < 200 || this.#over) return
    this.#status = status
    this.#headers = headers
    // An answer that is not streamed may send its headers early and its body late.
    this.timers.enter('idle', Math.max(this.#request.timeouts.idleMs, this.#request.firstByteMs))
    if (status < 300) this.#receiver.begin(headers)
    // Only a proxy answers with 407, and its body is not the upstream's.
    else this.#refusal = { headers, body: new WholeBody(status === 407 ? 0 : maxRefusalBytes) }
    // The receiver may have called `pause` before there was a controller to pause.
    if (this.#paused) this.#controller?.pause()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return
    if (!this.#hasBegun) this.#beginBody(chunk)
    if (!this.#unzip) this.#take(chunk)
    else if (!this.#unzip.write(chunk)) controller.pause()
  }

  #beginBody(first: Buffer): void {
    this.#hasBegun = true
    const unzip = unzipperFor(this.#headers, first)
    if (unzip === 'unknown') this.#fail(this.#unreadable())
    else
      this.#unzip = unzip
        ?.on('data', (chunk: Buffer) => this.#take(chunk))
        .on('drain', () => this.#paused || this.#controller?.resume())
        .on('end', () => this.#ended())
        .on('error', (cause) => this.#fail(this.#ending ?? this.#unreadable(cause)))
    if (this.#paused) this.#unzip?.pause()
  }

  /** Takes bytes of the body as the upstream wrote them. */
  #take(chunk: Buffer): void {
    if (this.#over) return
    if (this.#refusal) {
      if (!this.#refusal.body.add(chunk)) this.#fail(this.#refused(this.#refusal))
      return
    }
    this.#receiver.bytes(chunk)
    if (this.#flushing || this.#over) return
    // One read of the socket may bring many chunks, one after the other; they are sent on together.
    this.#flushing = true
    process.nextTick(Exchange.#flushOf, this)
  }

  onResponseEnd(): void {
    this.#closed = true
    this.#linger?.cancel()
    if (this.#over) return
    this.#endBody()
  }

  #endBody(): void {
    const unzip = this.#unzip
    // What is decompressed together with the end is lost where the end is missing, so the end waits for everything before it.
    if (unzip) unzip.write(Buffer.alloc(0), (error) => error || unzip.end())
    else this.#ended()
  }

  /** All of the body that has arrived was taken. */
  #ended(): void {
    if (this.#over) return
    if (this.#ending) this.#fail(this.#ending)
    else if (this.#refusal) this.#fail(this.#refused(this.#refusal))
    else {
      this.#settle()
      this.#receiver.end()
    }
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#closed = true
    this.#linger?.cancel()
    if (this.#over) return
    // The status alone determines a fault: an error body that breaks off or takes too long does not hide it.
    if (!this.#refusal) this.#ending = this.#connectionFault(cause)
    this.#endBody()
  }

  static #flushOf(this: void, exchange: Exchange): void {
    exchange.#flushing = false
    if (!exchange.#over) exchange.#receiver.flush()
  }

  /** Failures before the request was sent mean that nothing was executed; after the headers, that the answer was cut. */
  #connectionFault(cause: Error): UpstreamError {
    if (cause instanceof ProxyFailed) return faultOfProxy(cause)
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
    if (!this.#sent) return new UpstreamError('connect', { executed: false, detail: code, cause })
    if (this.#status !== 0) return new UpstreamError('cut', { status: this.#status, detail: code, cause })
    const nonsense = cause.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW'
    return new UpstreamError(nonsense ? 'malformed' : 'reset', { detail: code, cause })
  }

  /** The fault of a body that cannot be decompressed; that of a refusal is its status all the same. */
  #unreadable(cause?: NodeJS.ErrnoException): UpstreamError {
    if (this.#refusal) return this.#refused(this.#refusal)
    const status = this.#status
    // zlib and brotli alike report a body that ends too early so.
    if (cause?.code === 'Z_BUF_ERROR')
      return new UpstreamError('cut', { status, detail: 'a compressed answer that breaks off', cause })
    return new UpstreamError('malformed', { status, detail: 'an answer that cannot be unzipped', cause })
  }

  #refused({ headers, body }: { headers: ReplyHeaders; body: WholeBody }): UpstreamError {
    return this.#request.faultOf(this.#status, headers, body.take().toString('utf8'))
  }

  #fail(error: UpstreamError): void {
    if (this.#over) return
    this.abandon()
    if (this.#sending) process.nextTick(() => this.#receiver.fail(error))
    else this.#receiver.fail(error)
  }

  #settle(): void {
    this.#over = true
    this.timers.end()
    this.#unzip?.destroy()
  }
}
