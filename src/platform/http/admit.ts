/** Everything before the handler: key, scope, origin, parameters, body, idempotency claim. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Caller } from '#app'
import { type CredentialKind, requireScope } from '#platform/auth'
import { fail } from '#platform/errors'
import { claimOf } from '#platform/idempotency'
import { type ActiveRequest, pathOf } from './active-request.ts'
import { parseJson, readBody } from './body.ts'
import { admitOrigin, exposeByPolicy, exposeRefusal, requireOrigin, requirePage } from './cors.ts'
import { type HostPattern, hostPattern } from './host.ts'
import type { Route } from './http.ts'
import type { Intake } from './intake.ts'
import { secretOf } from './key-source.ts'
import { headerText } from './language.ts'
import { isMultipart, readUpload } from './upload.ts'
import { type Check, compile, compileLarge, compilePath, passes } from './validate.ts'

const defaultBodyLimit = 1_048_576

export interface Checks {
  body: ((body: unknown) => Promise<void>) | undefined
  upload: Check | undefined
  query: Check | undefined
  params: Check | undefined
  host: HostPattern | undefined
}

export const checksOf = (route: Route): Checks => ({
  body: route.body && compileLarge(route.body),
  upload: route.upload && compile(route.upload.fields, 'text'),
  query: route.query && compile(route.query, 'text'),
  params: route.params && compilePath(route.params),
  host: route.host === undefined ? undefined : hostPattern(route.host),
})

/** Everything before the handler, cheapest refusal first; a body is read only for a caller who may send it. */
export async function admit(
  app: App,
  route: Route,
  context: ActiveRequest,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  checks: Checks,
  intake: Intake,
): Promise<void> {
  const startedMs = performance.now()
  if (route.cors !== undefined) {
    const params = paramsOf(route, request, checks)
    // Wrong ones are refused below; a function may look up what it is given.
    if (typeof route.cors !== 'function' || passes(checks.params, params))
      await exposeByPolicy(app, route.cors, params, request, reply)
  }
  if (route.socket && route.cors !== undefined) requirePage(request, reply)
  if (route.scope !== 'public') {
    context.caller = await callerOf(app, route, request, reply)
    app.metrics.stages.auth.since(startedMs)
    requireScopeOf(route, context.caller)
  }
  if (checks.params) {
    context.params = paramsOf(route, request, checks)
    checks.params(context.params)
  }
  if (checks.query) {
    context.query = request.query as object
    checks.query(context.query)
  }
  if (route.upload && (isMultipart(request.raw) || !checks.body)) {
    context.upload = await readUpload(request.raw, route.upload, app.spool)
    checks.upload!(context.upload.fields)
  } else if (checks.body) {
    const readMs = performance.now()
    const limit = route.bodyLimit ?? defaultBodyLimit
    const { bytes, slot } = await readBody(request.raw, limit, intake)
    context.slot = slot
    context.body = await parseJson(bytes, limit)
    await checks.body(context.body)
    app.metrics.stages.parse.since(readMs)
  } else request.raw.resume()
  const key = request.headers['idempotency-key']
  if (route.idempotent && key !== undefined)
    context.claim = await claimOf(headerText(String(key)), route.method, pathOf(request), whatCame(context))
}

/**
 * Identifies the caller by the credentials that the route accepts. Throws INVALID_API_KEY, ORIGIN_NOT_ALLOWED and other refusals of a key.
 */
async function callerOf(
  app: App,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const caller = await app.keys
    .caller(secretOf(request.headers, route.keySources))
    .catch(async (error: unknown) => {
      if (route.cors === undefined) await exposeRefusal(app, request, reply)
      throw error
    })
  if (!(route.credentials ?? keysOnly).includes(caller.kind)) fail('INVALID_API_KEY', {})
  if (route.cors === undefined) admitOrigin(caller, request, reply)
  else requireOrigin(caller, request)
  return caller
}

function requireScopeOf({ scope, orScope }: Route, caller: Caller): void {
  if (scope === 'public' || scope === 'any' || (orScope && caller.scopes.has(orScope))) return
  requireScope(caller, scope)
}

/** For connections that last: throws once the credentials that were admitted are accepted no longer. */
export async function requireStillAdmitted(app: App, route: Route, request: FastifyRequest): Promise<void> {
  if (route.scope === 'public') return
  requireScopeOf(route, await app.keys.caller(secretOf(request.headers, route.keySources)))
}

const keysOnly: readonly CredentialKind[] = ['key']

/** The parameters of the path and of the host. */
const paramsOf = (route: Route, request: FastifyRequest, { host }: Checks): Record<string, string> => ({
  ...(route.openEnded ? openEndedParams(route, request) : (request.params as Record<string, string>)),
  ...host?.(request.headers.host),
})

/** What must be equal in a repeated request; for a file, its hash. */
function whatCame({ body, upload }: ActiveRequest): unknown {
  if (!upload) return body
  const { sha256, name, mediaType } = upload.file
  return { fields: upload.fields, file: { sha256, name, mediaType } }
}

function openEndedParams(route: Route, request: FastifyRequest): Record<string, string> {
  const name = /\{([^{}]+)\}$/.exec(route.path)![1]!
  return { [name]: (request.params as Record<string, string>)['*']! }
}
