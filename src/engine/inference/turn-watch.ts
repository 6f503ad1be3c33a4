/** What metrics, trace and log are told of a paid turn: names, figures and times, never prompt or answer text. */
import type { App } from '#app'
import type { Model } from '#engine/models'
import type { Attempt } from '#engine/routing'
import { Failure } from '#platform/errors'
import type { Settled } from '#platform/ledger'
import type { Attributes, Span, Trail } from '#platform/trace'
import type { Turn, Usage } from './inference.ts'

/** How a turn came out, before its settlement. */
export interface TurnEnd {
  /** The model that answered, or was tried last. */
  model: Model
  attempts: readonly Attempt[]
  usage: Usage
  finishReason: string | undefined
  /** Why there is no whole answer: a fault of the upstream or a code of ours. */
  trouble: string | undefined
}

export class TurnWatch {
  readonly #app: App
  readonly #model: Model
  readonly #receivedMs: number
  readonly #trail: Trail | undefined
  #chat: Span | undefined
  #askedMs = 0
  #firstTokenMs: number | undefined

  constructor(app: App, ask: { model: Model; receivedMs: number; trail?: Trail | undefined }) {
    this.#app = app
    this.#model = ask.model
    this.#receivedMs = ask.receivedMs
    this.#trail = ask.trail
  }

  async hold<Held>(take: () => Promise<Held>): Promise<Held> {
    const startedMs = performance.now()
    const span = this.#trail?.span?.child('hold', { kind: 'internal' })
    let error: string | undefined
    try {
      const held = await take()
      this.#trail?.begin()
      return held
    } catch (thrown) {
      error = thrown instanceof Failure ? thrown.code : 'not_held'
      this.#trail?.note({ model: this.#model.id })
      throw thrown
    } finally {
      this.#app.metrics.stages.hold.since(startedMs)
      span?.end({ error })
    }
  }

  /** The upstream is asked from now on; answers the trace to hand on. */
  asks(turn: Turn): string | undefined {
    this.#askedMs = performance.now()
    this.#chat = this.#trail?.span?.child(`chat ${this.#model.id}`, {
      kind: 'client',
      attributes: requestAttributes(this.#model, turn),
    })
    return this.#chat?.traceparent
  }

  /** A token of a streamed answer is going out. */
  token(): void {
    if (this.#firstTokenMs !== undefined) return
    this.#firstTokenMs = performance.now()
    this.#app.metrics.stages.first_token.since(this.#askedMs)
  }

  async settle(end: TurnEnd, settle: () => Promise<Settled>): Promise<Settled> {
    const { stages } = this.#app.metrics
    const startedMs = performance.now()
    if (this.#firstTokenMs !== undefined) stages.stream.since(this.#firstTokenMs)
    this.#tellAnswer(end)
    const span = this.#trail?.span?.child('settle', { kind: 'internal' })
    const settled = await settle()
    stages.settle.since(startedMs)
    const charged = String(settled.chargedMicrocredits)
    span?.set({ 'kherad.charged_microcredits': charged })
    span?.end()
    this.#trail?.settled({
      model: end.model.id,
      deployment: end.attempts.at(-1)?.deployment,
      attempts: end.attempts.length,
      input_tokens: end.usage.input,
      output_tokens: end.usage.output,
      charged_microcredits: charged,
    })
    return settled
  }

  #tellAnswer({ attempts, usage, finishReason, trouble }: TurnEnd): void {
    const chat = this.#chat
    if (!chat) return
    for (const attempt of attempts) this.#tellAttempt(chat, attempt)
    const last = attempts.at(-1)
    chat.set({
      ...(last && {
        'gen_ai.provider.name': providerName(last.provider),
        'gen_ai.response.model': named(last),
      }),
      'gen_ai.response.id': last?.upstream_id,
      'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
      'gen_ai.response.time_to_first_chunk':
        this.#firstTokenMs === undefined ? undefined : (this.#firstTokenMs - this.#askedMs) / 1000,
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedInput,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteInput,
      'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
    })
    chat.end({ error: trouble })
  }

  /** Told when all is over: attempts carry their own times. */
  #tellAttempt(chat: Span, attempt: Attempt): void {
    const at = (ms: number): number => this.#receivedMs + ms
    const { started_ms: startedMs, ended_ms: endedMs = startedMs, outcome } = attempt
    chat
      .child(`attempt ${attempt.deployment}`, {
        kind: 'client',
        startMs: at(startedMs),
        attributes: {
          'gen_ai.provider.name': providerName(attempt.provider),
          'gen_ai.request.model': named(attempt),
          'gen_ai.response.id': attempt.upstream_id,
          'http.response.status_code': attempt.status,
          'kherad.deployment': attempt.deployment,
          'kherad.outcome': outcome,
        },
      })
      .end({ atMs: at(endedMs), error: outcome === 'answered' ? undefined : outcome })
  }
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ (stop sequences are left out: they are the caller's words). */
const requestAttributes = (model: Model, turn: Turn): Attributes => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': providerName(model.deployments[0]?.provider ?? ''),
  'gen_ai.request.model': model.id,
  'gen_ai.request.stream': turn.stream,
  'gen_ai.request.max_tokens': turn.maxOutputTokens,
  'gen_ai.request.temperature': turn.temperature,
  'gen_ai.request.top_p': turn.topP,
  'gen_ai.request.top_k': turn.topK,
  'gen_ai.request.seed': turn.seed,
  'gen_ai.request.frequency_penalty': turn.frequencyPenalty,
  'gen_ai.request.presence_penalty': turn.presencePenalty,
  'gen_ai.output.type': turn.output.type === 'text' ? 'text' : 'json',
})

/** The upstream's own name of the model: a deployment's id is `<provider>/<model>`. */
const named = ({ deployment, provider }: Attempt): string => deployment.slice(provider.length + 1)

/** The conventions' names for vendors whose usual id is another. */
const wellKnown: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai' }
const providerName = (id: string): string => wellKnown[id] ?? id
