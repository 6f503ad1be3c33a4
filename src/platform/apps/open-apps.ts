/** Opens the second listener, or takes its place on that of the API. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '#app'
import { Failure } from '#platform/errors'
import {
  Connections,
  doubtful,
  hostName,
  limitRequestTime,
  openListener,
  type Patience,
  pathOfTarget,
  peerOf,
  standardPatience,
  visitorOf,
} from '#platform/http'
import type { AppsRequest, HostHandler } from './apps.ts'
import { reasons } from './phrases.ts'
import { refuse } from './refuse.ts'

export interface AppsOptions {
  app: App
  handlers: readonly HostHandler[]
  /** True when other processes of this machine serve the same port. */
  isWorker?: boolean
  patience?: Patience
}

export interface Apps extends AsyncDisposable {
  /** `http://host:port` */
  readonly url: string
  readonly port: number
}

/** Answers the requests of the second zone. */
export class AppsZone {
  readonly #app: App
  readonly #handlers: readonly HostHandler[]
  readonly #patience: Patience
  readonly connections = new Connections()

  constructor({ app, handlers, patience = standardPatience }: AppsOptions) {
    this.#app = app
    this.#handlers = handlers
    this.#patience = patience
  }

  serve(message: IncomingMessage, response: ServerResponse): void {
    limitRequestTime(message, this.#patience.requestMs)
    const came = this.#readRequest(message, response)
    const handler = came instanceof Failure ? undefined : this.#handlers.find((one) => one.serves(came.host))
    this.#app.metrics.appsRequests.inc({ handler: handler?.name ?? 'none' })
    if (came instanceof Failure) refuse(message, response, came)
    else if (handler) handler.handle(came)
    else refuse(message, response, new Failure('HOST_NOT_FOUND', { host: came.host }, {}))
  }

  #readRequest(message: IncomingMessage, response: ServerResponse): AppsRequest | Failure {
    if (this.connections.stopping)
      return new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1000 })
    const doubt = doubtful(message)
    if (doubt) return doubt
    const visitor = visitorOf(
      { headers: message.headers, peer: peerOf(message.socket) },
      this.#app.config.trustedProxies,
    )
    const host = visitor.host === undefined ? undefined : hostName(visitor.host)
    if (host === undefined) return new Failure('INVALID_REQUEST', { why: reasons.noHost }, { param: 'Host' })
    const path = pathOfTarget(message.url!)
    if (!path.startsWith('/')) return new Failure('INVALID_REQUEST', { why: reasons.noPath }, {})
    message.url = path
    return { message, response, host, clientAddress: visitor.clientAddress, secure: visitor.secure }
  }
}

/** Listens and lets the handlers answer, each for its hosts. Disposing drains as the API does, then disposes the handlers. */
export async function openApps(options: AppsOptions): Promise<Apps> {
  const { app, handlers, isWorker, patience } = options
  const zone = new AppsZone(options)
  const listener = await openListener(
    {
      host: app.config.host,
      port: app.config.apps.port,
      isWorker,
      patience,
      serve: (message, response) => zone.serve(message, response),
    },
    zone.connections,
  )
  return {
    url: listener.url,
    port: listener.port,
    async [Symbol.asyncDispose]() {
      await listener.drain({ drainMs: app.config.timing.drainMs })
      await Promise.all(handlers.map((handler) => handler[Symbol.asyncDispose]()))
    },
  }
}
