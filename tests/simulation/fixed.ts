/** The configuration of all worlds: a model of text, one of pictures and one of videos, each on two deployments, at prices of whole micro-credits. */
import { buildCatalogue, type Catalogue } from '#core/models'
import { type Config, readEnv } from '#platform/config'
import { type Metrics, openMetrics } from '#platform/metrics'
import { loadConfig } from '#settings'
import { makeSeries } from '../../src/metrics.ts'

const configText = `
providers:
  - { id: first, base_url: 'http://first.invalid', api_key: secret, dialects: [chat, images] }
  - { id: second, base_url: 'http://second.invalid', api_key: secret, dialects: [chat, images] }
  - { id: studio, base_url: 'http://studio.invalid', api_key: secret, dialects: [openrouter] }
  - { id: theatre, base_url: 'http://theatre.invalid', api_key: secret, dialects: [openrouter] }
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
  - id: test/film
    kind: video
    deployments:
      - { provider: studio, model: upstream-film, priority: 0 }
      - { provider: theatre, model: upstream-film, priority: 1 }
    video: { combinations: [{ resolution: 720p, durations: [4], aspect_ratios: ["16:9"], audio: always }] }
    pricing: { per_second: 0.0001 }
defaults: { text_model: test/model, credits_per_usd: 1000, markup: 1.0 }
`

/** What is the same in all worlds. */
export interface Fixed {
  config: Config
  models: Catalogue
  metrics: Metrics
}
export function openFixed(): Fixed {
  const read = loadConfig(readEnv({ OLLAMA_HOST: '', KHERAD_BASE_URL: 'https://kherad.invalid' }), configText)
  // The poller of videos looks once a second, so that three quarters of an hour are no more steps than a world of minutes.
  const config = { ...read, timing: { ...read.timing, dueTickMs: 1_000 } }
  return {
    config,
    models: buildCatalogue(config, { providers: [], models: [], silent: [] }, []),
    metrics: openMetrics(makeSeries),
  }
}
