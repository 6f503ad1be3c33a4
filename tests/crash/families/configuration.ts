/** One model of each kind for the families, each at an upstream that the test scripts, with prices that the test counts by itself. */
import { patient } from '../../harness/config-text.ts'

/**
 * At 1,000 credits a dollar, in micro-credits: 1,000 and 2,000 a token, 500 a token of vectors, 40,000,000 a picture, 15,000 a character of
 * speech, 1,000,000 a second of a recording, 100,000,000 a second of a video. Of a batch one row is asked at a time.
 */
export const configuration = (upstream: string, films: string): string => `
providers:
  - id: fake
    base_url: ${upstream}
    dialects: [chat]
${patient}
  - id: media
    base_url: ${upstream}
    dialects: [images, speech, transcriptions]
${patient}
  - { id: films, base_url: ${films}, api_key: upstream-secret, dialects: [openrouter] }
models:
  - id: test/model
    kind: text
    deployments: [{ provider: fake, model: upstream-model }]
    context_length: 128000
    max_output_tokens: 16384
    features: [tools, json_schema]
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }
  - id: test/near
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    pricing: { input_per_million: 0.5 }
  - id: test/painter
    kind: image
    deployments: [{ provider: media, model: painter-1 }]
    image: { sizes: [64x64] }
    pricing: { per_image: 0.04 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: media, model: voice-1 }]
    audio: { voices: [{ id: alloy }], formats: [wav] }
    pricing: { per_million_characters: 15 }
  - id: test/scribe
    kind: transcription
    deployments: [{ provider: media, model: scribe-1 }]
    transcription: { max_seconds: 10 }
    pricing: { per_minute: 0.06 }
  - id: test/film
    kind: video
    deployments: [{ provider: films, model: google/veo-3.1 }]
    video: { combinations: [{ resolution: 720p, durations: [4], aspect_ratios: ["16:9"], audio: optional }] }
    pricing: { per_second: 0.1 }
  - { id: test/talk, kind: realtime, text_model: test/model, transcription_model: test/scribe, speech_model: test/voice }
batches: { rows_per_account: 1 }
net: { allow_cidrs: [127.0.0.0/8, "::1/128"] }
defaults: { text_model: test/model, embedding_model: test/near, credits_per_usd: 1000, markup: 1.0 }
`

/** What a call of `test/model` costs by these prices. */
export const costOf = (usage: { prompt_tokens: number; completion_tokens: number }): bigint =>
  BigInt(usage.prompt_tokens) * 1_000n + BigInt(usage.completion_tokens) * 2_000n
