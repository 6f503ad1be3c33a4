/** Which deployment answers, and what happens when one does not (decisions §9). */
import type { Part, Turn } from '#engine/inference'
import type { Catalogue, Model } from '#engine/models'
import type { Clock } from '#platform/clock'
import type { Metrics } from '#platform/metrics'
import type { TextProvider, Timeouts, UpstreamError } from '#providers/spec'
import type { Attempt } from './attempt.ts'
import { Breaker } from './breaker.ts'
import { candidatesOf, modelsFor } from './candidates.ts'
import { Journey } from './journey.ts'

export type { Attempt } from './attempt.ts'

/** A provider as it is connected: its room, patience and manners. */
export interface Upstream {
  provider: TextProvider
  timeouts: Timeouts
  /** `cancel`: the upstream stops billing on abort; `drain`: it does not, so its usage report is read even when the caller is gone. */
  onDisconnect: 'cancel' | 'drain'
}

export interface Run {
  readonly attempts: Attempt[]
  /** The model that answers, or was tried last. */
  readonly model: Model
  /** Of the deployment that answers, or was tried last. */
  readonly onDisconnect: 'cancel' | 'drain'
  /** What went wrong on the way, in order. */
  readonly failures: readonly UpstreamError[]
  /** Throws `UpstreamError` when no attempt succeeded or the answer broke after its first part had gone out. */
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
  /** The longest that a call of this model may take, all attempts together, in milliseconds. */
  longestMs(model: Model): number
  /** The models that may answer this turn: the asked one first, then its usable fallbacks. The hold covers the dearest. */
  modelsFor(model: Model, turn: Turn): Model[]
}

export interface InferenceAsk {
  upstreams: ReadonlyMap<string, Upstream>
  models: Pick<Catalogue, 'find'>
  clock: Clock
  metrics: Metrics
  random?: () => number
}

/** Callers are gone when this is disposed; what is still read for them (see `onDisconnect`) gets this long, then it is cut and settled as it stands. */
const lastWordsMs = 1_000

export function openInference({
  upstreams,
  models,
  clock,
  metrics,
  random = Math.random,
}: InferenceAsk): Inference {
  const running = new Map<Promise<void>, AbortController>()
  const breakers = new Map<string, Breaker>()
  const breakerOf = (deployment: string): Breaker => {
    const breaker = breakers.get(deployment) ?? new Breaker(clock)
    breakers.set(deployment, breaker)
    return breaker
  }
  const longestMs = (model: Model): number =>
    Math.max(...model.deployments.map(({ provider }) => upstreams.get(provider)!.timeouts.totalMs))

  return {
    longestMs,
    modelsFor: (model, turn) => modelsFor(models, model, turn),
    start(ask) {
      const journey = new Journey({
        ...ask,
        candidates: candidatesOf(models, ask.model, ask.turn, random),
        upstreams,
        breakerOf,
        clock,
        metrics,
        random,
        deadlineMs: ask.receivedMs + longestMs(ask.model),
      })
      return {
        attempts: journey.attempts,
        failures: journey.failures,
        get model() {
          return journey.current.model
        },
        get onDisconnect() {
          return upstreams.get(journey.current.deployment.provider)!.onDisconnect
        },
        async *parts() {
          const { promise: ended, resolve: end } = Promise.withResolvers<void>()
          running.set(ended, ask.stop)
          try {
            yield* journey.parts()
          } finally {
            running.delete(ended)
            end()
          }
        },
      }
    },
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => {
        for (const stop of running.values()) stop.abort()
      }, lastWordsMs)
      await Promise.all(running.keys())
      clearTimeout(late)
    },
  }
}
