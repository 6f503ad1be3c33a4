/** What all journeys of one process share: breakers, drains, and a common end. */
import type { Catalogue, ImageModel, Model, NamedModel } from '#core/models'
import type { Clock } from '#platform/clock'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { Breaker } from './breaker.ts'
import {
  candidatesOf,
  deploymentsFor,
  type ModelsOptions,
  modelsFor,
  orderDeployments,
} from './candidates.ts'
import { Drains } from './drains.ts'
import { Journey } from './journey.ts'
import { type LinkOpener, linkOpener } from './links.ts'
import { OperatorWarnings } from './operator-warnings.ts'
import { type OrderCandidate, OrderJourney, type OrderRun } from './order-journey.ts'
import type { Inference, OrderRunOptions, RunOptions, TurnRun, Upstream } from './routing.ts'
import { RunningJourneys } from './under-way.ts'

export interface InferenceOptions {
  upstreams: ReadonlyMap<string, Upstream>
  models: Pick<Catalogue, 'find'>
  clock: Clock
  metrics: Metrics
  log?: Pick<Log, 'warn'>
  random?: () => number
}

export const openInference = (options: InferenceOptions): Inference => new RoutedInference(options)

/** At disposal all callers are gone; drains still running get this long, then they are stopped and settled as they are. */
const drainGraceMs = 1_000

class RoutedInference implements Inference {
  readonly #upstreams: ReadonlyMap<string, Upstream>
  readonly #models: Pick<Catalogue, 'find'>
  readonly #clock: Clock
  readonly #random: () => number
  /** The options that all journeys share. */
  readonly #shared
  readonly #breakers = new Map<string, Breaker>()
  readonly #underWay = new RunningJourneys()

  constructor({ upstreams, models, clock, metrics, log, random = Math.random }: InferenceOptions) {
    this.#upstreams = upstreams
    this.#models = models
    this.#clock = clock
    this.#random = random
    this.#shared = {
      upstreams,
      clock,
      metrics,
      random,
      drains: new Drains(),
      warnings: new OperatorWarnings(log, clock),
      breakerOf: (deployment: string) => this.#breakerOf(deployment),
      underWay: this.#underWay,
    }
    metrics.breakers.setSource(() => this.#breakerStates())
    metrics.drains.setSource(() => this.#shared.drains.counts())
  }

  start(options: RunOptions): TurnRun {
    return new Journey({
      ...options,
      ...this.#shared,
      candidates: candidatesOf(this.#models, options, this.#random),
      deadlineMs: options.receivedMs + this.maxMs(options.model),
    })
  }

  startOrder<One extends OrderCandidate<NamedModel>, Filled>({
    candidates,
    background = false,
    beganMs,
    ...options
  }: OrderRunOptions<One, Filled>): OrderRun<One, Filled> {
    return new OrderJourney({
      ...options,
      ...this.#shared,
      isBackground: background,
      candidates: candidates.flatMap((candidate) =>
        orderDeployments(candidate.model.deployments, this.#random).map((deployment) => ({
          candidate,
          model: candidate.model,
          deployment,
        })),
      ),
      deadlineMs: (beganMs ?? options.receivedMs) + this.maxMs(candidates[0]!.model),
    })
  }

  upstreamOf(provider: string): Upstream | undefined {
    return this.#upstreams.get(provider)
  }

  maxMs({ deployments }: Pick<NamedModel, 'deployments'>): number {
    return Math.max(...deployments.map(({ provider }) => this.#upstreams.get(provider)!.timeouts.totalMs))
  }

  maxPictures({ deployments, image }: Pick<ImageModel, 'deployments' | 'image'>): number {
    const ofWires = deployments.flatMap(
      ({ provider }) => this.#upstreams.get(provider)!.orders.image?.maxCount ?? [],
    )
    return Math.min(image.maxCount, ...ofWires)
  }

  modelsFor(options: ModelsOptions): Model[] {
    return modelsFor(this.#models, options)
  }

  linkOpener(options: ModelsOptions): LinkOpener {
    const speakers = this.modelsFor(options).flatMap((model) =>
      deploymentsFor(model, options.turn).map(({ provider: id }) => {
        const { provider, takesLinks } = this.#upstreams.get(id)!
        return { provider, takesLinks: model.takesLinks ?? takesLinks }
      }),
    )
    return linkOpener(speakers, options.turn)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const late = setTimeout(() => this.#underWay.stop(), drainGraceMs)
    await this.#underWay.whenIdle()
    clearTimeout(late)
  }

  #breakerOf(deployment: string): Breaker {
    // The simulator fails at one caller's request, which must not open a breaker for others.
    if (deployment.startsWith('sandbox/')) return new Breaker(this.#clock)
    const breaker = this.#breakers.get(deployment) ?? new Breaker(this.#clock)
    this.#breakers.set(deployment, breaker)
    return breaker
  }

  *#breakerStates(): Generator<readonly [{ deployment: string }, number]> {
    for (const [deployment, breaker] of this.#breakers)
      yield [{ deployment }, breaker.isOpen || breaker.limitedForMs > 0 ? 1 : 0]
  }
}
