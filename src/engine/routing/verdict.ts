import type { UpstreamError } from '#providers/spec'

/**
 * What to do after an attempt failed and nothing of it had reached the caller (decisions §9).
 * `again`: the same deployment after a pause · `elsewhere`: the next deployment · `other-model`: the next model · `give-up`.
 */
export type Verdict = 'again' | 'elsewhere' | 'other-model' | 'give-up'

/** A rate limit that ends within this time is waited for, a longer one is somebody else's turn. */
const patientMs = 3_000

export function verdictOf(error: UpstreamError): Verdict {
  switch (error.fault) {
    case 'connect':
    case 'reset':
    case 'unavailable':
    case 'overloaded':
      return 'again'
    case 'rate_limited':
      return (error.retryAfterMs ?? 0) <= patientMs ? 'again' : 'elsewhere'
    // A silent or broken upstream is not asked twice; nor one that does not let us in.
    case 'timeout':
    case 'cut':
    case 'malformed':
    case 'authentication':
    case 'not_found':
      return 'elsewhere'
    case 'context_overflow':
      return 'other-model'
    // What was asked is at fault, or the caller is gone.
    case 'invalid_request':
    case 'content_refused':
    case 'aborted':
      return 'give-up'
  }
}

const firstPauseMs = 100
const longestPauseMs = 2_000

/** Before asking the same deployment again: what it asked for, else growing, always with jitter so that callers do not return as one. */
export function pauseMs(error: UpstreamError, tries: number, random: () => number): number {
  const grown = Math.min(firstPauseMs * 4 ** (tries - 1), longestPauseMs)
  const asked = error.retryAfterMs ?? 0
  return asked + grown * (0.5 + random() / 2)
}
