/** The second zone: all its requests, whichever port they came to. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { Failure } from '#platform/errors'
import {
  ambiguityFailure,
  defaultTimeouts,
  hostName,
  limitRequestTime,
  pathOfTarget,
  peerOf,
  type Timeouts,
  type VisitorAddress,
  visitorOf,
  type Zone,
} from '#platform/http'
import type { AppsApp } from './app.ts'
import type { AppsRequest, HostHandler } from './apps.ts'
import { answerCertificateQuery, isCertificateQuery } from './certificates.ts'
import { guardAnswer, removeCredentials } from './guard.ts'
import { reasons } from './phrases.ts'
import { refuse } from './refuse.ts'

export interface ZoneOptions {
  app: AppsApp
  handlers: readonly HostHandler[]
  timeouts?: Timeouts | undefined
}

interface RoutedRequest {
  request: AppsRequest
  handler: HostHandler
}

/** Passes each request to the handler of its host. Disposing the zone disposes the handlers. */
export class AppsZone implements Zone, AsyncDisposable {
  readonly #app: AppsApp
  readonly #handlers: readonly HostHandler[]
  readonly #timeouts: Timeouts
  readonly #baseHost: string | undefined
  #isStopping = false

  constructor({ app, handlers, timeouts: patience = defaultTimeouts }: ZoneOptions) {
    this.#app = app
    this.#handlers = handlers
    this.#timeouts = patience
    this.#baseHost = hostName(new URL(app.config.baseUrl).host)
  }

  /** Refuses all requests from now on. */
  stop(): void {
    this.#isStopping = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#handlers.map((handler) => handler[Symbol.asyncDispose]()))
  }

  /**
   * Whether a request on a shared port belongs to this zone: all hosts do, known or not, except the API's own: that of its base URL, and names that
   * are no domain.
   */
  isForZone(message: IncomingMessage): boolean {
    const { host: text } = this.#visitorOf(message)
    // The API refuses a request without a host, or answers it for old health checks.
    if (text === undefined) return false
    const host = hostName(text)
    return host === undefined || !this.#isOwn(host) || isCertificateQuery(message)
  }

  readonly serve = (message: IncomingMessage, response: ServerResponse): void => {
    const timeLimit = limitRequestTime(message, this.#timeouts.requestMs)
    if (!this.#isStopping && isCertificateQuery(message))
      answerCertificateQuery(message, response, this.#handlers)
    else this.#answer(this.#find({ message, response, timeLimit }), message, response)
  }

  #answer(found: RoutedRequest | Failure, message: IncomingMessage, response: ServerResponse): void {
    const isFound = !(found instanceof Failure)
    this.#app.metrics.appsRequests.inc({ handler: isFound ? found.handler.name : 'none' })
    if (!isFound) return void refuse(message, response, found)
    const { request, handler } = found
    if (handler.isStrangers) {
      const isPathForm = request.pathPrefix !== ''
      removeCredentials(message, { isPathForm })
      guardAnswer(response, { isPathForm })
    }
    handler.handle(request)
  }

  #find(incoming: Pick<AppsRequest, 'message' | 'response' | 'timeLimit'>): RoutedRequest | Failure {
    const { message } = incoming
    if (this.#isStopping)
      return new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1000 })
    const ambiguity = ambiguityFailure(message)
    if (ambiguity) return ambiguity
    const visitor = this.#visitorOf(message)
    const host = visitor.host === undefined ? undefined : hostName(visitor.host)
    if (host === undefined) return new Failure('INVALID_REQUEST', { why: reasons.noHost }, { param: 'Host' })
    message.url = pathOfTarget(message.url!)
    if (!message.url.startsWith('/')) return new Failure('INVALID_REQUEST', { why: reasons.noPath }, {})
    const { clientAddress, secure } = visitor
    const request = { ...incoming, host, pathPrefix: '', clientAddress, secure }
    const handler = this.#handlers.find((one) => one.serves(host))
    if (handler) return { request, handler }
    return this.#byPath(request) ?? new Failure('HOST_NOT_FOUND', { host }, {})
  }

  /**
   * Finds the host of a path form (`<prefix>/<ref>/…`) at the machine's own name. Only handlers of strangers' answers, which send no pages, are
   * found this way, because all of them share this origin. A shared port has no such origin.
   */
  #byPath(request: AppsRequest): RoutedRequest | undefined {
    if (this.#app.config.apps.sharedPort || !this.#isOwn(request.host)) return undefined
    const [, prefix, ref, rest] =
      /^(\/_[a-z]+)\/([a-z0-9-]{1,63})((?:[/?].*)?)$/.exec(request.message.url!) ?? []
    if (prefix === undefined) return undefined
    for (const handler of this.#handlers) {
      const { isStrangers, pathForm } = handler
      if (!isStrangers || pathForm?.prefix !== prefix) continue
      const host = pathForm.hostOf(ref!)
      if (!handler.serves(host)) continue
      request.message.url = rest!.startsWith('/') ? rest! : `/${rest}`
      return { request: { ...request, host, pathPrefix: `${prefix}/${ref}` }, handler }
    }
    return undefined
  }

  /** Whether the host is a name of the platform or of this machine, which no domain of the second zone can be. */
  #isOwn(host: string): boolean {
    return host === this.#baseHost || !host.includes('.') || isIP(host) !== 0
  }

  #visitorOf({ headers, socket }: IncomingMessage): VisitorAddress {
    return visitorOf({ headers, peer: peerOf(socket) }, this.#app.config.trustedProxies)
  }
}
