/**
 * Answers at the addresses of clouds: finds the cloud, checks key and session, lets the area of the path answer, and writes its reply or its
 * refusal (docs/decisions/cloud/app-address.md).
 */
import { type CloudDirectory, cloudHost, cloudPathForm, type LiveCloud } from '#cloud/clouds'
import { type AppsRequest, acceptSocket, type HostHandler, type PathForm } from '#platform/apps'
import { type Db, isDatabaseAway } from '#platform/db'
import { errorBody, errorHeaders, Failure, fail } from '#platform/errors'
import { BodyMemory, ClientGone, failureOf } from '#platform/http'
import type { AppCallApp, CloudHandlerApp } from '../app.ts'
import type { AppArea, AppCaller, AppReply } from './area.ts'
import { callOf, newRequestState, type RequestState, splitUrl } from './call.ts'
import { callerOf, type VerifyToken } from './caller.ts'
import { CloudConnections } from './connections.ts'
import { isPreflight, preflightHeaders } from './cors.ts'
import { headBytes, readyReply, sendStream, sendWhole } from './send-reply.ts'

export interface CloudHandlerOptions {
  app: CloudHandlerApp
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
  readonly pathForm: PathForm | undefined
  readonly #options: CloudHandlerOptions
  readonly #suffix: string
  readonly #intake: BodyMemory
  readonly #connections = new CloudConnections()

  constructor(options: CloudHandlerOptions) {
    const { config } = options.app
    this.#options = options
    this.#suffix = cloudHost(config, '')
    this.pathForm = cloudPathForm(config)
    this.#intake = new BodyMemory(config)
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
    const state = newRequestState(this.#options.app, request)
    request.response.once('close', () => this.#finish(state))
    request.response.once('finish', () => discardBody(request))
    this.#answer(state).catch((error: unknown) => this.#break(state, error))
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #refOf(host: string): string | undefined {
    return host.endsWith(this.#suffix) ? host.slice(0, -this.#suffix.length) : undefined
  }

  async #answer(state: RequestState): Promise<void> {
    const reply = await this.#reply(state).catch((error: unknown) => this.#refusal(state, error))
    const { message, response } = state.request
    if (response.destroyed) return destroyBody(reply)
    if (reply.socket) return this.#talk(state, reply.socket)
    const isHead = message.method === 'HEAD'
    if (isHead) destroyBody(reply)
    const ready = readyReply(reply, state.requestId)
    const isStream = !isHead && ready.body !== undefined && !Buffer.isBuffer(ready.body)
    const bytes =
      headBytes(ready) + (isHead || isStream ? 0 : ((ready.body as Buffer | undefined)?.length ?? 0))
    if (!(await this.#take(state, bytes))) {
      destroyBody(reply)
      return this.#sendEnded(state)
    }
    if (response.destroyed) return destroyBody(reply)
    if (!isStream) return sendWhole(response, ready, isHead)
    await sendStream(response, ready, (chunkBytes) => this.#take(state, chunkBytes))
  }

  async #talk(state: RequestState, { messageBytes, run }: NonNullable<AppReply['socket']>): Promise<void> {
    const line = await acceptSocket(state.request, { messageBytes })
    if (!line) return
    this.#finish(state, 101)
    run(line)
  }

  /** Takes bytes of the day's egress. A refusal before the cloud is known is charged to nobody. */
  #take({ cloud }: RequestState, bytes: number): boolean | Promise<boolean> {
    return cloud ? this.#options.app.cloudAllowances.takeEgress(cloud, bytes) : true
  }

  /** Answers that the day's egress has ended, free of charge: the answer is small, and the app has to learn it. */
  #sendEnded(state: RequestState): void {
    const { request, cloud, requestId } = state
    const failure = this.#options.app.cloudAllowances.egressEnded(cloud!, cloud!.limits.dailyEgressBytes)
    const ready = readyReply(this.#refusal(state, failure), requestId)
    if (!request.response.destroyed) sendWhole(request.response, ready, request.message.method === 'HEAD')
  }

  async #reply(state: RequestState): Promise<AppReply> {
    const { app, clouds, verify } = this.#options
    const { host, message } = state.request
    const { path, query } = splitUrl(message.url!)
    const method = message.method!
    const area = this.#areaOf(path)
    if (area) state.area = area
    const cloud = await clouds.find(this.#refOf(host)!)
    if (!cloud) fail('HOST_NOT_FOUND', { host })
    state.cloud = cloud
    requireReady(cloud, host)
    if (!area) fail('CLOUD_PATH_NOT_FOUND', { path: path.slice(0, 200) })
    if (!methods.includes(method)) fail('METHOD_NOT_ALLOWED', { method, allowed: methods })
    if (writing.has(method)) app.space.require(['database', 'wal'])
    const queryKey = new URLSearchParams(query).get('apikey') ?? undefined
    const callerPromise = callerOf(
      cloud,
      { headers: message.headers, queryKey, isBearerEnough: area.isBearerEnough },
      verify,
    )
    const isOpen = area.isOpen?.({ method, path: path.slice(area.prefix.length) }) ?? false
    const caller = isOpen ? await callerPromise.catch(callerWithoutKey) : await callerPromise
    state.caller = caller
    const own = withDb(app.appCalls, this.#connections.of(cloud, app.db))
    const parts = { app: own, receiver: app, intake: this.#intake, cloud, area, caller }
    return area.handle(callOf(state, parts))
  }

  #areaOf(path: string): AppArea | undefined {
    return this.#options.areas.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  }

  #refusal(state: RequestState, error: unknown): AppReply {
    const { requestId, language, request, area } = state
    if (error instanceof ClientGone) {
      request.response.destroy()
      return { status: 499 }
    }
    const failure = failureOf(this.#options.app, toUnavailable(error))
    state.code = failure.code
    if (failure.status >= 500 && !state.area?.faultsOfApps?.has(failure.code))
      this.#options.app.log.error(
        { err: failure.cause ?? failure, request_id: requestId, operation: operationOf(state) },
        failure.code,
      )
    const call = { headers: request.message.headers, language, requestId }
    const reply = area?.failureReply(failure, call) ?? {
      status: failure.status,
      body: errorBody(failure, requestId, language),
    }
    return { ...reply, headers: withHeaders(reply.headers, errorHeaders(failure)) }
  }

  /** Ends an answer in which something went wrong after it had begun. */
  #break({ request: { response }, requestId }: RequestState, error: unknown): void {
    response.destroy()
    this.#options.app.log.error({ err: error, request_id: requestId }, 'an answer of a cloud broke off')
  }

  /** Writes the metrics and the log line of a request, without path and query, which may hold private data of an app. */
  #finish(state: RequestState, upgraded?: 101): void {
    const { app } = this.#options
    const { response } = state.request
    const isComplete = upgraded !== undefined || response.writableFinished
    const status = upgraded ?? (isComplete || response.headersSent ? response.statusCode : 499)
    const area = state.area?.name ?? 'none'
    const ms = app.clock.nowMs() - state.receivedMs
    app.metrics.cloudRequests.inc({ area, status })
    app.metrics.cloudSeconds.observe({ area }, ms / 1000)
    app.log.info({
      request_id: state.requestId,
      operation: operationOf(state),
      status,
      ms,
      ...(state.code !== undefined && { code: state.code }),
      ...(!isComplete && { client_left: true }),
      ...(state.cloud && { account_id: state.cloud.accountId, cloud_id: state.cloud.cloudId }),
      ...(state.caller && { role: state.caller.role }),
    })
  }
}

/** The slice of the areas, which reaches the platform's tables on these connections. */
const withDb = (app: AppCallApp, db: Db): AppCallApp => ({
  ...app,
  appFiles: { ...app.appFiles, db },
  buckets: { ...app.buckets, db },
  users: { ...app.users, db },
})

const operationOf = ({ area }: RequestState): string => `app.${area?.name ?? 'none'}`

function requireReady({ state }: LiveCloud, host: string): void {
  if (state === 'ready') return
  if (state === 'deleting') fail('HOST_NOT_FOUND', { host })
  if (state === 'suspended') fail('CLOUD_SUSPENDED', {})
  fail('CLOUD_NOT_READY', { status: state })
}

/** The caller of a path that needs neither key nor session. An error that is no refusal of these is thrown again. */
function callerWithoutKey(refusal: unknown): AppCaller {
  if (refusal instanceof Failure && refusal.status < 500) return { role: 'none', refusal }
  throw refusal
}

const toUnavailable = (error: unknown): unknown =>
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
function discardBody({ message }: AppsRequest): void {
  if (message.complete || message.destroyed) return
  message.unpipe()
  message.resume()
}

/** Destroys the stream of a reply that is not sent. */
function destroyBody({ body }: AppReply): void {
  if (body !== null && typeof body === 'object' && 'destroy' in body) (body as { destroy(): void }).destroy()
}

function preflight(request: AppsRequest): void {
  request.response.writeHead(204, preflightHeaders(request)).end()
}
