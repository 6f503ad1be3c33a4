/** A server with transcription models on a fake upstream, and recordings to send. */
import { encodeWhole } from '#core/sound'
import type { Client, Seen } from '../harness/client.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { type TranscriptionUpstream, transcriptionUpstream } from '../harness/transcription-upstream.ts'
import { boot, type World, type WorldOptions } from '../harness/world.ts'

export const path = '/v1/audio/transcriptions'

const configOf = (url: string, more: string) => `
providers:
  - { id: ears, base_url: ${url}, api_key: upstream-secret, dialects: [transcriptions] }
models:
  - id: test/words
    kind: transcription
    deployments: [{ provider: ears, model: words-1 }]
    transcription: { timestamps: word, prompt: true, keywords: true, max_seconds: 600 }
    pricing: { per_minute: 0.06 }
  - id: test/segments
    kind: transcription
    deployments: [{ provider: ears, model: segments-1 }]
    transcription: { timestamps: segment, stream: true }
    pricing: { per_minute: 0.06 }
  - id: test/plain
    kind: transcription
    deployments: [{ provider: ears, model: plain-1 }]
    pricing: { input_per_million: 2, output_per_million: 10 }
  - id: test/voices
    kind: transcription
    deployments: [{ provider: ears, model: voices-1 }]
    transcription: { timestamps: segment, diarize: true }
    pricing: { per_minute: 0.06 }
  - id: test/aac
    kind: transcription
    deployments: [{ provider: ears, model: aac-1 }]
    transcription: { formats: [wav, m4a, aac] }
    pricing: { per_minute: 0.06 }
  - id: test/translator
    kind: transcription
    deployments: [{ provider: ears, model: translator-1 }]
    transcription: { timestamps: segment, prompt: true, translate: true }
    pricing: { per_minute: 0.06 }
  - id: test/translator-of-pieces
    kind: transcription
    deployments: [{ provider: ears, model: translator-1 }]
    transcription: { timestamps: segment, translate: true, max_seconds: 10 }
    pricing: { per_minute: 0.06 }
  - id: test/whisper
    kind: transcription
    deployments: [{ provider: ears, model: whisper-1 }]
    transcription: { timestamps: word, max_seconds: 10 }
    pricing: { per_minute: 0.06, minimum_seconds: 3 }
  - id: test/whisper-all
    kind: transcription
    deployments: [{ provider: ears, model: whisper-1 }]
    transcription: { vad: false }
    pricing: { per_minute: 0.06 }
  - id: test/text
    kind: text
    deployments: [{ provider: ears, model: text-1 }]
    context_length: 8000
    max_output_tokens: 1000
    pricing: { input_per_million: 1, output_per_million: 1 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
${more}
`

export interface TranscriptionsWorld extends AsyncDisposable {
  upstream: TranscriptionUpstream
  world: World
  key: Client
}

export const bootOnEars = (options: WorldOptions = {}) => openOnEars(boot, options)

/** The same on the shared server. */
export const shareOnEars = (options: Omit<SharedWorldOptions, 'config'> = {}) =>
  openOnEars(sharedWorld, options)

async function openOnEars(start: OpenWorld, options: WorldOptions): Promise<TranscriptionsWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await transcriptionUpstream())
  const { config = '', ...rest } = options
  const text = configOf(upstream.url, config).replace(
    'dialects: [transcriptions]',
    'dialects: [transcriptions, chat]',
  )
  const world = stack.use(await start({ credits: 100_000, ...rest, config: text }))
  const key = await world.key()
  const kept = stack.move()
  return { upstream, world, key, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** So many seconds of a quiet tone in one channel at 16 kHz. */
export async function wavOf(seconds: number): Promise<Buffer> {
  const samples = Float32Array.from(
    { length: Math.round(seconds * 16_000) },
    (_, at) => 0.2 * Math.sin(at / 9),
  )
  const { bytes } = await encodeWhole([{ rate: 16_000, samples }], { format: 'wav', maxBytes: 1e9 })
  return Buffer.from(bytes)
}

/** The contract's body. */
export const bodyOf = (bytes: Uint8Array, more: Record<string, unknown> = {}) => ({
  audioBase64: Buffer.from(bytes).toString('base64'),
  mediaType: 'audio/wav',
  ...more,
})

/** The form of OpenAI's clients; a list is a field for each member. */
export function sendForm(
  key: Client,
  file: { bytes: Uint8Array; name?: string; type?: string } | undefined,
  fields: Record<string, string | string[]> = {},
  headers: Record<string, string> = {},
): Promise<Seen> {
  const boundary = '----kherad-transcriptions'
  const part = (name: string, head: string, value: Uint8Array | string) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => part(name, '', one)),
  )
  const { name = 'recording.wav', type = 'audio/wav' } = file ?? {}
  const sent = file ? part('file', `; filename="${name}"\r\nContent-Type: ${type}`, file.bytes) : []
  const body = Buffer.concat([...parts, ...sent, Buffer.from(`--${boundary}--\r\n`)])
  return key.request('POST', path, body, {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    ...headers,
  })
}
