import type { UpstreamError } from '#providers/spec'

/**
 * What to do after an attempt failed of which nothing had reached the caller (decisions §9).
 * `again`: the same deployment after a pause, then the next · `elsewhere`: the next deployment · `restart`: the next, or
 * where there is none once more the same · `other-model`: the next model with a larger context · `give-up`.
 */
export type Verdict = 'again' | 'elsewhere' | 'restart' | 'other-model' | 'give-up'

/** A deployment that asks for a pause of at most this is waited for; for longer it is somebody else's turn. */
const patientMs = 3_000

export function verdictOf(error: UpstreamError): Verdict {
  switch (error.fault) {
    case 'connect':
    case 'reset':
    case 'unavailable':
    case 'overloaded':
    case 'rate_limited':
      return (error.retryAfterMs ?? 0) <= patientMs ? 'again' : 'elsewhere'
    case 'cut':
    case 'malformed':
      return 'restart'
    // A silent upstream is not asked twice; nor one that does not let us in.
    case 'timeout':
    case 'authentication':
    case 'not_found':
      return 'elsewhere'
    case 'context_overflow':
      return 'other-model'
    // What was asked is at fault, or the caller is gone.
    case 'invalid_request':
    case 'content_refused':
    case 'aborted':
    case 'not_allowed':
      return 'give-up'
  }
}

const firstPauseMs = 100

/** Before asking the same deployment again: what it asked for, then 50–100 ms, 200–400 ms: jitter, so that callers do not return as one. */
export function pauseMs(error: UpstreamError, tries: number, random: () => number): number {
  const grown = firstPauseMs * 4 ** (tries - 1)
  return (error.retryAfterMs ?? 0) + grown * (0.5 + random() / 2)
}
