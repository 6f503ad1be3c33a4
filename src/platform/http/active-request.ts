/** One request as its handler sees it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Caller } from '#app'
import { type Span, TraceContext } from '#platform/trace'
import type { RequestContext } from './http.ts'
import type { BodySlot } from './intake.ts'
import { languageOf } from './language.ts'
import type { PushSink } from './push-sink.ts'
import type { Upload } from './upload.ts'

export const anonymousCaller: Caller = {
  kind: 'key',
  accountId: '',
  projectId: '',
  keyId: '',
  plan: '',
  scopes: new Set(),
  models: undefined,
}

export class ActiveRequest implements RequestContext {
  readonly app: App
  readonly receivedMs: number
  readonly requestId: string
  readonly trace: TraceContext
  caller: Caller = anonymousCaller
  body: unknown
  upload: Upload | undefined
  query: unknown = {}
  params: unknown = {}
  claim: RequestContext['claim']
  /** The memory reserved for its body. */
  slot: BodySlot | undefined
  /** Of a pushed answer. */
  sink: PushSink | undefined
  /** Code of the failure sent, for the log line. */
  code: string | undefined
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #gone: AbortController | undefined

  constructor(app: App, request: FastifyRequest, reply: FastifyReply, receivedMs: number, span?: Span) {
    this.app = app
    this.trace = new TraceContext(span)
    this.#request = request
    this.#reply = reply
    this.receivedMs = receivedMs
    this.requestId = request.id
  }

  get headers() {
    return this.#request.headers
  }
  get isHead() {
    return this.#request.method === 'HEAD'
  }
  get language() {
    return languageOf(this.#request.headers)
  }
  get gone(): AbortSignal {
    if (!this.#gone) {
      this.#gone = new AbortController()
      if (this.#reply.raw.destroyed) this.#gone.abort()
    }
    return this.#gone.signal
  }
  leave(): void {
    this.#gone?.abort()
    this.sink?.left()
  }
  setHeader(name: string, value: string): void {
    this.#reply.header(name, name.toLowerCase() === 'vary' ? this.#varyWith(value) : value)
  }
  /** What chose the headers so far (the page that asks) still counts. */
  #varyWith(value: string): string {
    const names = `${this.#reply.getHeader('vary') ?? ''},${value}`.split(',').map((name) => name.trim())
    return [...new Set(names.filter((name) => name !== ''))].join(', ')
  }
  /** The request is over: its body is released, even if its connection stays open. */
  async releaseBody(): Promise<void> {
    this.body = undefined
    this.slot?.release()
    await this.upload?.file[Symbol.asyncDispose]()
  }
}

/** The path without the query and without a slash at its end. */
export const pathOf = (request: FastifyRequest): string =>
  request.url.split('?')[0]!.replace(/(?<!\/)\/+$/, '')
