import type { UpstreamError } from '#core/spec'

/**
 * What to do after an attempt failed before delivering anything to the caller (decisions §9).
 * `again`: the same deployment after a pause, then the next · `elsewhere`: the next deployment · `restart`: the next, or
 * if there is none the same once more · `other-model`: the next model with a larger context · `give-up`.
 */
export type RetryVerdict = 'again' | 'elsewhere' | 'restart' | 'other-model' | 'give-up'

/** A Retry-After up to this is waited for; with a longer one the next deployment is called. */
const maxRetryAfterMs = 3_000

export function verdictOf(error: UpstreamError): RetryVerdict {
  switch (error.fault) {
    case 'connect':
    case 'reset':
    case 'unavailable':
    case 'overloaded':
    case 'rate_limited':
      return (error.retryAfterMs ?? 0) <= maxRetryAfterMs ? 'again' : 'elsewhere'
    case 'cut':
    case 'malformed':
      return 'restart'
    // Neither an upstream that timed out nor one that rejects our key is called twice.
    case 'timeout':
    case 'authentication':
    case 'not_found':
      return 'elsewhere'
    case 'context_overflow':
      return 'other-model'
    // The request itself is at fault, or the caller is gone.
    case 'invalid_request':
    case 'content_refused':
    case 'aborted':
    case 'not_allowed':
      return 'give-up'
  }
}

const firstPauseMs = 100

/** Pause before calling the same deployment again: its Retry-After plus 50–100 ms, then 200–400 ms; jittered, so that callers do not retry in step. */
export function pauseMs(error: UpstreamError, tries: number, random: () => number): number {
  const grown = firstPauseMs * 4 ** (tries - 1)
  return (error.retryAfterMs ?? 0) + grown * (0.5 + random() / 2)
}
