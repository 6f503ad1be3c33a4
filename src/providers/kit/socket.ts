/** A WebSocket to an upstream whose messages are JSON objects. */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { type Timeouts, UpstreamError } from '#core/spec'
import { isRecord } from '#platform/json'
import { ProxyFailed } from '#platform/proxy'
import { CallTimers } from './call-timers.ts'
import type { ReplyHeaders } from './exchange.ts'
import { faultOfError, faultOfProxy } from './fault.ts'
import { readSmallJson } from './json.ts'
import { wellFormedJson } from './well-formed.ts'
import { WholeBody } from './whole-body.ts'

/**
 * The size limit of one message, whose JSON is parsed at once: a megabyte of many names takes 60 ms. Only these are larger: the echo of a session
 * with hundreds of kilobytes of tools, and attacks.
 */
export const maxEventBytes = 768 * 1024
/** The most bytes that wait to be sent, about 15 seconds of 24 kHz samples in Base64; an upstream that takes nothing for so long is gone. */
const maxUnsentBytes = 1024 * 1024
const windowMs = 10_000
/** The most that is accepted, averaged over the window: far above what sound and its words need, and little enough that nobody else waits. */
const maxPerSecond = { messages: 1_000, bytes: 4 * 1024 * 1024 }
/** How often a ping is sent; without any sign of life for three times as long the connection is over. */
const usualPulseMs = 10_000
const maxSilentBeats = 3
/** How long the other side has to answer a close before the connection is cut. */
const closingMs = 1_000
const maxRefusalBytes = 64 * 1024

export type UpstreamEvent = Record<string, unknown>

/** What a wire does with its connection. An error that a method throws ends the connection as malformed, unless it is an `UpstreamError`. */
export interface SocketReceiver {
  /** Called after the upgrade, to send what opens a session. */
  opened(socket: UpstreamSocket): void
  event(event: UpstreamEvent, socket: UpstreamSocket): void
  /** Called when the other side closes the connection with this code (RFC 6455, section 7.4); `failed` follows. */
  left?(code: number): void
  /** Called when the connection is over without a `close` of ours; at most once, and only after it was ready. */
  failed(error: UpstreamError): void
}

export interface SocketContext {
  timeouts: Timeouts
  signal: AbortSignal
  pulseMs?: number
  /** Masked in every error. */
  secrets: readonly string[]
  faultOf(status: number, headers: ReplyHeaders, body: string): UpstreamError
}

/**
 * From the connection on until `ready` the timeouts of a call hold: `connectMs`, then `firstByteMs` for the upgrade and the greeting. A ready
 * connection lives until either side closes it; pings find out whether the other side is there.
 */
export class UpstreamSocket {
  readonly #ws: WebSocket
  readonly #setting: SocketContext
  readonly #receiver: SocketReceiver
  readonly #timers: CallTimers
  readonly #ready = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<void>()
  #isReady = false
  #isOver = false
  #isClosing = false
  #pulse: NodeJS.Timeout | undefined
  /** Beats since the last sign of life, each with a ping. Beats for which this process was too busy do not count. */
  #silentBeats = 0
  #window = { startMs: performance.now(), messages: 0, bytes: 0 }

  private constructor(ws: WebSocket, setting: SocketContext, receiver: SocketReceiver) {
    this.#ws = ws
    this.#setting = setting
    this.#receiver = receiver
    this.#timers = new CallTimers(setting.timeouts, (error) => this.fail(error))
    setting.signal.addEventListener('abort', this.#stop, { once: true })
    this.#listen()
  }

  /** Resolves once the receiver called `ready`. Throws `UpstreamError` with `executed: false`, for nothing was asked yet. */
  static async connect(
    open: () => WebSocket,
    setting: SocketContext,
    receiver: SocketReceiver,
  ): Promise<UpstreamSocket> {
    if (setting.signal.aborted) throw new UpstreamError('aborted', { executed: false })
    const socket = new UpstreamSocket(open(), setting, receiver)
    await socket.#ready.promise
    return socket
  }

  /** Called by the receiver once the session is open. */
  ready(): void {
    if (this.#isReady || this.#isOver) return
    this.#isReady = true
    this.#timers.end()
    this.#ready.resolve()
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Sends a message; ignored once the connection is over. An upstream that takes nothing any more ends the connection. */
  send(message: UpstreamEvent | Uint8Array): void {
    if (this.#isOver || this.#ws.readyState !== this.#ws.OPEN) return
    if (this.#ws.bufferedAmount > maxUnsentBytes)
      this.fail(new UpstreamError('timeout', { detail: 'the upstream takes nothing any more' }))
    else this.#ws.send(message instanceof Uint8Array ? message : wellFormedJson(message))
  }

  /** Ends the connection by a fault. The receiver gets it, or, before the connection is ready, the caller of `connect`. */
  fail(error: UpstreamError): void {
    if (this.#isOver) return
    this.#end()
    this.#ws.terminate()
    if (!this.#isReady) this.#ready.reject(unexecuted(error))
    else if (!this.#isClosing) this.#receiver.failed(error)
  }

  /**
   * Closes the connection; never rejects. With `last` that message is sent first, and the other side has `graceMs` to say the rest, which still comes
   * as events, and to close the connection.
   */
  async close(last?: UpstreamEvent, graceMs = 0): Promise<void> {
    if (this.#isOver || this.#isClosing) return this.#closed.promise
    if (last) this.send(last)
    this.#isClosing = true
    if (last && graceMs > 0) await this.#closedWithin(graceMs)
    if (this.#isOver) return
    this.#ws.close(1000)
    await this.#closedWithin(closingMs)
    this.#end()
    this.#ws.terminate()
  }

  get #pulseMs(): number {
    return this.#setting.pulseMs ?? usualPulseMs
  }

  readonly #stop = (): void => this.fail(new UpstreamError('aborted'))

  #listen(): void {
    const ws = this.#ws
    ws.on('upgrade', () => this.#timers.enter('firstByte', this.#setting.timeouts.firstByteMs))
    ws.on('open', () => {
      this.#pulse = setInterval(() => this.#beat(), this.#pulseMs).unref()
      this.#guarded(() => this.#receiver.opened(this))
    })
    ws.on('unexpected-response', (_request, response) => this.#refused(response))
    ws.on('message', (data: Buffer) => this.#take(data))
    ws.on('ping', ({ length }: Buffer) => void this.#isAdmitted(length))
    ws.on('pong', ({ length }: Buffer) => void this.#isAdmitted(length))
    ws.on('error', (cause) => this.fail(faultOfSocket(cause)))
    ws.on('close', (code, reason) => this.#left(code, reason.toString()))
  }

  #take(data: Buffer): void {
    if (this.#isOver || !this.#isAdmitted(data.length)) return
    this.#guarded(() => {
      const event = readSmallJson(data, maxEventBytes, { exact: true })
      if (!isRecord(event)) throw new UpstreamError('malformed', { detail: 'a message that is no object' })
      this.#receiver.event(event, this)
    })
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (cause) {
      this.fail(
        cause instanceof UpstreamError
          ? cause
          : new UpstreamError('malformed', { detail: 'a message that does not follow the wire', cause }),
      )
    }
  }

  /** Counts a message as a sign of life. Answers false if there are too many: an upstream must not keep the process busy. */
  #isAdmitted(bytes: number): boolean {
    this.#silentBeats = 0
    const nowMs = performance.now()
    if (nowMs - this.#window.startMs >= windowMs) this.#window = { startMs: nowMs, messages: 0, bytes: 0 }
    this.#window.messages += 1
    this.#window.bytes += bytes
    const seconds = windowMs / 1_000
    const isTooMuch =
      this.#window.messages > maxPerSecond.messages * seconds ||
      this.#window.bytes > maxPerSecond.bytes * seconds
    if (isTooMuch) this.fail(new UpstreamError('malformed', { detail: 'more messages than any session has' }))
    return !isTooMuch
  }

  #beat(): void {
    this.#silentBeats += 1
    if (this.#silentBeats > maxSilentBeats) this.fail(new UpstreamError('cut', { detail: 'no sign of life' }))
    else if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping()
  }

  /** Fails with the reason in the answer that refused the upgrade. */
  #refused(response: IncomingMessage): void {
    const body = new WholeBody(maxRefusalBytes)
    const failWithBody = (): void =>
      this.fail(this.#setting.faultOf(response.statusCode ?? 0, response.headers, body.take().toString()))
    response.on('data', (chunk: Buffer) => {
      if (!body.add(chunk)) failWithBody()
    })
    response.on('end', failWithBody)
    response.on('close', failWithBody)
    response.on('error', failWithBody)
  }

  #left(code: number, reason: string): void {
    this.#closed.resolve()
    if (this.#isClosing) this.#end()
    else {
      if (!this.#isOver) this.#receiver.left?.(code)
      this.fail(faultOfClose(code, reason, this.#setting.secrets))
    }
  }

  #end(): void {
    this.#isOver = true
    this.#timers.end()
    clearInterval(this.#pulse)
    this.#setting.signal.removeEventListener('abort', this.#stop)
    this.#closed.resolve()
  }

  async #closedWithin(ms: number): Promise<void> {
    const passed = Promise.withResolvers<void>()
    const timer = setTimeout(passed.resolve, ms)
    await Promise.race([this.#closed.promise, passed.promise])
    clearTimeout(timer)
  }
}

/** The same error with `executed: false`, since nothing was asked before a session was ready. */
const unexecuted = (error: UpstreamError): UpstreamError =>
  error.executed
    ? new UpstreamError(error.fault, {
        executed: false,
        ...(error.status !== undefined && { status: error.status }),
        ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
        ...(error.detail !== undefined && { detail: error.detail }),
        ...(error.inside !== undefined && { inside: error.inside }),
        ...(error.param !== undefined && { param: error.param }),
        cause: error,
      })
    : error

function faultOfSocket(cause: Error): UpstreamError {
  if (cause instanceof ProxyFailed) return faultOfProxy(cause)
  const { code = '' } = cause as NodeJS.ErrnoException
  // Errors of the library are about frames that do not follow RFC 6455, or a message that is too long.
  if (code.startsWith('WS_ERR_'))
    return new UpstreamError('malformed', {
      detail:
        code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
          ? `a message of more than ${maxEventBytes} bytes`
          : 'a broken frame',
      cause,
    })
  return new UpstreamError(code === 'ECONNRESET' ? 'reset' : 'connect', { cause })
}

/** RFC 6455, section 7.4.1: 1011 is a defect of the other side, 1012 and 1013 ask to come back later. */
function faultOfClose(code: number, reason: string, secrets: readonly string[]): UpstreamError {
  if (code === 1012 || code === 1013) return new UpstreamError('overloaded', { detail: `closed (${code})` })
  if (reason === '') return new UpstreamError('cut', { detail: `closed (${code})` })
  return faultOfError({ message: reason }, secrets)
}
