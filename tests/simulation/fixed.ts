/** The configuration of all worlds: a model of text and one of pictures, each on two deployments, at prices of whole micro-credits. */
import { buildCatalogue, type Catalogue } from '#engine/models'
import { type Config, readEnv } from '#platform/config'
import { type Metrics, openMetrics } from '#platform/metrics'
import { loadConfig } from '#settings'
import { makeSeries } from '../../src/metrics.ts'

const configText = `
providers:
  - { id: first, base_url: 'http://first.invalid', api_key: secret, dialects: [chat, images] }
  - { id: second, base_url: 'http://second.invalid', api_key: secret, dialects: [chat, images] }
models:
  - id: test/model
    kind: text
    deployments:
      - { provider: first, model: upstream-model, priority: 0 }
      - { provider: second, model: upstream-model, priority: 1 }
    context_length: 8000
    max_output_tokens: 600
    input_modalities: [text]
    features: [reasoning]
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }
  - id: test/painter
    kind: image
    deployments:
      - { provider: first, model: upstream-painter, priority: 0 }
      - { provider: second, model: upstream-painter, priority: 1 }
    image: { sizes: [64x64] }
    pricing: { per_image: 0.0004 }
defaults: { text_model: test/model, credits_per_usd: 1000, markup: 1.0 }
`

/** What is the same in all worlds. */
export interface Fixed {
  config: Config
  models: Catalogue
  metrics: Metrics
}
export function openFixed(): Fixed {
  const config = loadConfig(readEnv({ OLLAMA_HOST: '' }), configText)
  return {
    config,
    models: buildCatalogue(config, { providers: [], models: [], silent: [] }, []),
    metrics: openMetrics(makeSeries),
  }
}
