import type { UpstreamError } from '#core/spec'
import { Failure, finalFailure } from '#platform/errors'

/** Maps an upstream's fault to the caller's error. Operator errors (a bad key, an unknown model name) are not disclosed. */
export function failureOf(error: UpstreamError): Failure {
  const more = { executed: true, cause: error, ...(error.param !== undefined && { param: error.param }) }
  const detail = { detail: error.detail ?? '' }
  if (error.fault === 'not_allowed' && error.cause instanceof Failure) return error.cause
  switch (error.fault) {
    case 'timeout':
      return new Failure('UPSTREAM_TIMEOUT', {}, more)
    case 'overloaded':
      return new Failure('UPSTREAM_OVERLOADED', {}, more)
    case 'rate_limited':
      return new Failure('UPSTREAM_RATE_LIMITED', {}, { ...more, retryAfterMs: error.retryAfterMs ?? 1000 })
    case 'context_overflow':
      return new Failure('CONTEXT_LENGTH_EXCEEDED', {}, more)
    case 'content_refused':
      return new Failure('CONTENT_REFUSED', detail, more)
    case 'invalid_request':
      return new Failure('UPSTREAM_INVALID_REQUEST', detail, more)
    case 'authentication':
    case 'not_found':
      return new Failure('UPSTREAM_MISCONFIGURED', {}, more)
    default:
      return new Failure('UPSTREAM_FAILED', {}, more)
  }
}

const ofOrders = new Set<string>([
  'UPSTREAM_FAILED',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_OVERLOADED',
  'UPSTREAM_RATE_LIMITED',
])

/** Returns the failure of a call whose order may have been carried out: final, in a sentence that does not suggest another order. */
export function orderedFailure({ code, detail, more }: Failure): Failure {
  const told = ofOrders.has(code) ? { order: 'may_have_run' } : detail
  return finalFailure(new Failure(code, told, { ...more, executed: true }))
}
