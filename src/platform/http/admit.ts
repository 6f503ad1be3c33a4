/** All checks before the handler: key, scope, origin, parameters, body, idempotency claim. */
import type { Caller, CredentialKind } from '#platform/auth'
import type { DiskName } from '#platform/disk-space'
import { fail } from '#platform/errors'
import { claimOf } from '#platform/idempotency'
import { exactly } from '#platform/json'
import { essenceOf } from '#platform/schema'
import { type ActiveRequest, pathOf } from './active-request.ts'
import { admitManagementKey } from './admit-management.ts'
import { admitSession, isOfPeople, requireRightOf, takesSessions } from './admit-session.ts'
import type { HttpApp } from './app.ts'
import { parseJson, readBody, textBodyOf } from './body.ts'
import { readToDisk } from './body-to-disk.ts'
import { admitOrigin, exposeByPolicy, exposeRefusal, requireOrigin, requirePage } from './cors.ts'
import { withExactNumbers } from './exact-body.ts'
import { type HostPattern, hostPattern } from './host.ts'
import type { Route } from './http.ts'
import type { BodyMemory } from './intake.ts'
import { namesKey, secretOf } from './key-source.ts'
import { headerText } from './language.ts'
import { cookieFailure } from './own-origin.ts'
import { isMultipart, readUpload } from './upload.ts'
import { areParamsValid, type Check, compile, compileLarge, compilePath } from './validate.ts'

const defaultBodyLimit = 1_048_576

export interface Checks {
  disks: readonly DiskName[]
  body: ((body: unknown) => Promise<void>) | undefined
  upload: Check | undefined
  query: Check | undefined
  params: Check | undefined
  host: HostPattern | undefined
}

export const checksOf = (route: Route): Checks => ({
  disks: disksOf(route),
  body: route.body && !route.bodyToDisk ? compileLarge(route.body) : undefined,
  upload: route.upload && compile(route.upload.fields, 'text'),
  query: route.query && compile(route.query, 'text'),
  params: route.params && compilePath(route.params),
  host: route.host === undefined ? undefined : hostPattern(route.host),
})

/** The parameters that the router found in path and query. */
export interface RoutedParameters {
  params: Record<string, string | undefined>
  query: Record<string, unknown>
}

/** Runs all checks before the handler, cheapest refusal first; a body is read only for a caller who may send it. */
export async function admit(
  app: HttpApp,
  route: Route,
  context: ActiveRequest,
  routed: RoutedParameters,
  checks: Checks,
  intake: BodyMemory,
): Promise<void> {
  const startedMs = performance.now()
  const { message } = context
  if (route.cors !== undefined) {
    const params = paramsOf(route, context, routed, checks)
    // Invalid parameters are refused below; a policy function, which may look them up, gets only valid ones.
    if (typeof route.cors !== 'function' || areParamsValid(checks.params, params))
      await exposeByPolicy(app, route.cors, params, context)
  }
  if (route.socket && route.cors !== undefined) requirePage(context)
  if (route.fromOwnPage) requireOwnPage(context)
  if (route.scope !== 'public') {
    const token = sessionTokenOf(route, context)
    if (token === undefined) {
      const secret = secretOf(context.headers, route.keySources)
      const caller =
        app.keys.cachedCaller(secret, message.socket) ?? (await lookUpCaller(app, route, context, secret))
      // Named in the log line of a refusal too.
      context.caller = caller
      if (caller.kind === 'management')
        context.caller = await admitManagementKey(app, route, context, { caller, query: routed.query })
      else requireUsableHere(route, caller, context)
    } else {
      const { changes } = app.sessions
      context.caller = await admitSession(app, route, context, { token, query: routed.query })
      if (!isOfPeople(route)) context.watchSession(changes)
    }
    app.metrics.stages.auth.observeSince(startedMs)
    requireRightOf(route, context.caller)
  }
  requireDiskSpace(app, route, checks)
  if (checks.params) {
    context.params = paramsOf(route, context, routed, checks)
    checks.params(context.params)
  }
  if (checks.query) {
    context.query = routed.query
    checks.query(context.query)
  }
  if (route.upload && (isMultipart(message) || !checks.body)) {
    // From now on only the longer timeout of uploads applies.
    context.timeLimit?.cancel()
    context.upload = await readUpload(message, route.upload, app)
    checks.upload!(context.upload.fields)
    if (route.upload.inMemory) await reserveMemory(context, intake)
  } else if (route.bodyToDisk) {
    // From now on only the longer timeout of uploads applies.
    context.timeLimit?.cancel()
    context.bodyFile = await readToDisk(message, bodyLimitOf(route, app), app.spool)
  } else if (checks.body) {
    const readMs = performance.now()
    const limit = bodyLimitOf(route, app)
    using turn = await intake.large.turn(Number(message.headers['content-length'] ?? 0))
    const { bytes, slot } = await readBody(message, limit, intake)
    turn.arrived()
    context.slot = slot
    const body = isText(route, context) ? textBodyOf(route, bytes) : await parseJson(bytes, limit)
    context.body = body === undefined && route.bodyMayBeAbsent ? {} : body
    await checks.body(context.body)
    app.metrics.stages.parse.observeSince(readMs)
  } else message.resume()
  const key = message.headers['idempotency-key']
  if (route.idempotent && key !== undefined)
    context.claim = await claimOf(
      headerText(String(key)),
      route.method,
      pathOf(message.url!),
      // The parameters of a text body are in the query, so the fingerprint includes both.
      route.textBody
        ? { query: context.query, came: fingerprintContent(context) }
        : fingerprintContent(context),
    )
  if (route.exactNumbers && route.body) context.body = await withExactNumbers(route.body, context.body)
}

const database: readonly DiskName[] = ['database', 'wal']

function disksOf({ method, socket, writes }: Route): readonly DiskName[] {
  if (writes === 'nothing') return []
  if (writes !== undefined) return [...database, ...writes]
  return (method === 'GET' && !socket) || method === 'DELETE' ? [] : database
}

/**
 * Decides from the last measurements of the disks, without a new one. Throws STORAGE_FULL, and SPOOL_FULL for a body that would go through the spool.
 */
function requireDiskSpace({ space, spool, storage }: HttpApp, route: Route, { disks }: Checks): void {
  space.require(disks)
  if (disks.includes('files')) storage.requireRoom()
  if (route.upload || route.bodyToDisk) spool.requireDisk()
}

/** Whether the body is the text of the route (`Route.textBody`), by its media type. */
function isText({ textBody }: Route, { headers }: ActiveRequest): boolean {
  return textBody !== undefined && essenceOf(headers['content-type'] ?? '') === textBody.mediaType
}

function bodyLimitOf({ bodyLimit = defaultBodyLimit }: Route, { config }: Pick<HttpApp, 'config'>): number {
  return typeof bodyLimit === 'number' ? bodyLimit : bodyLimit(config)
}

/** Throws CROSS_SITE_REQUEST unless a request that changes something comes from a page of our own origin, with or without cookies. */
function requireOwnPage(context: ActiveRequest): void {
  const refusal = cookieFailure(context, false)
  if (refusal) throw refusal
}

/** The token of the session to be judged; undefined where the request names a key, or has no session. */
const sessionTokenOf = (route: Route, context: ActiveRequest): string | undefined =>
  takesSessions(route) && context.headers.cookie !== undefined && !namesKey(context.headers, route.keySources)
    ? context.cookie('session')
    : undefined

/** Identifies the caller by the credentials. Throws INVALID_API_KEY and other refusals of a key. */
async function lookUpCaller(
  app: Pick<HttpApp, 'keys'>,
  route: Route,
  context: ActiveRequest,
  secret: string | undefined,
): Promise<Caller> {
  if (isOfPeople(route) && !namesKey(context.headers, route.keySources)) fail('NOT_SIGNED_IN', {})
  try {
    return await app.keys.caller(secret)
  } catch (error) {
    if (route.cors === undefined) await exposeRefusal(app, context)
    throw error
  }
}

/** Throws INVALID_API_KEY for credentials that the route does not accept, and ORIGIN_NOT_ALLOWED. */
function requireUsableHere(route: Route, caller: Caller, context: ActiveRequest): void {
  if (!(route.credentials ?? keysAndSessions).includes(caller.kind)) fail('INVALID_API_KEY', {})
  if (route.cors === undefined) admitOrigin(caller, context)
  else requireOrigin(caller, context)
}

/** For connections that last: throws once the admitted credentials are no longer valid. */
export async function requireStillAdmitted(
  app: Pick<HttpApp, 'keys' | 'sessions'>,
  route: Route,
  { headers, caller }: ActiveRequest,
): Promise<void> {
  if (route.scope === 'public') return
  if (caller.kind === 'session') {
    if (!(await app.sessions.isStillAdmitted(caller))) fail('NOT_SIGNED_IN', {})
    return
  }
  // A client secret is needed only at the beginning: the connection lasts as long as its key, and the session that made it.
  const still =
    caller.kind === 'client'
      ? await app.keys.presentCallerOf(caller.accountId, caller.keyId, caller.sessionId)
      : await app.keys.caller(secretOf(headers, route.keySources))
  requireRightOf(route, still)
}

/** What routes accept that name nothing else. */
const keysAndSessions: readonly CredentialKind[] = ['key', 'session']

/** The parameters of the path and of the host. */
const paramsOf = (
  route: Route,
  { headers }: ActiveRequest,
  { params }: RoutedParameters,
  { host }: Checks,
): Record<string, string> => ({
  ...((route.openEnded ? openEndedParams(route, params) : params) as Record<string, string>),
  ...host?.(headers.host),
})

/** The content that must be equal in a repeated request, with every digit of its numbers; files on the disk are represented by their hashes. */
function fingerprintContent({ body, bodyFile, upload }: ActiveRequest): unknown {
  if (bodyFile) return { sha256: bodyFile.sha256 }
  if (!upload) return exactly(body)
  const files = upload.files.map(({ part, sha256, name, mediaType }) => ({ part, sha256, name, mediaType }))
  return { fields: upload.fields, files }
}

/** Reserves memory for files that have already arrived. Throws TOO_MUCH_IN_FLIGHT. */
async function reserveMemory(context: ActiveRequest, intake: BodyMemory): Promise<void> {
  const slot = intake.enter(() => {})
  slot.complete()
  await slot.announce(context.upload!.files.reduce((sum, { bytes }) => sum + bytes, 0))
  context.slot = slot
}

function openEndedParams(route: Route, params: RoutedParameters['params']): RoutedParameters['params'] {
  const name = /\{([^{}]+)\}$/.exec(route.path)![1]!
  return { [name]: params['*'] }
}
