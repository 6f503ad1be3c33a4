import { UpstreamError, type UpstreamFault } from '#core/spec'
import { isRecord } from '#platform/json'
import type { ProxyFailed } from '#platform/proxy'

/** What the upstream reported about a failure, in any of the known error formats. */
interface UpstreamErrorBody {
  message: string | undefined
  code: string | undefined
  type: string | undefined
  param: string | undefined
  status: number | undefined
}

const overflowPattern =
  /context_length_exceeded|maximum context length|context (length|window|size)|prompt is too long|input is too long|too many (input )?tokens|exceeds? the (available|maximum) (context|number of tokens)|exceed_context_size|reduce the length of the (messages|prompt)/i
const refusedPattern =
  /content_policy|content_filter|content (filtering|management) policy|responsibleai|safety_violation|moderation_blocked|prohibited_content|flagged/i
const noCreditPattern =
  /insufficient_quota|insufficient[_ ]balance|insufficient credits|billing_hard_limit|credit balance is too low/i
/** Gemini answers 400 to a key that it does not know. */
const invalidKeyPattern = /api key not valid|api key expired|api_key_invalid/i
const noModelPattern = /model_not_found|model .{0,120}(not found|does not exist)|no such model/i
const busyPattern = /overloaded|engine is currently|at capacity/i

/** The longest wait an upstream can ask for; a longer one is as good as unavailable. */
const maxWaitMs = 3_600_000

/**
 * The fault for an HTTP error status. `secrets` never appear in its detail. Sources: error pages of OpenAI, Anthropic, OpenRouter, Gemini,
 * vLLM, llama.cpp and Ollama.
 */
export function faultOfStatus(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: string,
  secrets: readonly string[],
): UpstreamError {
  const errorBody = readErrorBody(body)
  const fault = classify(status, errorBody)
  const retryAfterMs = readRetryAfter(headers)
  const reported = errorOptionsOf(errorBody, secrets, retryAfterMs)
  return new UpstreamError(fault, {
    status,
    // An overloaded upstream refuses before it executes anything; another 5xx may come after execution began.
    executed: status !== 503 && mayHaveExecuted(fault),
    ...reported,
    inside: `HTTP ${status}${reported.detail === undefined ? '' : `: ${reported.detail}`}`,
  })
}

/** The fault for an `error` object in an answer whose status was a success. The upstream had started, so it counts as executed. */
export function faultOfError(error: unknown, secrets: readonly string[]): UpstreamError {
  const errorBody = errorBodyOf(error)
  const fault =
    errorBody.status !== undefined ? classify(errorBody.status, errorBody) : classifyByName(errorBody)
  const reported = errorOptionsOf(errorBody, secrets, undefined)
  return new UpstreamError(fault, {
    ...(errorBody.status !== undefined && { status: errorBody.status }),
    executed: true,
    ...reported,
    ...(reported.detail !== undefined && { inside: reported.detail }),
  })
}

/** The operator configures proxies like keys: if one refuses the request, a retry cannot help. Nothing was sent to the upstream. */
export const faultOfProxy = (cause: ProxyFailed): UpstreamError =>
  new UpstreamError(cause.isPermanent ? 'authentication' : 'connect', {
    executed: false,
    detail: 'no way through the proxy',
    inside: cause.message,
    cause,
  })

/** Replaces every known secret and everything that looks like a key. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter((secret) => secret.length >= 8)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return known
    .replace(/\b(sk|gsk|rk|pk|khr|xai|hf|key)[-_][A-Za-z0-9*_-]{8,}/g, '$1-***')
    .replace(/\bAIza[A-Za-z0-9_-]{10,}/g, 'AIza***')
    .replace(/\bBearer\s+[^\s"',]+/gi, 'Bearer ***')
}

function errorOptionsOf(
  errorBody: UpstreamErrorBody,
  secrets: readonly string[],
  retryAfterMs: number | undefined,
) {
  return {
    ...(errorBody.message !== undefined && { detail: maskSecrets(errorBody.message, secrets).slice(0, 500) }),
    ...(errorBody.param !== undefined && { param: errorBody.param }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

function classify(status: number, errorBody: UpstreamErrorBody): UpstreamFault {
  const words = `${errorBody.code ?? ''} ${errorBody.type ?? ''} ${errorBody.message ?? ''}`
  if (status === 401 || status === 402 || status === 403)
    return refusedPattern.test(words) ? 'content_refused' : 'authentication'
  // An empty account at the upstream is for the operator to fix, like a bad key: waiting does not help.
  if (status === 429) return noCreditPattern.test(words) ? 'authentication' : 'rate_limited'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 529) return 'overloaded'
  if (status >= 500) return status === 503 && busyPattern.test(words) ? 'overloaded' : 'unavailable'
  // A path that does not accept POST is a wrong path too.
  if (status === 404 || status === 405 || status === 410) return 'not_found'
  if (status >= 400) {
    if (refusedPattern.test(words)) return 'content_refused'
    if (overflowPattern.test(words)) return 'context_overflow'
    // Anthropic reports an empty account as a bad request.
    if (noCreditPattern.test(words) || invalidKeyPattern.test(words)) return 'authentication'
    return noModelPattern.test(words) ? 'not_found' : 'invalid_request'
  }
  // A redirect means that the configured address is not that of the API.
  return 'unavailable'
}

function classifyByName(errorBody: UpstreamErrorBody): UpstreamFault {
  const name = `${errorBody.code ?? ''} ${errorBody.type ?? ''}`
  if (/overloaded/i.test(name)) return 'overloaded'
  if (/rate_limit|too_many_requests|resource_exhausted/i.test(name)) return 'rate_limited'
  if (/authentication|permission|invalid_api_key|billing/i.test(name)) return 'authentication'
  if (/timeout/i.test(name)) return 'timeout'
  const words = `${name} ${errorBody.message ?? ''}`
  if (refusedPattern.test(words)) return 'content_refused'
  if (overflowPattern.test(words)) return 'context_overflow'
  if (noCreditPattern.test(words)) return 'authentication'
  if (/not_found/i.test(name)) return 'not_found'
  return /invalid_request|badrequest/i.test(name) ? 'invalid_request' : 'unavailable'
}

/** Only these statuses prove that nothing was executed. */
function mayHaveExecuted(fault: UpstreamFault): boolean {
  const notExecutedFaults: UpstreamFault[] = [
    'authentication',
    'rate_limited',
    'overloaded',
    'not_found',
    'invalid_request',
    'context_overflow',
    'content_refused',
  ]
  return !notExecutedFaults.includes(fault)
}

function readErrorBody(body: string): UpstreamErrorBody {
  try {
    return errorBodyOf(JSON.parse(body.replace(/^\ufeff/, '')))
  } catch {
    const text = body
      .replace(/<[^<>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    return {
      message: text || undefined,
      code: undefined,
      type: undefined,
      param: undefined,
      status: undefined,
    }
  }
}

function errorBodyOf(value: unknown): UpstreamErrorBody {
  // Gemini wraps its error in a list; FastAPI servers list the invalid fields under `detail`.
  if (Array.isArray(value)) return errorBodyOf(value[0])
  if (typeof value === 'string')
    return { message: value, code: undefined, type: undefined, param: undefined, status: undefined }
  if (!isRecord(value))
    return { message: undefined, code: undefined, type: undefined, param: undefined, status: undefined }
  if (value['error'] !== undefined && value['error'] !== null) return errorBodyOf(value['error'])
  const message = value['message'] ?? value['msg'] ?? value['detail']
  if (isRecord(message) || Array.isArray(message)) return errorBodyOf(message)
  const code = value['code']
  const status = [code, value['status'], value['http_code']]
    .map(Number)
    .find((number) => number >= 400 && number <= 599)
  return {
    message: withField(text(message), value['loc']),
    code: text(code),
    type: text(value['type'] ?? value['status']),
    param: text(value['param']),
    status,
  }
}

/** FastAPI servers name the field that they do not know beside their sentence: `["body", "max_completion_tokens"]`. */
function withField(message: string | undefined, loc: unknown): string | undefined {
  const field = Array.isArray(loc) ? text(loc.at(-1)) : undefined
  if (message === undefined || field === undefined || !/extra (?:inputs|fields)/i.test(message))
    return message
  return `${message}: ${field}`
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date. Milliseconds, never negative. */
function readRetryAfter(headers: Record<string, string | string[] | undefined>): number | undefined {
  const first = (name: string) => [headers[name]].flat()[0]?.trim()
  const exact = first('retry-after-ms')
  const coarse = first('retry-after')
  const number = (value: string | undefined) =>
    value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
  const seconds = number(coarse)
  const date = coarse !== undefined && seconds === undefined ? Date.parse(coarse) : Number.NaN
  const wait =
    number(exact) ??
    (seconds !== undefined ? seconds * 1_000 : Number.isNaN(date) ? undefined : date - Date.now())
  return wait === undefined ? undefined : Math.round(Math.min(Math.max(wait, 0), maxWaitMs))
}
