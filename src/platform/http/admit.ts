/** What comes before a handler: key, scope, page, parameters, body, claim. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '#app'
import { requireScope } from '#platform/auth'
import { claimOf } from '#platform/idempotency'
import { type Asked, pathOf } from './asked.ts'
import { parseJson, readBody } from './body.ts'
import { admitOrigin, exposeRefusal } from './cors.ts'
import type { Route } from './http.ts'
import type { Intake } from './intake.ts'
import { headerText } from './language.ts'
import { isMultipart, readUpload } from './upload.ts'
import { type Check, compile, compileLarge, compilePath } from './validate.ts'

const defaultBodyLimit = 1_048_576

export interface Checks {
  body: ((body: unknown) => Promise<void>) | undefined
  upload: Check | undefined
  query: Check | undefined
  params: Check | undefined
}

export const checksOf = (route: Route): Checks => ({
  body: route.body && compileLarge(route.body),
  upload: route.upload && compile(route.upload.fields, 'text'),
  query: route.query && compile(route.query, 'text'),
  params: route.params && compilePath(route.params),
})

/** Everything before the handler, cheapest refusal first; a body is read only for a caller who may send it. */
export async function admit(
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

/** Clients of the messages wire send it, and ask for models too. */
export const takesDirectKey = ({ path }: Pick<Route, 'path'>): boolean =>
  /^\/v1\/(messages|models)(\/|$)/.test(path)
