/** Which deployment answers. One attempt for now: retry, failover and breakers come in between here. */
import type { Part, Turn } from '#engine/inference'
import type { Deployment, Model } from '#engine/models'
import type { Clock } from '#platform/clock'
import type { Metrics } from '#platform/metrics'
import { type TextProvider, type Timeouts, UpstreamError, type UpstreamFault } from '#providers/spec'

/** A provider as it is connected: its room, patience and manners. */
export interface Upstream {
  provider: TextProvider
  timeouts: Timeouts
  /** `cancel`: the upstream stops billing on abort; `drain`: it does not, so its usage report is read even when the caller is gone. */
  onDisconnect: 'cancel' | 'drain'
}

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
}

export interface Run {
  readonly attempts: Attempt[]
  /** The model that answers; set with the first part. */
  readonly model: Model
  readonly onDisconnect: 'cancel' | 'drain'
  /** Throws `UpstreamError` when no attempt succeeded or the answer broke. */
  parts(): AsyncGenerator<Part>
}

export interface RunAsk {
  model: Model
  turn: Turn
  /** Aborting it ends the upstream call. */
  stop: AbortController
  receivedMs: number
  requestId: string
}

export interface Inference extends AsyncDisposable {
  start(ask: RunAsk): Run
  /** The longest that a call of this model may take, in milliseconds. */
  longestMs(model: Model): number
}

/** Callers are gone when this is disposed; what is still read for them (see `onDisconnect`) gets this long, then it is cut and settled as it stands. */
const lastWordsMs = 1_000

export function openInference(ask: {
  upstreams: ReadonlyMap<string, Upstream>
  clock: Clock
  metrics: Metrics
  random?: () => number
}): Inference {
  const { upstreams, clock, metrics, random = Math.random } = ask
  const running = new Map<Promise<void>, AbortController>()
  return {
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => {
        for (const stop of running.values()) stop.abort()
      }, lastWordsMs)
      await Promise.all(running.keys())
      clearTimeout(late)
    },
    longestMs: (model) =>
      Math.max(...model.deployments.map(({ provider }) => upstreams.get(provider)!.timeouts.totalMs)),
    start(run) {
      const attempts: Attempt[] = []
      const deployment = inOrder(run.model.deployments, random)[0]!
      const upstream = upstreams.get(deployment.provider)!
      return {
        attempts,
        model: run.model,
        onDisconnect: upstream.onDisconnect,
        async *parts() {
          const { promise: ended, resolve: end } = Promise.withResolvers<void>()
          running.set(ended, run.stop)
          const attempt: Attempt = {
            model: run.model.id,
            deployment: deployment.id,
            provider: deployment.provider,
            started_ms: clock.nowMs() - run.receivedMs,
            outcome: 'running',
          }
          attempts.push(attempt)
          try {
            yield* attempted(attempt, run, deployment, upstream, clock, metrics)
          } finally {
            running.delete(ended)
            end()
          }
        },
      }
    },
  }
}

/** Calls one deployment and writes down how it went. */
async function* attempted(
  attempt: Attempt,
  ask: RunAsk,
  deployment: Deployment,
  upstream: Upstream,
  clock: Clock,
  metrics: Metrics,
): AsyncGenerator<Part> {
  const { turn } = ask
  const { signal } = ask.stop
  const attemptId = `${ask.requestId}-1`
  try {
    for await (const part of upstream.provider.generate({
      turn,
      upstreamModel: deployment.model,
      signal,
      timeouts: upstream.timeouts,
      attemptId,
    })) {
      if (attempt.first_part_ms === undefined) {
        attempt.first_part_ms = clock.nowMs() - ask.receivedMs
        metrics.upstreamSeconds.observe(
          { provider: attempt.provider },
          (attempt.first_part_ms - attempt.started_ms) / 1000,
        )
      }
      if (part.type === 'start' && part.upstreamId !== undefined)
        attempt.upstream_id = part.upstreamId.slice(0, 200)
      yield part
    }
    attempt.outcome = 'answered'
  } catch (error) {
    const fault =
      error instanceof UpstreamError
        ? error
        : new UpstreamError(signal.aborted ? 'aborted' : 'malformed', { cause: error })
    attempt.outcome = fault.fault
    if (fault.status !== undefined) attempt.status = fault.status
    if (fault.detail !== undefined) attempt.detail = fault.detail
    throw fault
  } finally {
    // A consumer that stopped listening ends the generator here.
    if (attempt.outcome === 'running') attempt.outcome = 'aborted'
    attempt.ended_ms = clock.nowMs() - ask.receivedMs
    metrics.upstreamAttempts.inc({ provider: attempt.provider, outcome: attempt.outcome })
  }
}

/** Deployments in the order in which they are tried: lower priority first, equal priority by weighted lot. */
export function inOrder(deployments: readonly Deployment[], random: () => number): Deployment[] {
  // Sorting by -ln(u)/weight draws without replacement in proportion to weight (Efraimidis and Spirakis, 2006).
  const lot = new Map(deployments.map((one) => [one, -Math.log(1 - random()) / one.weight]))
  return [...deployments].sort((a, b) => a.priority - b.priority || lot.get(a)! - lot.get(b)!)
}
