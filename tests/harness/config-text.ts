/** Long timeouts: a call that a test holds open while it starts another process must not time out, however slow the machine is. */
export const patient =
  '    timeouts: { first_byte_ms: 300000, first_token_ms: 300000, idle_ms: 300000, total_ms: 600000 }'

/** A configuration with one chat provider at `url` and the model `test/model` on it. Prices in USD per million. */
export function upstreamConfig(
  url: string,
  more: { provider?: string; model?: string; rest?: string } = {},
): string {
  return `
providers:
  - id: fake
    base_url: ${url}
    api_key: upstream-secret
    dialects: [chat]
${more.provider ?? patient}
models:
  - id: test/model
    kind: text
    deployments:
      - { provider: fake, model: upstream-model }
    context_length: 128000
    max_output_tokens: 16384
    input_modalities: [text, image, audio, video]
    features: [tools, json_schema, reasoning]
    reasoning: { supported_efforts: [low, medium, high] }
    pricing: { input_per_million: 1.0, output_per_million: 2.0, cached_input_per_million: 0.1 }
${more.model ?? ''}
${more.rest ?? ''}
defaults: { text_model: test/model, credits_per_usd: 1000, markup: 1.0 }
`
}
