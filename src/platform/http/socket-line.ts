/** A WebSocket connection with its limits. */
import type { WebSocket } from 'ws'
import { scheduler } from '#platform/scheduler'
import type { Socket, SocketBounds, SocketMessage } from './socket.ts'

/** Maximum queued messages; beyond it nothing more is read from the connection. */
const maxWaiting = 32
/** Maximum bytes waiting to be sent; beyond it `send` returns a promise. */
const maxUnsentBytes = 1024 * 1024
/** A client that reads nothing for this long is treated as gone. */
const stuckMs = 60_000
/** The number of pings in the time that a client may be silent. */
const maxSilentBeats = 2
const windowMs = 10_000
/** Close codes of RFC 6455, section 7.4.1. */
const policyViolationCode = 1008
const protocolErrorCode = 1002
const tooBigCode = 1009

export class SocketConnection implements Socket {
  readonly stopping: AbortSignal
  readonly #ws: WebSocket
  readonly #bounds: SocketBounds
  readonly #gone = new AbortController()
  readonly #waiting: SocketMessage[] = []
  readonly #flow = scheduler.flow()
  readonly #pulse: NodeJS.Timeout
  #wake: (() => void) | undefined
  #closeCode: number | undefined
  #closeReason = ''
  /** Pings since the last sign of life. Beats that a busy process missed do not count, because each counted beat sends a ping. */
  #silentBeats = 0
  #window = { startMs: performance.now(), messages: 0, bytes: 0 }

  constructor(ws: WebSocket, bounds: SocketBounds, stopping: AbortSignal) {
    this.stopping = stopping
    this.#ws = ws
    this.#bounds = bounds
    this.#pulse = setInterval(() => this.#beat(), bounds.idleMs / maxSilentBeats)
    ws.on('message', (data: Buffer, isBinary) => this.#take(isBinary ? data : data.toString(), data.length))
    // Pongs and pings cost as much as messages, so they count as messages.
    ws.on('pong', ({ length }: Buffer) => void this.#isAdmitted(length))
    ws.on('ping', ({ length }: Buffer) => void this.#isAdmitted(length))
    // For a message that is too long or a broken frame, the library closes the connection with the matching code.
    ws.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.#closeCode = code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? tooBigCode : protocolErrorCode
    })
    ws.on('close', (code, reason) => {
      this.#closeCode ??= code
      this.#closeReason = reason.toString()
      clearInterval(this.#pulse)
      this.#gone.abort()
      this.#wake?.()
    })
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }

  get closeCode(): number | undefined {
    return this.#closeCode
  }

  /** The reason that the other side gave for the close. */
  get closeReason(): string {
    return this.#closeReason
  }

  get protocol(): string {
    return this.#ws.protocol
  }

  get messages(): AsyncIterable<SocketMessage> {
    return this.#read()
  }

  send(data: string | Uint8Array): Promise<void> | undefined {
    if (this.#ws.readyState !== this.#ws.OPEN) return undefined
    if (this.#ws.bufferedAmount < maxUnsentBytes) {
      this.#ws.send(data)
      return undefined
    }
    return new Promise((resolve) => {
      const stuck = setTimeout(() => this.#ws.terminate(), stuckMs)
      this.#ws.send(data, () => {
        clearTimeout(stuck)
        resolve()
      })
    })
  }

  close(code = 1000, reason = ''): void {
    this.#ws.close(code, reason)
  }

  terminate(): void {
    this.#ws.terminate()
  }

  /** Resolves when the connection is closed on both sides, or cut. */
  async whenClosed(): Promise<void> {
    if (this.gone.aborted) return
    await new Promise<void>((resolve) => this.gone.addEventListener('abort', () => resolve(), { once: true }))
  }

  async *#read(): AsyncGenerator<SocketMessage> {
    for (;;) {
      // A message is handled in the turn of the event loop in which it is read, up to its first wait for something else.
      if (this.#waiting.length > 0) await this.#flow.turn()
      const message = this.#waiting.shift()
      if (message !== undefined) {
        if (this.#ws.isPaused && this.#waiting.length <= maxWaiting / 2) this.#ws.resume()
        yield message
      } else if (this.gone.aborted) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }

  #take(message: SocketMessage, bytes: number): void {
    if (!this.#isAdmitted(bytes)) return
    this.#waiting.push(message)
    if (this.#waiting.length >= maxWaiting) this.#ws.pause()
    this.#wake?.()
  }

  /** Counts a message as a sign of life. If it exceeds the limits, the connection is closed and the result is false. */
  #isAdmitted(bytes: number): boolean {
    this.#silentBeats = 0
    if (this.#ws.readyState !== this.#ws.OPEN) return false
    if (!this.#isTooFast(bytes)) return true
    this.close(policyViolationCode, 'too many messages in a short time')
    return false
  }

  #isTooFast(bytes: number): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#window.startMs >= windowMs) this.#window = { startMs: nowMs, messages: 0, bytes: 0 }
    this.#window.messages += 1
    this.#window.bytes += bytes
    const { messagesPerSecond, bytesPerSecond } = this.#bounds
    const seconds = windowMs / 1000
    return (
      this.#window.messages > messagesPerSecond * seconds || this.#window.bytes > bytesPerSecond * seconds
    )
  }

  #beat(): void {
    // While reading is paused, signs of life cannot be seen; that the client has left shows when something is sent to it.
    if (this.#ws.isPaused) this.#silentBeats = 0
    this.#silentBeats += 1
    if (this.#silentBeats > maxSilentBeats) this.#ws.terminate()
    else if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping()
  }
}
