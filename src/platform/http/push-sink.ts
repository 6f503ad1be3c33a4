/** The response of one pushed answer: it writes events, heartbeats and the end, and handles slow clients. */
import type { ServerResponse } from 'node:http'
import { type Deadline, deadlines } from '#platform/clock'
import type { PushedAnswer, PushOut, PushReply } from './push.ts'
import { type AnswerContext, firstStatus, sendError, sendJson } from './respond.ts'

const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** A client that reads nothing for this long is treated as gone. */
export const stuckMs = 60_000

export class PushSink implements PushOut {
  readonly #answerContext: AnswerContext
  readonly #raw: ServerResponse
  readonly #answer: PushedAnswer
  readonly #heartbeat: string
  #pending = ''
  #isOpen = false
  /** True once `end`, `json`, `fail` or `cut` was called. */
  #isOver = false
  #hasLeft = false
  #areHeadersSent = false
  #silence: Deadline | undefined
  #stuck: Deadline | undefined

  constructor(answerContext: AnswerContext, { answer, heartbeat }: PushReply) {
    this.#answerContext = answerContext
    this.#raw = answerContext.context.response
    this.#answer = answer
    this.#heartbeat = heartbeat
  }

  /** Hands the response to the answer. From now on the sink is responsible for releasing the body of the request. */
  begin(): void {
    this.#answerContext.context.sink = this
    if (this.#raw.destroyed) this.onClientGone()
    this.#call(() => this.#answer.start(this))
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  open(): void {
    const { app, context } = this.#answerContext
    if (this.#isOver || this.#isOpen) return
    this.#raw.writeHead(200, { ...context.answerHeaders, ...eventStreamHeaders })
    this.#isOpen = true
    app.metrics.streams.inc()
    this.#silence = deadlines.in(app.config.timing.streamHeartbeatMs, () => this.#beat())
    this.#raw.on('drain', () => this.#drain())
    // A HEAD request gets no body, and its connection stays open for the next request.
    if (!context.isHead) return
    this.#raw.end()
    this.onClientGone()
  }

  event(data: string, name?: string, id?: string): void {
    if (this.#hasLeft || this.#isOver) return
    const nameLine = name === undefined ? '' : `event: ${name}\n`
    const idLine = id === undefined ? '' : `id: ${id}\n`
    this.#pending += `${nameLine}${idLine}data: ${data}\n\n`
  }

  flush(): boolean {
    if (this.#hasLeft || this.#isOver) return true
    if (this.#pending === '') {
      if (!this.#areHeadersSent) this.#raw.flushHeaders()
      this.#areHeadersSent = true
      return !this.#raw.writableNeedDrain
    }
    const text = this.#pending
    this.#pending = ''
    return this.#write(text)
  }

  end(): void {
    if (this.#isOver) return
    if (!this.#hasLeft) this.#raw.end(this.#pending)
    this.#finish()
    // The client must read the remaining bytes in time, too.
    if (this.#raw.writableLength > 0) this.#awaitReader()
  }

  json(text: string): void {
    if (this.#isOver || this.#isOpen) return
    this.#isOver = true
    const { app, context, route, check } = this.#answerContext
    try {
      sendJson(context, firstStatus(route), text, check)
      this.#finish()
    } catch (error) {
      void sendError(app, route, context, error, check).finally(() => this.#finish())
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    const { app, context, route, check } = this.#answerContext
    if (this.#isOpen) {
      app.log.error({ err: error, request_id: context.requestId }, 'a stream broke')
      this.cut()
    } else {
      this.#isOver = true
      void sendError(app, route, context, error, check).finally(() => this.#finish())
    }
  }

  cut(): void {
    if (this.#isOver) return
    this.#finish()
    this.#raw.destroy()
  }

  /** Called when the client has gone before the answer was complete. */
  onClientGone(): void {
    if (this.#isOver || this.#hasLeft) return
    this.#hasLeft = true
    this.#pending = ''
    this.stopTimers()
    this.#call(() => this.#answer.onClientGone())
  }

  /** Called when nothing more can be written to the client. */
  stopTimers(): void {
    this.#silence?.cancel()
    this.#stuck?.cancel()
  }

  #write(text: string): boolean {
    this.#silence?.restart()
    this.#areHeadersSent = true
    if (this.#raw.write(text)) return true
    this.#awaitReader()
    return false
  }

  #awaitReader(): void {
    if (this.#stuck) this.#stuck.restart()
    else this.#stuck = deadlines.in(stuckMs, () => this.#raw.destroy())
  }

  #drain(): void {
    this.#stuck?.cancel()
    if (!this.#isOver && !this.#hasLeft) this.#call(() => this.#answer.drained())
  }

  #beat(): void {
    if (this.#raw.writableNeedDrain) this.#silence!.restart()
    else {
      const text = this.#pending + this.#heartbeat
      this.#pending = ''
      this.#write(text)
    }
  }

  /** Runs a step of the answer. Its errors must not end the process. */
  #call(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.fail(error)
    }
  }

  #finish(): void {
    this.#isOver = true
    this.stopTimers()
    if (this.#isOpen) this.#answerContext.app.metrics.streams.dec()
    void this.#answerContext.context.releaseBody()
  }
}
