/** Chooses the deployment that answers, with retries and fallbacks (docs/decisions/core/retries.md). */
import type { ImageModel, Model, NamedModel, OrderProviders } from '#core/models'
import type {
  LiveTranscriber,
  PartSink,
  RealtimeProvider,
  TextProvider,
  Timeouts,
  UpstreamError,
} from '#core/spec'
import type { Turn } from '#core/turn'
import type { Attempt } from './attempt.ts'
import type { ModelsOptions } from './candidates.ts'
import type { LinkOpener } from './links.ts'
import type { OrderCandidate, OrderKind, OrderRun } from './order-journey.ts'

export { type Attempt, type PricedAttempt, priceAttempts } from './attempt.ts'
export { type BudgetOutcome, budgetOutcome, supportsBudget } from './budget.ts'
export { availableOutputTokens, deploymentsFor, type ModelsOptions, orderDeployments } from './candidates.ts'
export { continuationTokens } from './delivered.ts'
export { chooseWire } from './links.ts'
export { upstreamSeries } from './metrics.ts'
export { type InferenceOptions, openInference } from './open-inference.ts'
export type { OrderCandidate, OrderKind, OrderRun } from './order-journey.ts'

/** A connected provider: its client, timeouts and behaviour settings. */
export interface Upstream {
  provider: TextProvider
  /** The functions that fill orders, by the kind of the model. */
  orders: Partial<OrderProviders>
  /** Present where the provider's wire takes sound while it is spoken. */
  live?: LiveTranscriber
  /** Present where the provider has models that hear and speak by themselves. */
  realtime?: RealtimeProvider
  timeouts: Timeouts
  /** `cancel`: the upstream stops billing on abort; `drain`: it does not, so its usage report is read even when the caller is gone. */
  onDisconnect: 'cancel' | 'drain'
  /** Maximum number of concurrent drains; beyond it the upstream call is cancelled. */
  maxDrains?: number
  /** True sends the `traceparent` header upstream. */
  passTraceparent?: boolean
  /** Whether the upstream fetches links of all kinds or of none. Default: the wire decides. */
  takesLinks?: boolean
}

/** Receives the answer of a run. */
export interface RunListener extends PartSink {
  /** The platform's own code threw at a part: the answer is over, and no upstream is to blame. */
  failedInternally(error: unknown): void
}

export interface TurnRun {
  readonly attempts: readonly Attempt[]
  /** Failures of the attempts, in order. */
  readonly failures: readonly UpstreamError[]
  /** The model whose output was delivered last; before that, the one tried last. */
  readonly model: Model
  /** The turn as sent to that model: a new object for each attempt that continues an interrupted answer. */
  readonly turn: Turn
  /** Whether the model that is asked now goes without the reasoning that the turn wants (see `TextRun`). */
  readonly skipsReasoning: boolean
  /** Begins the run; call once. The listener's methods may be called before this returns. */
  start(listener: RunListener): void
  /** Call when the receiver is behind: nothing more is read from the upstream until `resume`. */
  pause(): void
  resume(): void
  /** Call when the caller disconnects: the running call is drained or cancelled by its provider's `on_disconnect`, and no other is started. */
  leave(): void
}

/** Payer check, repeated before each further attempt. */
export interface Admission {
  /** Throws a `Failure` when the payer's key no longer permits this model. */
  mayCall?: (model: string) => Promise<void>
}

export interface RunOptions extends ModelsOptions, Admission {
  /** Whether reasoning is delivered to the caller; if not, an answer that fails while reasoning is retried elsewhere. */
  showsReasoning: boolean
  /** True for background work: a call that may have been executed is not repeated on any deployment. */
  background?: boolean | undefined
  receivedMs: number
  requestId: string
  /** The number of attempts of earlier calls of the same request. */
  earlierAttempts?: number
  /** The trace that the call is part of (W3C). */
  traceparent?: string | undefined
}

export interface OrderRunOptions<One extends OrderCandidate, Filled> extends Admission {
  kind: OrderKind<One['order'], Filled>
  /** The requested model first, then its usable fallbacks, each with its order. */
  candidates: readonly One[]
  /** See `RunOptions`. */
  background?: boolean | undefined
  receivedMs: number
  /** When this order begins; it has the full time from then on. Absent: when the request was received. */
  beganMs?: number
  requestId: string
  /** The number of attempts of other orders of the same request, so that every attempt id is unique. */
  earlierAttempts?: number
  traceparent?: string | undefined
}

export interface Inference extends AsyncDisposable {
  start(options: RunOptions): TurnRun
  startOrder<One extends OrderCandidate<NamedModel>, Filled>(
    options: OrderRunOptions<One, Filled>,
  ): OrderRun<One, Filled>
  /** A connected provider, for calls that are not routed: those about jobs that one provider has taken. */
  upstreamOf(provider: string): Upstream | undefined
  /** The longest that a call of this model may take, all attempts together, in milliseconds. */
  maxMs(model: Pick<NamedModel, 'deployments'>): number
  /** The most pictures that one call of this model may request, at any of its deployments. */
  maxPictures(model: Pick<ImageModel, 'deployments' | 'image'>): number
  /** The models that may answer: the requested one first, then its usable fallbacks. The hold covers the most expensive. */
  modelsFor(options: ModelsOptions): Model[]
  /** Who fetches the links of the turn. */
  linkOpener(options: ModelsOptions): LinkOpener
}
