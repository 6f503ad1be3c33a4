/** A server whose media models stand on one fake upstream, for clients that ask for pictures, speech and vectors. */
import { encodeWhole } from '#core/sound'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import {
  type FakeUpstream,
  fakeUpstream,
  type Script,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { drawn } from '../media/images-world.ts'
import { meant } from '../work/vectors-world.ts'

const config = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [chat, images, speech] }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image: { sizes: [128x128, 192x128], qualities: [low, medium], formats: [png, webp], max_references: 2, seed: true }
    pricing: { per_image: 0.04 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio:
      voices: [{ id: alloy }, { id: nova }]
      formats: [mp3]
      instructions: true
      speed: [0.5, 2]
    pricing: { per_million_characters: 15 }
  - id: test/near
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2
    pricing: { input_per_million: 0.5 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

export interface MediaClientsWorld extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
  /** One second of MP3, which the upstream answers for every text. */
  sound: Buffer
  /** How the upstream answers of itself. */
  answers: (call: UpstreamCall) => Script | Promise<Script>
}

export async function forMediaClients(): Promise<MediaClientsWorld> {
  await using stack = new AsyncDisposableStack()
  const sound = await oneSecond()
  const upstream = stack.use(await fakeUpstream())
  const answers = (call: UpstreamCall) => answerOf(call, sound)
  upstream.reply(answers)
  const world = stack.use(await sharedWorld({ credits: 10_000, config: config(upstream.url) }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, sound, answers, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function answerOf(call: UpstreamCall, sound: Buffer): Script | Promise<Script> {
  if (call.path === '/v1/embeddings') return meant(call)
  if (call.path.startsWith('/v1/images/')) return drawn(call)
  return stream([sound.subarray(0, 500), sound.subarray(500)], { 'content-type': 'audio/mpeg' })
}

async function oneSecond(): Promise<Buffer> {
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  const { bytes } = await encodeWhole([{ rate: 24_000, samples }], { format: 'mp3', maxBytes: 1e6 })
  return Buffer.from(bytes)
}
