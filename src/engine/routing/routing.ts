/** Which deployment answers, and what happens when one does not (decisions §9). */
import type { Part, Turn } from '#engine/inference'
import type { Catalogue, Model } from '#engine/models'
import type { Clock } from '#platform/clock'
import type { Metrics } from '#platform/metrics'
import type { TextProvider, Timeouts, UpstreamError } from '#providers/spec'
import type { Attempt } from './attempt.ts'
import { Breaker } from './breaker.ts'
import { candidatesOf, type ModelsAsk, modelsFor } from './candidates.ts'
import { Drains } from './drains.ts'
import { Journey } from './journey.ts'

export type { Attempt } from './attempt.ts'
export { type ModelsAsk, roomFor, speakersOf } from './candidates.ts'
export { continuationTokens } from './delivered.ts'

/** A provider as it is connected: its room, patience and manners. */
export interface Upstream {
  provider: TextProvider
  timeouts: Timeouts
  /** `cancel`: the upstream stops billing on abort; `drain`: it does not, so its usage report is read even when the caller is gone. */
  onDisconnect: 'cancel' | 'drain'
  /** Answers that are drained at a time; past them the upstream is cancelled. */
  maxDrains?: number
  /** True hands the trace on. */
  passTraceparent?: boolean
}

export interface Run {
  readonly attempts: readonly Attempt[]
  /** What went wrong on the way, in order. */
  readonly failures: readonly UpstreamError[]
  /** The model whose words went out last; before any did, the one that is or was tried last. */
  readonly model: Model
  /** As that model was asked: another object for each attempt to go on where an answer was cut. */
  readonly turn: Turn
  /** Throws `UpstreamError` when no attempt succeeded or the answer broke after its first part had gone out. Read to the end. */
  parts(): AsyncGenerator<Part>
  /** The caller is gone: the running call ends by its provider's `on_disconnect`, and no other is begun. */
  leave(): void
}

export interface RunAsk extends ModelsAsk {
  /** Whether the caller gets to see reasoning; where not, an answer that fails while it reasons is begun elsewhere. */
  showsReasoning: boolean
  receivedMs: number
  requestId: string
  /** The trace that this is part of (W3C). */
  traceparent?: string | undefined
}

export interface Inference extends AsyncDisposable {
  start(ask: RunAsk): Run
  /** The longest that a call of this model may take, all attempts together, in milliseconds. */
  longestMs(model: Model): number
  /** The models that may answer: the asked one first, then its usable fallbacks. The hold covers the dearest. */
  modelsFor(ask: ModelsAsk): Model[]
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
  const running = new Map<Promise<void>, Journey>()
  const breakers = new Map<string, Breaker>()
  const drains = new Drains()
  const breakerOf = (deployment: string): Breaker => {
    // A simulator fails because one caller ordered it to, which must not keep others away.
    if (deployment.startsWith('sandbox/')) return new Breaker(clock)
    const breaker = breakers.get(deployment) ?? new Breaker(clock)
    breakers.set(deployment, breaker)
    return breaker
  }
  metrics.breakers.from(function* () {
    for (const [deployment, breaker] of breakers)
      yield [{ deployment }, breaker.isOpen || breaker.limitedForMs > 0 ? 1 : 0]
  })
  metrics.drains.from(() => drains.counts())
  const enter = (journey: Journey): Disposable => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    running.set(ended, journey)
    return {
      [Symbol.dispose]() {
        running.delete(ended)
        end()
      },
    }
  }
  const longestMs = (model: Model): number =>
    Math.max(...model.deployments.map(({ provider }) => upstreams.get(provider)!.timeouts.totalMs))

  return {
    longestMs,
    modelsFor: (ask) => modelsFor(models, ask),
    start: (ask) =>
      new Journey({
        ...ask,
        candidates: candidatesOf(models, ask, random),
        upstreams,
        breakerOf,
        drains,
        enter,
        clock,
        metrics,
        random,
        deadlineMs: ask.receivedMs + longestMs(ask.model),
      }),
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => {
        for (const journey of running.values()) journey.stop()
      }, lastWordsMs)
      await Promise.all(running.keys())
      clearTimeout(late)
    },
  }
}
