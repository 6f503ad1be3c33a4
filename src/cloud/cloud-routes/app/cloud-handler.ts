/**
 * Answers at the addresses of clouds: finds the cloud, checks key and session, lets the area of the path answer, and writes its reply or its
 * refusal (docs/decisions/cloud/app-address.md).
 */
import type { App } from '#app'
import type { CloudDirectory, LiveCloud } from '#cloud/clouds'
import { type AppsRequest, acceptSocket, cloudHost, type HostHandler } from '#platform/apps'
import { isDatabaseAway } from '#platform/db'
import { errorBody, errorHeaders, Failure, fail } from '#platform/errors'
import { ClientGone, failureOf, Intake } from '#platform/http'
import type { AppArea, AppCaller, AppReply } from './area.ts'
import { callOf, targetOf, type Visit, visitOf } from './call.ts'
import { callerOf, type VerifyToken } from './caller.ts'
import { CloudConnections } from './connections.ts'
import { isPreflight, preflightHeaders } from './cors.ts'
import { headBytes, readyReply, sendStream, sendWhole } from './send-reply.ts'

export interface CloudHandlerOptions {
  app: App
  clouds: CloudDirectory
  areas: readonly AppArea[]
  verify: VerifyToken
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Methods that are refused while the disk of PostgreSQL has too little room; DELETE makes room. */
const writing = new Set(['POST', 'PUT', 'PATCH'])

export class CloudHandler implements HostHandler {
  readonly name = 'clouds'
  readonly isStrangers = true
  readonly #options: CloudHandlerOptions
  readonly #suffix: string
  readonly #intake: Intake
  readonly #connections = new CloudConnections()

  constructor(options: CloudHandlerOptions) {
    const { config } = options.app
    this.#options = options
    this.#suffix = cloudHost(config, '')
    this.#intake = new Intake(config)
  }

  serves(host: string): boolean {
    const ref = this.#refOf(host)
    return ref !== undefined && this.#options.clouds.has(ref)
  }

  mayHaveCertificate(host: string): boolean {
    return this.serves(host)
  }

  handle(request: AppsRequest): void {
    if (isPreflight(request)) return void preflight(request)
    const visit = visitOf(this.#options.app, request)
    request.response.once('close', () => this.#finish(visit))
    request.response.once('finish', () => passOver(request))
    this.#answer(visit).catch((error: unknown) => this.#break(visit, error))
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #refOf(host: string): string | undefined {
    return host.endsWith(this.#suffix) ? host.slice(0, -this.#suffix.length) : undefined
  }

  async #answer(visit: Visit): Promise<void> {
    const reply = await this.#reply(visit).catch((error: unknown) => this.#refusal(visit, error))
    const { message, response } = visit.request
    if (response.destroyed) return leave(reply)
    if (reply.socket) return this.#talk(visit, reply.socket)
    const isHead = message.method === 'HEAD'
    if (isHead) leave(reply)
    const ready = readyReply(reply, visit.requestId)
    const isStream = !isHead && ready.body !== undefined && !Buffer.isBuffer(ready.body)
    const bytes =
      headBytes(ready) + (isHead || isStream ? 0 : ((ready.body as Buffer | undefined)?.length ?? 0))
    if (!(await this.#take(visit, bytes))) {
      leave(reply)
      return this.#sendEnded(visit)
    }
    if (response.destroyed) return leave(reply)
    if (!isStream) return sendWhole(response, ready, isHead)
    await sendStream(response, ready, (chunkBytes) => this.#take(visit, chunkBytes))
  }

  async #talk(visit: Visit, { messageBytes, run }: NonNullable<AppReply['socket']>): Promise<void> {
    const line = await acceptSocket(visit.request, { messageBytes })
    if (!line) return
    this.#finish(visit, 101)
    run(line)
  }

  /** Takes bytes of the day's egress. A refusal before the cloud is known is charged to nobody. */
  #take({ cloud }: Visit, bytes: number): boolean | Promise<boolean> {
    return cloud ? this.#options.app.cloudAllowances.takeEgress(cloud, bytes) : true
  }

  /** Answers that the day's egress has ended, free of charge: the answer is small, and the app has to learn it. */
  #sendEnded(visit: Visit): void {
    const { request, cloud, requestId } = visit
    const failure = this.#options.app.cloudAllowances.egressEnded(cloud!, cloud!.limits.dailyEgressBytes)
    const ready = readyReply(this.#refusal(visit, failure), requestId)
    if (!request.response.destroyed) sendWhole(request.response, ready, request.message.method === 'HEAD')
  }

  async #reply(visit: Visit): Promise<AppReply> {
    const { app, clouds, verify } = this.#options
    const { host, message } = visit.request
    const { path, query } = targetOf(message.url!)
    const method = message.method!
    const area = this.#areaOf(path)
    if (area) visit.area = area
    const cloud = await clouds.find(this.#refOf(host)!)
    if (!cloud) fail('HOST_NOT_FOUND', { host })
    visit.cloud = cloud
    requireReady(cloud, host)
    if (!area) fail('CLOUD_PATH_NOT_FOUND', { path: path.slice(0, 200) })
    if (!methods.includes(method)) fail('METHOD_NOT_ALLOWED', { method, allowed: methods })
    if (writing.has(method)) app.space.require(['database', 'wal'])
    const queryKey = new URLSearchParams(query).get('apikey') ?? undefined
    const asking = callerOf(
      cloud,
      { headers: message.headers, queryKey, isBearerEnough: area.isBearerEnough },
      verify,
    )
    const isOpen = area.isOpen?.({ method, path: path.slice(area.prefix.length) }) ?? false
    const caller = isOpen ? await asking.catch(nobody) : await asking
    visit.caller = caller
    const own = { ...app, db: this.#connections.of(cloud, app.db) }
    return area.handle(callOf(visit, { app: own, intake: this.#intake, cloud, area, caller }))
  }

  #areaOf(path: string): AppArea | undefined {
    return this.#options.areas.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  }

  #refusal(visit: Visit, error: unknown): AppReply {
    const { requestId, language, request, area } = visit
    if (error instanceof ClientGone) {
      request.response.destroy()
      return { status: 499 }
    }
    const failure = failureOf(this.#options.app, away(error))
    visit.code = failure.code
    if (failure.status >= 500 && !visit.area?.faultsOfApps?.has(failure.code))
      this.#options.app.log.error(
        { err: failure.cause ?? failure, request_id: requestId, operation: operationOf(visit) },
        failure.code,
      )
    const call = { headers: request.message.headers, language, requestId }
    const reply = area?.refused(failure, call) ?? {
      status: failure.status,
      body: errorBody(failure, requestId, language),
    }
    return { ...reply, headers: withHeaders(reply.headers, errorHeaders(failure)) }
  }

  /** Ends an answer in which something went wrong after it had begun. */
  #break({ request: { response }, requestId }: Visit, error: unknown): void {
    response.destroy()
    this.#options.app.log.error({ err: error, request_id: requestId }, 'an answer of a cloud broke off')
  }

  /** Writes the metrics and the log line of a request, without path and query, which may hold private data of an app. */
  #finish(visit: Visit, upgraded?: 101): void {
    const { app } = this.#options
    const { response } = visit.request
    const isComplete = upgraded !== undefined || response.writableFinished
    const status = upgraded ?? (isComplete || response.headersSent ? response.statusCode : 499)
    const area = visit.area?.name ?? 'none'
    const ms = app.clock.nowMs() - visit.receivedMs
    app.metrics.cloudRequests.inc({ area, status })
    app.metrics.cloudSeconds.observe({ area }, ms / 1000)
    app.log.info({
      request_id: visit.requestId,
      operation: operationOf(visit),
      status,
      ms,
      ...(visit.code !== undefined && { code: visit.code }),
      ...(!isComplete && { client_left: true }),
      ...(visit.cloud && { account_id: visit.cloud.accountId, cloud_id: visit.cloud.cloudId }),
      ...(visit.caller && { role: visit.caller.role }),
    })
  }
}

const operationOf = ({ area }: Visit): string => `app.${area?.name ?? 'none'}`

function requireReady({ state }: LiveCloud, host: string): void {
  if (state === 'ready') return
  if (state === 'deleting') fail('HOST_NOT_FOUND', { host })
  if (state === 'suspended') fail('CLOUD_SUSPENDED', {})
  fail('CLOUD_NOT_READY', { status: state })
}

/** The caller of a path that needs neither key nor session. An error that is no refusal of these is thrown again. */
function nobody(refusal: unknown): AppCaller {
  if (refusal instanceof Failure && refusal.status < 500) return { role: 'none', refusal }
  throw refusal
}

const away = (error: unknown): unknown =>
  !(error instanceof Failure) && isDatabaseAway(error)
    ? new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000, cause: error })
    : error

const withHeaders = (
  headers: AppReply['headers'],
  more: Record<string, string>,
): (readonly [string, string])[] => [
  ...((Array.isArray(headers) ? headers : Object.entries(headers ?? {})) as (readonly [string, string])[]),
  ...Object.entries(more),
]

/**
 * Discards the rest of a body that nobody reads any more, such as one for a function that has answered already: else the next request of the
 * connection, which follows the body, would never be read. The time limit of the request still applies.
 */
function passOver({ message }: AppsRequest): void {
  if (message.complete || message.destroyed) return
  message.unpipe()
  message.resume()
}

/** Destroys the stream of a reply that is not sent. */
function leave({ body }: AppReply): void {
  if (body !== null && typeof body === 'object' && 'destroy' in body) (body as { destroy(): void }).destroy()
}

function preflight(request: AppsRequest): void {
  request.response.writeHead(204, preflightHeaders(request)).end()
}
