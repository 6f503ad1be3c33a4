/** Handling of attempts shared by text and order journeys. */

import type { Deployment } from '#core/models'
import { UpstreamError, type UpstreamFault } from '#core/spec'
import type { Usage } from '#core/turn'
import type { Clock } from '#platform/clock'
import { Failure } from '#platform/errors'
import type { Metrics } from '#platform/metrics'
import type { Drains } from './drains.ts'
import type { OperatorWarnings } from './operator-warnings.ts'
import type { Upstream } from './routing.ts'

/** One call to one deployment, as recorded on the receipt. Times in milliseconds from the start of the request. */
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
  /** The vendor's or proxy's message about our key, account or address, secrets masked; never disclosed to callers. */
  inside?: string
  /** True when the answer exceeded the maximum text for its output limit and was cut off. */
  overran?: true
  /** True when the attempt continued an interrupted answer (`resume: restart`). */
  resumed?: true
}

/**
 * An attempt on a receipt for several calls, with its own cost, so that each can be matched with a vendor's invoice. A free attempt
 * costs 0 and has no tokens.
 */
export interface PricedAttempt extends Attempt {
  microcredits: number
  tokens?: Usage
  usage_source?: 'upstream' | 'estimated'
  /** The request id sent upstream; absent when it is `<receipt>-<number>`. */
  attempt_id?: string
}

/** Assigns the cost of a call to one attempt: the one that answered, else the last that delivered anything. */
export function priceAttempts(
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

/** Faults whose detail is our own text. An upstream's message may quote the prompt, and a receipt never holds prompt text. */
const ownDetailFaults: ReadonlySet<UpstreamFault> = new Set([
  'connect',
  'reset',
  'timeout',
  'cut',
  'malformed',
])

/** Options shared by text and order journeys. */
export interface JourneyContext {
  receivedMs: number
  requestId: string
  /** Number of attempts of earlier calls of the same request, so that every attempt id is unique. */
  earlierAttempts?: number | undefined
  traceparent?: string | undefined
  upstreams: ReadonlyMap<string, Upstream>
  drains: Drains
  /** Logs failures that only the operator can fix. */
  warnings: OperatorWarnings
  clock: Clock
  metrics: Metrics
  /** Unix milliseconds by which the whole journey ends. */
  deadlineMs: number
  /** See `Admission`. */
  mayCall?: ((model: string) => Promise<void>) | undefined
}

export const beginAttempt = (
  { clock, receivedMs }: JourneyContext,
  { model, deployment }: { model: { id: string }; deployment: Deployment },
): Attempt => ({
  model: model.id,
  deployment: deployment.id,
  provider: deployment.provider,
  started_ms: clock.nowMs() - receivedMs,
  outcome: 'running',
})

/** Returns the attempt's failure, records it on the attempt, and warns the operator if only they can fix it. */
export function failAttempt(
  { warnings }: Pick<JourneyContext, 'warnings'>,
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
  if (failure.detail !== undefined && ownDetailFaults.has(failure.fault)) attempt.detail = failure.detail
  // A vendor's message about a request may quote it; a message about our key, account or address cannot.
  if (failure.inside !== undefined && (failure.isPermanent || failure.fault === 'connect')) {
    attempt.inside = failure.inside
    warnings.warn(attempt)
  }
  return failure
}

/** The failure reported to the caller: a transient one if there is any, since the others persist until the operator fixes them. */
export const failureToReport = (failures: readonly UpstreamError[]): UpstreamError | undefined => {
  const last = failures.at(-1)
  return last?.isPermanent ? (failures.findLast((one) => !one.isPermanent) ?? last) : last
}

/** Throws `not_allowed` before a further attempt if the payer's key no longer permits this model. */
export async function requireAllowed(
  { mayCall }: JourneyContext,
  { model }: { model: { id: string } },
): Promise<void> {
  try {
    await mayCall?.(model.id)
  } catch (cause) {
    // A database error is not a refusal.
    const fault = cause instanceof Failure ? 'not_allowed' : 'unavailable'
    throw new UpstreamError(fault, { executed: false, cause })
  }
}

/** Call options of the journey's attempt number `number`, with the timeout bounded by the journey's deadline. */
export function callOptionsOf(
  { upstreams, deadlineMs, clock, requestId, earlierAttempts = 0, traceparent }: JourneyContext,
  { provider, model, limitName, endMark }: Deployment,
  number: number,
) {
  const { timeouts, passTraceparent } = upstreams.get(provider)!
  const leftMs = Math.max(1, deadlineMs - clock.nowMs())
  return {
    upstreamModel: model,
    timeouts: leftMs < timeouts.totalMs ? { ...timeouts, totalMs: leftMs } : timeouts,
    attemptId: `${requestId}-${earlierAttempts + number}`,
    ...(limitName && { limitName }),
    ...(endMark && { endMark }),
    ...(passTraceparent && { traceparent }),
  }
}

const noDrainSlotDetail = 'stopped, since max_drains answers were being read on for callers who left'

/** A drain slot to read this call on for its usage report, if its provider wants that and has a slot left. */
export function takeDrainSlot(
  { upstreams, drains, metrics }: JourneyContext,
  attempt: Attempt,
): Disposable | undefined {
  const { provider } = attempt
  const { onDisconnect, maxDrains } = upstreams.get(provider)!
  const wanted = onDisconnect === 'drain'
  const drain = wanted ? drains.begin(provider, maxDrains) : undefined
  if (wanted && !drain) attempt.detail = noDrainSlotDetail
  const action = drain ? 'drain' : wanted ? 'cancel_at_cap' : 'cancel'
  metrics.callersLeft.inc({ provider, action })
  return drain
}
