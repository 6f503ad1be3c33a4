/** A configuration whose calls are heard, answered and spoken by three upstreams of the test: `acme/talk`. */

/** Base URLs. */
export interface CallUpstreams {
  texts: string
  voices: string
  ears: string
}

export const callConfig = (
  { texts, voices, ears }: CallUpstreams,
  { providers = '', models = '' } = {},
): string => `providers:
  - { id: words, base_url: "${texts}", api_key: k, dialects: [chat] }
  - { id: voices, base_url: "${voices}", api_key: k, dialects: [speech] }
  - { id: ears, base_url: "${ears}", api_key: k, dialects: [transcriptions] }
${providers}
models:
  - id: words/one
    deployments: [{ provider: words, model: gpt-x }]
    context_length: 16000
    max_output_tokens: 4000
    features: [tools]
    pricing: { input_per_million: 1, output_per_million: 2 }
  - id: voices/one
    kind: audio
    deployments: [{ provider: voices, model: tts-x }]
    audio: { does: [speech], voices: [{ id: nava, name: نوا, languages: [fa] }], formats: [pcm] }
    pricing: { per_million_characters: 15 }
  - id: ears/one
    kind: transcription
    deployments: [{ provider: ears, model: whisper-x }]
    pricing: { per_minute: 0.006 }
  - { id: acme/talk, kind: realtime, text_model: words/one, transcription_model: ears/one, speech_model: voices/one }
${models}
`
