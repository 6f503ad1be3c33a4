/** Metrics, trace spans and log fields of a paid turn: names, figures and times, never prompt or answer text. */
import { type Model, textModels } from '#core/models'
import { type PaidTelemetry, providerName } from '#core/paid'
import type { Attempt } from '#core/routing'
import type { Turn, Usage } from '#core/turn'
import type { Attributes } from '#platform/trace'
import type { TurnApp } from './app.ts'

/** Result of a turn before its settlement. */
export interface TurnEnd {
  attempts: readonly Attempt[]
  usage: Usage
  finishReason: string | undefined
}

export class TurnTelemetry {
  readonly #app: Pick<TurnApp, 'metrics'>
  readonly #model: Model
  readonly #paid: PaidTelemetry
  #askedMs = 0
  #firstTokenMs: number | undefined

  constructor(app: Pick<TurnApp, 'metrics'>, model: Model, paid: PaidTelemetry) {
    this.#app = app
    this.#model = model
    this.#paid = paid
  }

  /** Starts the span of one upstream call. Returns the `traceparent` to send upstream. */
  beginCall(turn: Turn): string | undefined {
    this.#askedMs = performance.now()
    return this.#paid.beginCall(textModels.operation, requestAttributes(this.#model, turn))
  }

  /** Called when a token of a streamed answer is delivered. */
  token(): void {
    if (this.#firstTokenMs !== undefined) return
    this.#firstTokenMs = performance.now()
    this.#app.metrics.stages.first_token.observeSince(this.#askedMs)
  }

  /** Ends the answer. Returns the attributes of its span. */
  endCall({ attempts, usage, finishReason }: TurnEnd): Attributes {
    if (this.#firstTokenMs !== undefined) this.#app.metrics.stages.stream.observeSince(this.#firstTokenMs)
    return {
      'gen_ai.response.id': attempts.at(-1)?.upstream_id,
      'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
      'gen_ai.response.time_to_first_chunk':
        this.#firstTokenMs === undefined ? undefined : (this.#firstTokenMs - this.#askedMs) / 1000,
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedInput,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteInput,
      'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
    }
  }
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ (stop sequences are omitted: they are caller content). */
const requestAttributes = (model: Model, turn: Turn): Attributes => ({
  'gen_ai.provider.name': providerName(model.deployments[0]?.provider ?? ''),
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
