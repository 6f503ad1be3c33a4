/** Metrics, trace spans and log fields of a paid call: names, figures and times, never content. */
import type { Attempt } from '#core/routing'
import { Failure } from '#platform/errors'
import type { SettlementResult } from '#platform/ledger'
import type { Attributes, Span, TraceContext } from '#platform/trace'
import type { PaidApp } from './app.ts'
import type { PaidCall } from './paid.ts'

export class PaidTelemetry {
  readonly #app: Pick<PaidApp, 'metrics'>
  readonly #model: { id: string }
  readonly #receivedMs: number
  readonly #trace: TraceContext | undefined
  #asked: Span | undefined

  constructor(
    app: Pick<PaidApp, 'metrics'>,
    call: Pick<PaidCall, 'receivedMs' | 'trace'> & { model: { id: string } },
  ) {
    this.#app = app
    this.#model = call.model
    this.#receivedMs = call.receivedMs
    this.#trace = call.trace
  }

  /** Starts the span of an upstream call. Returns the `traceparent` to send upstream. */
  beginCall(operation: string, attributes: Attributes): string | undefined {
    this.#asked?.end()
    this.#asked = this.#trace?.span?.child(`${operation} ${this.#model.id}`, {
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': this.#model.id,
        ...attributes,
      },
    })
    return this.#asked?.traceparent
  }

  async hold<Held>(take: () => Promise<Held>): Promise<Held> {
    const startedMs = performance.now()
    const span = this.#trace?.span?.child('hold', { kind: 'internal' })
    let error: string | undefined
    try {
      const held = await take()
      this.#trace?.begin()
      return held
    } catch (thrown) {
      error = thrown instanceof Failure ? thrown.code : 'not_held'
      this.#trace?.note({ model: this.#model.id })
      throw thrown
    } finally {
      this.#app.metrics.stages.hold.observeSince(startedMs)
      span?.end({ error })
    }
  }

  /** Ends the span of the upstream call. `trouble`: the error code when there is no complete answer. */
  endCall(attempts: readonly Attempt[], attributes: Attributes, trouble: string | undefined): void {
    const asked = this.#asked
    if (!asked) return
    this.#asked = undefined
    // Attempts carry their own times.
    for (const attempt of attempts) this.#recordAttempt(asked, attempt)
    const last = attempts.at(-1)
    if (last)
      asked.set({
        'gen_ai.provider.name': providerName(last.provider),
        'gen_ai.response.model': upstreamModelName(last),
      })
    asked.set(attributes)
    asked.end({ error: trouble })
  }

  /** Settles in a span of its own; `figures` go to the log line of the request. */
  async settle(
    end: { model: { id: string }; attempts: readonly Attempt[]; figures: Record<string, number> },
    settle: () => Promise<SettlementResult>,
  ): Promise<SettlementResult> {
    const startedMs = performance.now()
    const span = this.#trace?.span?.child('settle', { kind: 'internal' })
    const settled = await settle()
    this.#app.metrics.stages.settle.observeSince(startedMs)
    const charged = String(settled.chargedMicrocredits)
    span?.set({ 'kherad.charged_microcredits': charged })
    span?.end()
    this.#trace?.settled({
      model: end.model.id,
      deployment: end.attempts.at(-1)?.deployment,
      attempts: end.attempts.length,
      ...end.figures,
      charged_microcredits: charged,
    })
    return settled
  }

  #recordAttempt(asked: Span, attempt: Attempt): void {
    const at = (ms: number): number => this.#receivedMs + ms
    const { started_ms: startedMs, ended_ms: endedMs = startedMs, outcome } = attempt
    asked
      .child(`attempt ${attempt.deployment}`, {
        kind: 'client',
        startMs: at(startedMs),
        attributes: {
          'gen_ai.provider.name': providerName(attempt.provider),
          'gen_ai.request.model': upstreamModelName(attempt),
          'gen_ai.response.id': attempt.upstream_id,
          'http.response.status_code': attempt.status,
          'kherad.deployment': attempt.deployment,
          'kherad.outcome': outcome,
        },
      })
      .end({ atMs: at(endedMs), error: outcome === 'answered' ? undefined : outcome })
  }
}

/** The upstream's own name of the model: a deployment's id is `<provider>/<model>`. */
const upstreamModelName = ({ deployment, provider }: Attempt): string => deployment.slice(provider.length + 1)

/** OpenTelemetry's provider names for vendors whose id differs. */
const wellKnown: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai' }
export const providerName = (id: string): string => wellKnown[id] ?? id
