/** One request as its handler sees it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, CallerPerson } from '#platform/auth'
import type { Deadline } from '#platform/clock'
import { uuidv7 } from '#platform/ids'
import type { Claim } from '#platform/ledger'
import type { SpoolFile } from '#platform/spool'
import { TraceContext } from '#platform/trace'
import type { HttpApp } from './app.ts'
import { type CookieKind, cookieName, cookieText, readCookie } from './cookies.ts'
import { spanOf } from './finish.ts'
import type { RequestContext, Route } from './http.ts'
import type { BodySlot } from './intake.ts'
import { languageOf } from './language.ts'
import { ownOriginOf } from './own-origin.ts'
import type { PushSink } from './push-sink.ts'
import { peerOf } from './trusted-proxies.ts'
import type { Upload } from './upload.ts'

export const jsonType = 'application/json; charset=utf-8'

export const anonymousCaller: Caller = {
  kind: 'key',
  accountId: '',
  projectId: '',
  keyId: '',
  plan: '',
  scopes: new Set(),
  models: undefined,
}

/** One request: what was received, what is known about it, and the answer. */
export class ActiveRequest implements RequestContext<HttpApp> {
  readonly app: HttpApp
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly receivedMs: number
  /** Empty for a request that no route answers. */
  readonly operation: string
  readonly requestId: string
  readonly trace: TraceContext
  caller: Caller = anonymousCaller
  body: unknown
  bodyFile: SpoolFile | undefined
  upload: Upload | undefined
  query: unknown = {}
  params: unknown = {}
  claim: Claim | undefined
  /** The deadline for receiving the whole request; an upload has a longer one. */
  timeLimit: Deadline | undefined
  /** The memory reserved for the request's body. */
  slot: BodySlot | undefined
  /** The sink, if the answer is pushed. */
  sink: PushSink | undefined
  /** The code of the failure that was sent, for the log line. */
  code: string | undefined
  /** Headers of the answer, by names in small letters. */
  readonly answerHeaders: Record<string, string>
  /** Ends the connection of a session that is no longer admitted. */
  endConnection: () => void = () => this.response.destroy()
  #gone: AbortController | undefined
  #origin: string | undefined
  #sessionWatch: Disposable | undefined

  constructor(app: HttpApp, message: IncomingMessage, response: ServerResponse, route?: Route) {
    this.app = app
    this.message = message
    this.response = response
    this.receivedMs = app.clock.nowMs()
    this.operation = route?.operation ?? ''
    this.requestId = uuidv7(this.receivedMs)
    this.trace = new TraceContext(route && spanOf(app, route, this))
    this.answerHeaders = {
      'x-request-id': this.requestId,
      'request-id': this.requestId,
      'x-content-type-options': 'nosniff',
    }
  }

  get headers() {
    return this.message.headers
  }
  get peer() {
    return peerOf(this.message.socket)
  }
  get isHead() {
    return this.message.method === 'HEAD'
  }
  get language() {
    return languageOf(this.message.headers)
  }
  get person(): CallerPerson | undefined {
    return this.caller.person
  }
  get origin(): string {
    this.#origin ??= ownOriginOf(this)
    return this.#origin
  }
  cookie(kind: CookieKind): string | undefined {
    const { cookie } = this.headers
    return cookie === undefined ? undefined : readCookie(cookie, this.#nameOf(kind))
  }
  setCookie(kind: CookieKind, value: string | undefined, maxAgeSeconds: number): void {
    const name = this.#nameOf(kind)
    const others = [this.response.getHeader('set-cookie') ?? []].flat().map(String)
    this.response.setHeader('set-cookie', [
      // A session that gets a new token and ends in one request has ended.
      ...others.filter((text) => !text.startsWith(`${name}=`)),
      cookieText(this.origin, name, value, maxAgeSeconds),
    ])
    this.answerHeaders['cache-control'] = 'no-store'
  }
  #nameOf(kind: CookieKind): string {
    return cookieName(this.origin, this.app.sessions.installation, kind)
  }
  /** From now on the connection ends soon after the session has ended, or its person has lost a right. */
  watchSession(changes: number): void {
    this.#sessionWatch = this.app.sessions.watch(this.caller, () => this.endConnection(), changes)
  }
  onFinish(): void {
    this.#sessionWatch?.[Symbol.dispose]()
  }
  get gone(): AbortSignal {
    if (!this.#gone) {
      this.#gone = new AbortController()
      if (this.response.destroyed) this.#gone.abort()
    }
    return this.#gone.signal
  }
  onClientGone(): void {
    this.#gone?.abort()
    this.sink?.onClientGone()
  }
  async reserveMemory(bytes: number): Promise<void> {
    await this.slot?.announce(bytes)
  }
  setHeader(name: string, value: string): void {
    const known = name.toLowerCase()
    this.answerHeaders[known] = known === 'vary' ? this.#varyWith(value) : value
  }
  /** Sends the whole answer in one write. */
  answer(status: number, contentType: string, body: string | Uint8Array | null): void {
    if (this.response.headersSent) return
    const headers = this.answerHeaders
    headers['content-type'] = typeof body === 'object' && body ? contentType : withCharset(contentType)
    if (body !== null) headers['content-length'] = String(Buffer.byteLength(body))
    this.response.writeHead(status, headers)
    if (body === null || this.isHead) this.response.end()
    else this.response.end(body)
  }
  /** Adds to `vary`. The values already set, such as the origin of the page, still count. */
  #varyWith(value: string): string {
    const names = `${this.answerHeaders['vary'] ?? ''},${value}`.split(',').map((name) => name.trim())
    return [...new Set(names.filter((name) => name !== ''))].join(', ')
  }
  /** Releases the body when the request is over, even if its connection stays open. */
  async releaseBody(): Promise<void> {
    this.body = undefined
    this.slot?.release()
    await this.bodyFile?.[Symbol.asyncDispose]()
    for (const file of this.upload?.files ?? []) await file[Symbol.asyncDispose]()
  }
}

/** Adds the charset to JSON types, which are UTF-8. */
const withCharset = (type: string): string =>
  type !== jsonType && type.includes('json') && !type.includes('charset') ? `${type}; charset=utf-8` : type

/** The path without the query and without slashes at its end. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  let end = query === -1 ? url.length : query
  while (end > 0 && url.charCodeAt(end - 1) === slash) end--
  return url.slice(0, end)
}

const slash = 47
