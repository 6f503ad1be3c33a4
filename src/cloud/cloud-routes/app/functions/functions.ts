/** `/functions/v1/{name}`: an app calls code of its own. */
import { depthHeader, depthPurpose, maxCallDepth, readDepth } from '#cloud/functions'
import { declarationOf, type Failure, fail } from '#platform/errors'
import type { AppArea, AppCall, AppReply } from '../area.ts'

export const functionsArea: AppArea = {
  prefix: '/functions/v1',
  name: 'functions',
  faultsOfApps: new Set([
    'FUNCTION_TIMEOUT',
    'FUNCTION_CPU_LIMIT',
    'FUNCTION_MEMORY_LIMIT',
    'FUNCTION_CRASHED',
    'FUNCTION_ANSWER_TOO_LARGE',
    'FUNCTION_DEPTH',
  ]),
  // Whether everybody may call a function is known once the function is found.
  isOpen: () => true,
  handle,
  failureReply: functionFailureReply,
}

async function handle(call: AppCall): Promise<AppReply> {
  const { app, cloud, path, method, message, requestId, gone } = call
  const [, name = ''] = path.split('/', 2)
  const found = await app.functionSource.find(cloud, name)
  // A caller with neither a key nor a session learns only of functions that everybody may call.
  if (call.caller.role === 'none' && found?.verifyJwt !== false) throw call.caller.refusal
  if (!found) fail('FUNCTION_NOT_FOUND', {}, { param: 'name' })
  if (found.verifyJwt && call.caller.role === 'anon') fail('FUNCTION_SESSION_REQUIRED', {})
  const depth = await depthOf(call)
  // This comes before the call counts or starts anything: a function that calls itself ends here.
  if (depth >= maxCallDepth) fail('FUNCTION_DEPTH', { most: maxCallDepth })
  await app.cloudAllowances.takeCall(cloud, cloud.limits.dailyFunctionCalls)
  app.cloudAllowances.expectEgress(cloud)
  const { accountId, cloudId, ref, plan, functionsRevision: revision } = cloud
  const answer = await app.functions.call({
    ...{ accountId, cloudId, ref, plan, revision, name, requestId, method },
    url: urlOf(call),
    headers: headersOf(call),
    body: hasBody(message) ? message : undefined,
    depth,
    signal: gone,
  })
  if (!bodiless.includes(answer.status)) return answer
  answer.body.destroy()
  return { status: answer.status, headers: answer.headers }
}

const hasBody = ({ headers }: AppCall['message']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const bodiless = [204, 205, 304]

/** Returns the URL that functions written for Supabase expect: the path begins with the function's name, and routers are configured for that. */
function urlOf({ baseUrl, path, message }: AppCall): string {
  const [, search = ''] = /^[^?]*(\?[^#]*)?/.exec(message.url!) ?? []
  return new URL(baseUrl).origin + path + search
}

/** All headers but those of proxies, and the client's address. */
function headersOf({ message, clientAddress }: AppCall): [string, string][] {
  const headers: [string, string][] = []
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at]!
    if (!/^(?:x-forwarded-.*|forwarded|x-real-ip)$/i.test(name))
      headers.push([name, message.rawHeaders[at + 1]!])
  }
  headers.push(['x-forwarded-for', clientAddress])
  return headers
}

/** Reads the depth of a call, which a call from a function states, signed by the platform. */
async function depthOf({ app, headers }: AppCall): Promise<number> {
  const stated = headers[depthHeader]
  if (typeof stated !== 'string') return 0
  return readDepth(stated, await app.secrets.signer(depthPurpose))
}

/** Clients of functions distinguish refusals of the platform from answers of the function by `x-relay-error`. */
function functionFailureReply(
  failure: Failure,
  { language, requestId }: Parameters<AppArea['failureReply']>[1],
): AppReply {
  const { code, detail, more } = failure
  return {
    status: failure.status,
    headers: { 'x-relay-error': 'true' },
    body: {
      code,
      message: declarationOf(code)[language](detail),
      ...(more.param !== undefined && { param: more.param }),
      request_id: requestId,
    },
  }
}
