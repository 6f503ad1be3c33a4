/** What every journey does with its attempts, whatever is asked for. */

import type { Deployment } from '#engine/models'
import type { Usage } from '#engine/turn'
import type { Clock } from '#platform/clock'
import { Failure } from '#platform/errors'
import type { Metrics } from '#platform/metrics'
import { UpstreamError, type UpstreamFault } from '#providers/spec'
import type { Drains } from './drains.ts'
import type { OperatorWarnings } from './operator-warnings.ts'
import type { Upstream } from './routing.ts'

/** One call to one deployment, as it stands on the receipt. Times in milliseconds from the start of the request. */
export interface Attempt {
  model: string
  deployment: string
  provider: string
  started_ms: number
  first_part_ms?: number
  ended_ms?: number
  outcome: 'running' | 'answered' | UpstreamFault
  status?: number
  detail?: string
  upstream_id?: string
  /** What the vendor or a proxy said of our key, account or address, secrets masked; callers are never shown it. */
  inside?: string
  /** True when it wrote more than its limit of tokens can amount to, and was cut off. */
  overran?: true
  /** True when it went on where an answer was cut (`resume: restart`). */
  resumed?: true
}

/**
 * An attempt on a receipt that pays several calls: what this one did cost, so that each can be held against its line on an invoice.
 * One that is not paid costs 0 and has no tokens.
 */
export interface PricedAttempt extends Attempt {
  microcredits: number
  tokens?: Usage
  usage_source?: 'upstream' | 'estimated'
  /** What the upstream was told as its id; absent where that is `<receipt>-<number>`. */
  attempt_id?: string
}

/** The attempts of one call and what it did cost, if anything: one that answered is paid, else the last of which anything came. */
export function priced(
  attempts: readonly Attempt[],
  cost: { microcredits: bigint; usage: Usage; usageSource: 'upstream' | 'estimated' } | undefined,
): PricedAttempt[] {
  const payer =
    attempts.findLast(({ outcome }) => outcome === 'answered') ??
    attempts.findLast(({ first_part_ms }) => first_part_ms !== undefined) ??
    attempts.at(-1)
  return attempts.map((attempt) =>
    cost && attempt === payer
      ? {
          ...attempt,
          microcredits: Number(cost.microcredits),
          tokens: cost.usage,
          usage_source: cost.usageSource,
        }
      : { ...attempt, microcredits: 0 },
  )
}

/** Faults that we describe ourselves. What an upstream says may quote the prompt, and a receipt never holds prompt text. */
const inOurWords: ReadonlySet<UpstreamFault> = new Set(['connect', 'reset', 'timeout', 'cut', 'malformed'])

/** What every journey has of its order, whatever is asked for. */
export interface JourneyTerms {
  receivedMs: number
  requestId: string
  /** Attempts of earlier calls of the same request: an id is told to upstreams once. */
  earlierAttempts?: number | undefined
  traceparent?: string | undefined
  upstreams: ReadonlyMap<string, Upstream>
  drains: Drains
  /** The operator, told of what only he can mend. */
  warnings: OperatorWarnings
  clock: Clock
  metrics: Metrics
  /** Unix milliseconds by which the whole journey ends. */
  deadlineMs: number
  /** As of `Admission`. */
  mayAsk?: ((model: string) => Promise<void>) | undefined
}

export const beginAttempt = (
  { clock, receivedMs }: JourneyTerms,
  { model, deployment }: { model: { id: string }; deployment: Deployment },
): Attempt => ({
  model: model.id,
  deployment: deployment.id,
  provider: deployment.provider,
  started_ms: clock.nowMs() - receivedMs,
  outcome: 'running',
})

/** Why the attempt failed, noted on it too, and told to the operator where it waits for him. */
export function failAttempt(
  { warnings }: Pick<JourneyTerms, 'warnings'>,
  attempt: Attempt,
  error: unknown,
  isStopped: boolean,
): UpstreamError {
  const failure =
    error instanceof UpstreamError
      ? error
      : new UpstreamError(isStopped ? 'aborted' : 'malformed', { cause: error })
  attempt.outcome = failure.fault
  if (failure.status !== undefined) attempt.status = failure.status
  if (failure.detail !== undefined && inOurWords.has(failure.fault)) attempt.detail = failure.detail
  // What a vendor says of a request may quote it; of our key, our account or an address it has nothing to quote.
  if (failure.inside !== undefined && (failure.isPermanent || failure.fault === 'connect')) {
    attempt.inside = failure.inside
    warnings.warn(attempt)
  }
  return failure
}

/** The failure that a caller is told of: one that may pass, where there is any, since what else failed stays until the operator mends it. */
export const failureToReport = (failures: readonly UpstreamError[]): UpstreamError | undefined => {
  const last = failures.at(-1)
  return last?.isPermanent ? (failures.findLast((one) => !one.isPermanent) ?? last) : last
}

/** Before a further attempt: throws `not_allowed` where whoever pays may not pay for this model any more. */
export async function requireAllowed(
  { mayAsk }: JourneyTerms,
  { model }: { model: { id: string } },
): Promise<void> {
  try {
    await mayAsk?.(model.id)
  } catch (cause) {
    // A database that could not say so forbids nothing.
    const fault = cause instanceof Failure ? 'not_allowed' : 'unavailable'
    throw new UpstreamError(fault, { executed: false, cause })
  }
}

/** How the upstream of an attempt is called, the `number`th of its journey: in what is left of its time. */
export function callTerms(
  { upstreams, deadlineMs, clock, requestId, earlierAttempts = 0, traceparent }: JourneyTerms,
  { provider, model }: Deployment,
  number: number,
) {
  const { timeouts, passTraceparent } = upstreams.get(provider)!
  const leftMs = Math.max(1, deadlineMs - clock.nowMs())
  return {
    upstreamModel: model,
    timeouts: leftMs < timeouts.totalMs ? { ...timeouts, totalMs: leftMs } : timeouts,
    attemptId: `${requestId}-${earlierAttempts + number}`,
    ...(passTraceparent && { traceparent }),
  }
}

const noPlaceToDrain = 'stopped, since max_drains answers were being read on for callers who left'

/** A place to read this call on for its usage report, where its provider wants that and has one left. */
export function drainOf(
  { upstreams, drains, metrics }: JourneyTerms,
  attempt: Attempt,
): Disposable | undefined {
  const { provider } = attempt
  const { onDisconnect, maxDrains } = upstreams.get(provider)!
  const wanted = onDisconnect === 'drain'
  const place = wanted ? drains.begin(provider, maxDrains) : undefined
  if (wanted && !place) attempt.detail = noPlaceToDrain
  const action = place ? 'drain' : wanted ? 'cancel_at_cap' : 'cancel'
  metrics.callersLeft.inc({ provider, action })
  return place
}
