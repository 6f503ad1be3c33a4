/** What the outcome of an attempt means for its delivery. */
const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pauses before the six retries (contract section 6), each up to a fifth shorter or longer by chance. */
export const retryMs: readonly number[] = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour]
const jitter = 0.2

export const maxAttempts = retryMs.length + 1

/** Upper bound of a Retry-After of a target. */
const maxRetryAfterMs = hour

/** How one attempt ended. */
export interface AttemptResult {
  /** The status of the answer; undefined where there was no answer. */
  status?: number
  /** Why there was no answer. */
  reason?: string
  /** The pause that the answer asked for, within bounds. */
  retryAfterMs?: number
  durationMs: number
}

export const isSuccess = ({ status = 0 }: AttemptResult): boolean => status >= 200 && status < 300

/** Whether the target wants no further event (410). */
export const isGone = ({ status }: AttemptResult): boolean => status === 410

export interface DeliveryDecision {
  state: 'delivered' | 'pending' | 'failed'
  error: string | null
  /** When the next attempt is due; null where there is none. */
  dueMs: number | null
}

/** What follows for the delivery after `attempts`, this one included. `chance` is within 0 … 1. */
export function decideDelivery(
  outcome: AttemptResult,
  attempts: number,
  max: number,
  nowMs: number,
  chance = Math.random(),
): DeliveryDecision {
  if (isSuccess(outcome)) return { state: 'delivered', error: null, dueMs: null }
  const error = outcome.reason ?? (isRedirect(outcome) ? 'redirect' : 'status')
  if (attempts >= max || isGone(outcome)) return { state: 'failed', error, dueMs: null }
  const pauseMs = retryMs[attempts - 1]! * (1 - jitter + 2 * jitter * chance)
  return { state: 'pending', error, dueMs: nowMs + Math.max(Math.round(pauseMs), outcome.retryAfterMs ?? 0) }
}

const isRedirect = ({ status = 0 }: AttemptResult): boolean => status >= 300 && status < 400

/** The pause of a Retry-After, in seconds or as a date (RFC 9110, section 10.2.3), honoured only with 429 and 503. */
export function retryAfterMs(status: number, header: string | undefined, nowMs: number): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined
  const askedMs = /^\d{1,10}$/.test(header) ? Number(header) * second : Date.parse(header) - nowMs
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(askedMs, 0), maxRetryAfterMs)
}
