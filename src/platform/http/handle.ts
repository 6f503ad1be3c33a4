/** The life of one request: key, scope, body, check, handler, answer, one log line. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Caller } from '#app'
import { requireScope } from '#platform/auth'
import { isDatabaseAway } from '#platform/db'
import { asFailure, Failure, fail } from '#platform/errors'
import { answerAgain, claimedBefore, claimOf } from '#platform/idempotency'
import { ClaimTaken } from '#platform/ledger'
import { isSealed } from '#platform/secrets'
import { type Span, Trail } from '#platform/trace'
import { sendFailure } from './answer.ts'
import { ClientGone, parseJson, readBody } from './body.ts'
import { admitOrigin, exposeRefusal } from './cors.ts'
import { costHeaders } from './cost.ts'
import { EventStream, eventStreamHeaders, pump } from './event-stream.ts'
import { Answer, type Ask, JsonText, type Route } from './http.ts'
import type { Intake, Place } from './intake.ts'
import { headerText, languageOf } from './language.ts'
import type { Violation } from './server.ts'
import { isMultipart, readUpload, type Upload } from './upload.ts'
import { type Check, compile, compileLarge, compilePath, mismatch } from './validate.ts'

const defaultBodyLimit = 1_048_576
const jsonType = 'application/json; charset=utf-8'
/** Codes that any route may answer, whatever it declares. */
const alwaysPossible = new Set(['INTERNAL', 'SERVICE_UNAVAILABLE', 'REQUEST_TIMEOUT'])

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

export interface HandlerAsk {
  app: App
  route: Route
  intake: Intake
  onViolation?: ((violation: Violation) => void) | undefined
}

export function handlerOf({ app, route, intake, onViolation }: HandlerAsk): Handler {
  const checks = compileChecks(route)
  const watch = onViolation && watcher(route, onViolation)

  return async (request, reply) => {
    const ask = new Asked(app, request, reply, app.clock.nowMs(), spanOf(app, route, request))
    reply.raw.on('close', () => finish(app, route, ask, reply))
    try {
      await admit(app, route, ask, { request, reply }, checks, intake)
      const result = await (route.handle as (ask: Ask) => unknown)(ask)
      await send(app, ask, reply, route, result, watch)
    } catch (error) {
      await sendTrouble(app, route, ask, reply, error, watch)
    } finally {
      await ask.letBodyGo()
    }
    return reply
  }
}

interface Checks {
  body: ((body: unknown) => Promise<void>) | undefined
  upload: Check | undefined
  query: Check | undefined
  params: Check | undefined
}

const compileChecks = (route: Route): Checks => ({
  body: route.body && compileLarge(route.body),
  upload: route.upload && compile(route.upload.fields, 'text'),
  query: route.query && compile(route.query, 'text'),
  params: route.params && compilePath(route.params),
})

/** Everything before the handler, cheapest refusal first; a body is read only for a caller who may send it. */
async function admit(
  app: App,
  route: Route,
  ask: Asked,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  checks: Checks,
  intake: Intake,
): Promise<void> {
  const startedMs = performance.now()
  if (route.scope !== 'public') {
    ask.caller = await app.keys.caller(secretOf(request, route)).catch(async (error: unknown) => {
      await exposeRefusal(app, request, reply)
      throw error
    })
    admitOrigin(ask.caller, request, reply)
    app.metrics.stages.auth.since(startedMs)
    if (route.scope !== 'any' && !(route.orScope && ask.caller.scopes.has(route.orScope)))
      requireScope(ask.caller, route.scope)
  }
  if (checks.params) {
    ask.params = route.openEnded ? openEndedParams(route, request) : (request.params as object)
    checks.params(ask.params)
  }
  if (checks.query) {
    ask.query = request.query as object
    checks.query(ask.query)
  }
  if (route.upload && (isMultipart(request.raw) || !checks.body)) {
    ask.upload = await readUpload(request.raw, route.upload, app.spool)
    checks.upload!(ask.upload.fields)
  } else if (checks.body) {
    const readMs = performance.now()
    const limit = route.bodyLimit ?? defaultBodyLimit
    const { bytes, place } = await readBody(request.raw, limit, intake)
    ask.place = place
    ask.body = await parseJson(bytes, limit)
    await checks.body(ask.body)
    app.metrics.stages.parse.since(readMs)
  } else request.raw.resume()
  const key = request.headers['idempotency-key']
  if (route.idempotent && key !== undefined)
    ask.claim = await claimOf(headerText(String(key)), route.method, pathOf(request), whatCame(ask))
}

/** What a repeat has to bring again: of a file that is its hash. */
function whatCame({ body, upload }: Asked): unknown {
  if (!upload) return body
  const { sha256, name, mediaType } = upload.file
  return { fields: upload.fields, file: { sha256, name, mediaType } }
}

/** The path as it counts: a slash at its end and the query do not make it another. */
const pathOf = (request: FastifyRequest): string => request.url.split('?')[0]!.replace(/(?<!\/)\/+$/, '')

function openEndedParams(route: Route, request: FastifyRequest): Record<string, string> {
  const name = /\{([^{}]+)\}$/.exec(route.path)![1]!
  return { [name]: (request.params as Record<string, string>)['*']! }
}

function secretOf(request: FastifyRequest, route: Route): string | undefined {
  const header = request.headers.authorization
  if (header !== undefined) return /^Bearer +(\S+) *$/i.exec(header)?.[1]
  const direct = request.headers['x-api-key']
  return takesDirectKey(route) && typeof direct === 'string' ? direct : undefined
}

/** Anthropic's clients send it, and ask for models too. */
export const takesDirectKey = ({ path }: Pick<Route, 'path'>): boolean =>
  /^\/v1\/(messages|models)(\/|$)/.test(path)

const nobody: Caller = {
  accountId: '',
  projectId: '',
  keyId: '',
  plan: '',
  scopes: new Set(),
  models: undefined,
}

class Asked implements Ask {
  readonly app: App
  readonly receivedMs: number
  readonly requestId: string
  readonly trail: Trail
  caller: Caller = nobody
  body: unknown
  upload: Upload | undefined
  query: unknown = {}
  params: unknown = {}
  claim: Ask['claim']
  /** Of its body among those of all requests. */
  place: Place | undefined
  /** Code of the failure that was answered, for the log line. */
  code: string | undefined
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #gone: AbortController | undefined

  constructor(app: App, request: FastifyRequest, reply: FastifyReply, receivedMs: number, span?: Span) {
    this.app = app
    this.trail = new Trail(span)
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
  }
  setHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }
  /** The request is over; a connection that is kept must not keep what it sent. */
  async letBodyGo(): Promise<void> {
    this.body = undefined
    this.place?.release()
    await this.upload?.file[Symbol.asyncDispose]()
  }
}

async function send(
  app: App,
  ask: Asked,
  reply: FastifyReply,
  route: Route,
  result: unknown,
  watch?: Watch,
): Promise<void> {
  if (result instanceof EventStream) return stream(app, ask, reply, result)
  const { status, body, contentType } =
    result instanceof Answer ? result : new Answer(firstStatus(route), result)
  reply.code(status)
  if (contentType !== undefined) return void reply.header('content-type', contentType).send(body)
  const text = body instanceof JsonText ? body.text : JSON.stringify(body)
  watch?.reply(status, text)
  reply.header('content-type', jsonType).send(text)
}

const firstStatus = (route: Route): number => Number(Object.keys(route.reply)[0])

async function stream(app: App, ask: Asked, reply: FastifyReply, events: EventStream): Promise<void> {
  reply.hijack()
  reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...eventStreamHeaders })
  // Nothing of what would come is for this one, and its connection has others to serve.
  if (ask.isHead) return void reply.raw.end()
  app.metrics.streams.inc()
  try {
    await pump(events, reply.raw, ask.gone, app.config.timing.streamHeartbeatMs)
  } catch (error) {
    // The capability ends its own stream; what still comes here is a defect. The client sees a cut connection, never a good end.
    app.log.error({ err: error, request_id: ask.requestId }, 'a stream broke')
    reply.raw.destroy()
  } finally {
    app.metrics.streams.dec()
  }
}

async function sendTrouble(
  app: App,
  route: Route,
  ask: Asked,
  reply: FastifyReply,
  error: unknown,
  watch?: Watch,
): Promise<void> {
  try {
    const first = await claimant(app, ask, error)
    if (first === undefined) throw error
    return await replay(app, ask, reply, first)
  } catch (again) {
    if (again instanceof ClientGone) return void reply.raw.destroy()
    // A failure of its own may well have a refused connection as its cause: that of an upstream.
    const failure = asFailure(
      !(again instanceof Failure) && isDatabaseAway(again) ? awayFailure(again) : again,
    )
    ask.code = failure.code
    if (failure.status >= 500)
      app.log.error(
        { err: failure.cause ?? failure, request_id: ask.requestId, operation: route.operation },
        failure.code,
      )
    watch?.failure(failure)
    if (!reply.raw.headersSent && !reply.raw.destroyed) sendFailure(reply, failure, ask.language)
  }
}

const awayFailure = (cause: unknown): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000, cause })

/**
 * The receipt of the request that this one repeats, if that is why it was not answered. A refusal holds for new requests only: what
 * refuses a repeat (a full project, a model or a knowledge project that is gone) may have come after the first.
 */
async function claimant(
  app: App,
  { caller, claim, requestId }: Asked,
  error: unknown,
): Promise<string | undefined> {
  if (error instanceof ClaimTaken) return error.receiptId
  if (!claim || !(error instanceof Failure) || error.status >= 500) return undefined
  return claimedBefore(app.ledger, { ...caller, requestId }, claim)
}

async function replay(app: App, ask: Asked, reply: FastifyReply, receiptId: string): Promise<void> {
  // A hold of this very request that ended under our hands: it cannot be continued.
  if (receiptId === ask.requestId || !ask.claim) fail('SERVICE_UNAVAILABLE', { why: 'database' })
  const first = await answerAgain(app.ledger, ask.caller.accountId, receiptId, ask.claim)
  // An answer with a secret in it is kept sealed, under its receipt.
  const text = isSealed(first.text) ? await app.secrets.open(first.text, first.requestId) : first.text
  reply
    .code(first.status)
    .header('x-request-id', first.requestId)
    .header('request-id', first.requestId)
    .header('idempotent-replayed', 'true')
    .headers(first.chargedMicrocredits === undefined ? {} : costHeaders(first.chargedMicrocredits))
    .header('content-type', jsonType)
    .send(text)
}

function finish(app: App, route: Route, ask: Asked, reply: FastifyReply): void {
  const complete = reply.raw.writableFinished
  if (!complete) ask.leave()
  const status = complete || reply.raw.headersSent ? reply.raw.statusCode : 499
  const ms = app.clock.nowMs() - ask.receivedMs
  app.metrics.requests.inc({ operation: route.operation, status })
  app.metrics.seconds.observe({ operation: route.operation }, ms / 1000)
  const { trail, caller, code, requestId } = ask
  trail.span?.set({
    'http.response.status_code': status,
    ...(code !== undefined && { 'kherad.error_code': code }),
  })
  trail.span?.end({ error: status >= 500 ? (code ?? String(status)) : undefined })
  trail.close((noted) =>
    app.log.info({
      request_id: requestId,
      operation: route.operation,
      status,
      ms,
      ...(code !== undefined && { code }),
      ...(!complete && { client_left: true }),
      ...(caller !== nobody && { account_id: caller.accountId, key_id: caller.keyId }),
      ...noted,
    }),
  )
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server */
const spanOf = (app: App, route: Route, request: FastifyRequest): Span | undefined =>
  app.tracing?.request(
    `${route.method} ${route.path}`,
    {
      'http.request.method': route.method,
      'http.route': route.path,
      'url.path': pathOf(request),
      'url.scheme': 'http',
      'kherad.request_id': request.id,
      'kherad.operation': route.operation,
    },
    headerOf(request, 'traceparent'),
  )

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

interface Watch {
  reply(status: number, text: string): void
  failure(failure: Failure): void
}

/** Holds every answer against the route's own declaration. */
function watcher(route: Route, onViolation: (violation: Violation) => void): Watch {
  const schemas = new Map(
    Object.entries(route.reply).flatMap(([status, schema]) =>
      typeof schema === 'string' ? [] : [[Number(status), mismatch(schema)] as const],
    ),
  )
  const declared = new Set<string>([...route.errors, ...impliedErrors(route)])
  const tell = (what: string): void => onViolation({ operation: route.operation, what })
  return {
    reply(status, text) {
      const check = schemas.get(status)
      if (!check) return tell(`status ${status} is not declared`)
      const wrong = check(JSON.parse(text))
      if (wrong !== undefined) tell(`reply ${status}: ${wrong}`)
    },
    failure(failure) {
      if (!declared.has(failure.code) && !alwaysPossible.has(failure.code))
        tell(`error ${failure.code} is not declared`)
    },
  }
}

/** Codes that follow from what a route declares; the OpenAPI document lists them too. */
export function impliedErrors(route: Route): string[] {
  return [
    ...(route.scope === 'public'
      ? []
      : ['INVALID_API_KEY', 'ACCOUNT_SUSPENDED', 'PLAN_REQUIRED', 'ORIGIN_NOT_ALLOWED']),
    ...(route.scope === 'public' || route.scope === 'any' ? [] : ['INSUFFICIENT_SCOPE']),
    ...(route.body ? ['INVALID_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE', 'TOO_MUCH_IN_FLIGHT'] : []),
    ...(route.body && route.unknownFields !== 'tolerate' ? ['UNKNOWN_FIELD'] : []),
    ...(route.upload ? ['INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNKNOWN_FIELD', 'SPOOL_FULL'] : []),
    ...(route.query ? ['INVALID_REQUEST', 'UNKNOWN_FIELD'] : []),
    ...(route.params ? ['NOT_FOUND'] : []),
    ...(route.idempotent
      ? ['INVALID_REQUEST', 'IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_IN_PROGRESS', 'REQUEST_ALREADY_ACCEPTED']
      : []),
  ]
}
