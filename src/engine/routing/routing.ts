/** Which deployment answers, and what happens when one does not (decisions §9). */
import type { Catalogue, Model, NamedModel, OrderProviders } from '#engine/models'
import type { Part, Turn } from '#engine/turn'
import type { Clock } from '#platform/clock'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { TextProvider, Timeouts, UpstreamError } from '#providers/spec'
import type { Attempt } from './attempt.ts'
import { Breaker } from './breaker.ts'
import { candidatesOf, deploymentsFor, inOrder, type ModelsOptions, modelsFor } from './candidates.ts'
import { Drains } from './drains.ts'
import { Journey } from './journey.ts'
import { type LinkOpener, linkOpener } from './links.ts'
import { OperatorWarnings } from './operator-warnings.ts'
import { type OrderCandidate, OrderJourney, type OrderKind, type OrderRun } from './order-journey.ts'

export { type Attempt, type PricedAttempt, priced } from './attempt.ts'
export { type BudgetOutcome, budgetOutcome, supportsBudget } from './budget.ts'
export { deploymentsFor, type ModelsOptions, roomFor } from './candidates.ts'
export { continuationTokens } from './delivered.ts'
export { wireOf } from './links.ts'
export { upstreamSeries } from './metrics.ts'
export type { OrderCandidate, OrderKind, OrderRun } from './order-journey.ts'

/** A provider as it is connected: its room, patience and manners. */
export interface Upstream {
  provider: TextProvider
  /** By the kinds of models whose orders it fills. */
  orders: Partial<OrderProviders>
  timeouts: Timeouts
  /** `cancel`: the upstream stops billing on abort; `drain`: it does not, so its usage report is read even when the caller is gone. */
  onDisconnect: 'cancel' | 'drain'
  /** Answers that are drained at a time; past them the upstream is cancelled. */
  maxDrains?: number
  /** True hands the trace on. */
  passTraceparent?: boolean
  /** Links of every kind, or of none, whatever wire it speaks. */
  takesLinks?: boolean
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

/** Who pays, asked again before each further attempt. */
export interface Admission {
  /** Throws the `Failure` that says why this model may not be paid for any more. */
  mayAsk?: (model: string) => Promise<void>
}

export interface RunOptions extends ModelsOptions, Admission {
  /** Whether the caller gets to see reasoning; where not, an answer that fails while it reasons is begun elsewhere. */
  showsReasoning: boolean
  /** True for work that nobody waits for: what may have been executed is not asked again, there or elsewhere. */
  background?: boolean | undefined
  receivedMs: number
  requestId: string
  /** Attempts of earlier calls of the same request. */
  earlierAttempts?: number
  /** The trace that this is part of (W3C). */
  traceparent?: string | undefined
}

export interface OrderRunOptions<One extends OrderCandidate, Filled> extends Admission {
  kind: OrderKind<One['order'], Filled>
  /** The asked model first, then its usable fallbacks, each with what it is asked for. */
  candidates: readonly One[]
  /** As of `RunOptions`. */
  background?: boolean | undefined
  receivedMs: number
  requestId: string
  traceparent?: string | undefined
}

export interface Inference extends AsyncDisposable {
  start(options: RunOptions): Run
  startOrder<One extends OrderCandidate<NamedModel>, Filled>(
    options: OrderRunOptions<One, Filled>,
  ): OrderRun<One, Filled>
  /** The longest that a call of this model may take, all attempts together, in milliseconds. */
  longestMs(model: Pick<NamedModel, 'deployments'>): number
  /** The models that may answer: the asked one first, then its usable fallbacks. The hold covers the dearest. */
  modelsFor(options: ModelsOptions): Model[]
  /** Who opens the links of the turn. */
  linkOpener(options: ModelsOptions): LinkOpener
}

export interface InferenceOptions {
  upstreams: ReadonlyMap<string, Upstream>
  models: Pick<Catalogue, 'find'>
  clock: Clock
  metrics: Metrics
  log?: Pick<Log, 'warn'>
  random?: () => number
}

/** Callers are gone when this is disposed; what is still read for them (see `onDisconnect`) gets this long, then it is cut and settled as it stands. */
const lastWordsMs = 1_000

export function openInference({
  upstreams,
  models,
  clock,
  metrics,
  log,
  random = Math.random,
}: InferenceOptions): Inference {
  const running = new Map<Promise<void>, { stop(): void }>()
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
  const enter = (journey: { stop(): void }): Disposable => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    running.set(ended, journey)
    return {
      [Symbol.dispose]() {
        running.delete(ended)
        end()
      },
    }
  }
  const longestMs = (model: Pick<NamedModel, 'deployments'>): number =>
    Math.max(...model.deployments.map(({ provider }) => upstreams.get(provider)!.timeouts.totalMs))
  const warnings = new OperatorWarnings(log, clock)
  const terms = { upstreams, breakerOf, drains, warnings, enter, clock, metrics, random }

  return {
    longestMs,
    modelsFor: (ask) => modelsFor(models, ask),
    linkOpener: (ask) => {
      const speakers = modelsFor(models, ask).flatMap((model) =>
        deploymentsFor(model, ask.turn).map(({ provider: id }) => {
          const { provider, takesLinks } = upstreams.get(id)!
          return { provider, takesLinks: model.takesLinks ?? takesLinks }
        }),
      )
      return linkOpener(speakers, ask.turn)
    },
    start: (ask) =>
      new Journey({
        ...ask,
        ...terms,
        candidates: candidatesOf(models, ask, random),
        deadlineMs: ask.receivedMs + longestMs(ask.model),
      }),
    startOrder: ({ candidates, background = false, ...ask }) =>
      new OrderJourney({
        ...ask,
        ...terms,
        isBackground: background,
        candidates: candidates.flatMap((candidate) =>
          inOrder(candidate.model.deployments, random).map((deployment) => ({
            candidate,
            model: candidate.model,
            deployment,
          })),
        ),
        deadlineMs: ask.receivedMs + longestMs(candidates[0]!.model),
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
