/** Pictures, sound and vectors from a vendor's key alone: what is listed can be asked for, at a price, in the vendor's own wire. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AudioModel,
  audioModels,
  buildCatalogue,
  type Catalogue,
  type Discovery,
  discover,
  type ImageModel,
  imageModels,
  type VideoModel,
  videoModels,
} from '#core/models'
import type { Upstream } from '#core/routing'
import type { SoundFormat } from '#core/turn'
import { planSpeech, type SpeechSpec } from '#media/speech'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { openOutbound } from '#platform/proxy'
import { sandboxModels } from '#sandbox'
import { loadConfig } from '#settings'
import { connect } from '../../src/connect.ts'
import {
  done,
  type FakeUpstream,
  fakeUpstream,
  json,
  type Script,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { patient } from './asking.ts'

const variables = {
  OPENAI_API_KEY: 'key-of-openai',
  OPENROUTER_API_KEY: 'key-of-openrouter',
  GEMINI_API_KEY: 'key-of-gemini',
  ELEVENLABS_API_KEY: 'key-of-elevenlabs',
  FAL_KEY: 'key-of-fal',
  GROQ_API_KEY: 'key-of-groq',
  DEEPGRAM_API_KEY: 'key-of-deepgram',
}
/** Every model that a key lists, with the place and the header by which its first order leaves. */
const listed = [
  ['openai/gpt-image-2.6-flare', '/v1/images/generations', { authorization: 'Bearer key-of-openai' }],
  ['openai/gpt-image-2.6-sunburst', '/v1/images/generations', { authorization: 'Bearer key-of-openai' }],
  ['openai/gpt-image-2', '/v1/images/generations', { authorization: 'Bearer key-of-openai' }],
  ['openai/gpt-4o-mini-tts', '/v1/audio/speech', { authorization: 'Bearer key-of-openai' }],
  ['openai/tts-1', '/v1/audio/speech', { authorization: 'Bearer key-of-openai' }],
  ['openai/tts-1-hd', '/v1/audio/speech', { authorization: 'Bearer key-of-openai' }],
  ['openai/gpt-audio-1.5', '/v1/chat/completions', { authorization: 'Bearer key-of-openai' }],
  ['openai/text-embedding-3-small', '/v1/embeddings', { authorization: 'Bearer key-of-openai' }],
  ['openai/text-embedding-3-large', '/v1/embeddings', { authorization: 'Bearer key-of-openai' }],
  ['openai/gpt-transcribe', '/v1/audio/transcriptions', { authorization: 'Bearer key-of-openai' }],
  ['openai/whisper-1', '/v1/audio/transcriptions', { authorization: 'Bearer key-of-openai' }],
  ['openai/gpt-4o-transcribe-diarize', '/v1/audio/transcriptions', { authorization: 'Bearer key-of-openai' }],
  ['openrouter/recraft/recraft-v4.1', '/v1/images', { authorization: 'Bearer key-of-openrouter' }],
  ['openrouter/recraft/recraft-v4.1-vector', '/v1/images', { authorization: 'Bearer key-of-openrouter' }],
  ['openrouter/bytedance-seed/seedream-4.5', '/v1/images', { authorization: 'Bearer key-of-openrouter' }],
  [
    'openrouter/google/gemini-3.8-flash-tts',
    '/v1/audio/speech',
    { authorization: 'Bearer key-of-openrouter' },
  ],
  ['openrouter/google/veo-3.1-fast', '/v1/videos', { authorization: 'Bearer key-of-openrouter' }],
  ['openrouter/google/veo-3.1', '/v1/videos', { authorization: 'Bearer key-of-openrouter' }],
  [
    'openrouter/openai/whisper-large-v3-turbo',
    '/v1/audio/transcriptions',
    { authorization: 'Bearer key-of-openrouter' },
  ],
  [
    'openrouter/openai/whisper-large-v3',
    '/v1/audio/transcriptions',
    { authorization: 'Bearer key-of-openrouter' },
  ],
  [
    'gemini/gemini-3-pro-image',
    '/v1/models/gemini-3-pro-image:generateContent',
    { 'x-goog-api-key': 'key-of-gemini' },
  ],
  [
    'gemini/gemini-3.8-flash-lite-tts',
    '/v1/models/gemini-3.8-flash-lite-tts:generateContent',
    { 'x-goog-api-key': 'key-of-gemini' },
  ],
  [
    'gemini/gemini-3.8-flash-tts',
    '/v1/models/gemini-3.8-flash-tts:generateContent',
    { 'x-goog-api-key': 'key-of-gemini' },
  ],
  ['gemini/gemini-omni-1.2-flash', '/v1/interactions', { 'x-goog-api-key': 'key-of-gemini' }],
  [
    'elevenlabs/eleven_flash_v2_5',
    '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=mp3_44100_128',
    { 'xi-api-key': 'key-of-elevenlabs' },
  ],
  [
    'elevenlabs/eleven_multilingual_v2',
    '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=mp3_44100_128',
    { 'xi-api-key': 'key-of-elevenlabs' },
  ],
  [
    'elevenlabs/eleven_v3',
    '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=mp3_44100_128',
    { 'xi-api-key': 'key-of-elevenlabs' },
  ],
  ['elevenlabs/scribe_v2', '/v1/speech-to-text', { 'xi-api-key': 'key-of-elevenlabs' }],
  ['groq/whisper-large-v3-turbo', '/v1/audio/transcriptions', { authorization: 'Bearer key-of-groq' }],
  ['groq/whisper-large-v3', '/v1/audio/transcriptions', { authorization: 'Bearer key-of-groq' }],
  [
    'deepgram/nova-3',
    '/v1/listen?model=nova-3&smart_format=true&language=fa&utterances=true',
    { authorization: 'Token key-of-deepgram' },
  ],
  ['fal/fal-ai/flux-1/dev', '/v1/fal-ai/flux-1/dev', { authorization: 'Key key-of-fal' }],
  [
    'fal/fal-ai/kling-video/v3/turbo/pro/text-to-video',
    '/v1/fal-ai/kling-video/v3/turbo/pro/text-to-video',
    { authorization: 'Key key-of-fal' },
  ],
  ['fal/fal-ai/veo3.1', '/v1/fal-ai/veo3.1', { authorization: 'Key key-of-fal' }],
] as const

const png = (
  await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
).toString('base64')
const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413, 1)])
const mp3 = Buffer.concat([frame, frame])
const wav = Buffer.concat([
  Buffer.from(
    'RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data\x08\0\0\0',
    'latin1',
  ),
  Buffer.alloc(8),
])

/** What each vendor answers. */
function answerOf({ method, path, body }: UpstreamCall): Script {
  if (path === '/v1/videos') return json(202, { id: 'v-1', status: 'pending' })
  if (path === '/v1/audio/transcriptions' || path === '/v1/speech-to-text') return json(200, { text: 'سلام' })
  if (path.startsWith('/v1/listen'))
    return json(200, { results: { channels: [{ alternatives: [{ transcript: 'سلام' }] }] } })
  if (path === '/v1/interactions') return json(200, { id: 'v1_1', status: 'in_progress' })
  if (/^\/v1\/models\/[^:]+$/.test(path))
    return json(200, { supportedGenerationMethods: ['generateContent'] })
  if (path.startsWith('/v1/images')) return json(200, { data: [{ b64_json: png }] })
  if (body?.['response_format'] === 'pcm')
    return stream([Buffer.alloc(480)], { 'content-type': 'audio/pcm;rate=24000;channels=1' })
  if (path.startsWith('/v1/text-to-speech') || path === '/v1/audio/speech')
    return stream([mp3], { 'content-type': 'audio/mpeg' })
  if (path === '/v1/embeddings')
    return json(200, { data: [{ index: 0, embedding: [0.6, 0.8] }], usage: { prompt_tokens: 1 } })
  if (path === '/v1/chat/completions')
    return stream([{ choices: [{ delta: { audio: { data: 'AAAAAAAA' } }, finish_reason: 'stop' }] }, done])
  if (path.endsWith('/status')) return json(200, { status: 'COMPLETED' })
  if (path.includes('/requests/')) return json(200, { images: [{ url: `data:image/png;base64,${png}` }] })
  if (path.startsWith('/v1/fal-ai') && method === 'POST') return json(200, { request_id: 'r-1' })
  const isPicture = JSON.stringify(body).includes('IMAGE')
  const data = isPicture
    ? { mimeType: 'image/png', data: png }
    : { mimeType: 'audio/wav', data: Buffer.from(wav).toString('base64') }
  return json(200, { candidates: [{ content: { parts: [{ inlineData: data }] }, finishReason: 'STOP' }] })
}

let upstream: FakeUpstream
let discovered: Discovery
let catalogue: Catalogue
let upstreams: Map<string, Upstream>
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  upstream.reply(answerOf)
  const config = loadConfig(readEnv(variables))
  const outbound = openOutbound(config)
  discovered = await discover(config.vendors, outbound)
  const faked = discovered.providers.map((provider) => ({ ...provider, baseUrl: upstream.url }))
  catalogue = buildCatalogue(config, { ...discovered, providers: faked }, sandboxModels)
  upstreams = connect(catalogue, guarded({}), outbound, stack)
})
afterAll(() => stack.disposeAsync())

const media = () =>
  discovered.models.filter(
    ({ kind, deployments }) =>
      kind !== 'text' && !['ollama', 'speaches', 'localai', 'whispercpp'].includes(deployments[0]!.provider),
  )

test('these and no others are listed, each at a price and by a provider that can make it', () => {
  expect(media().map(({ id }) => id)).toEqual(listed.map(([id]) => id))
  for (const model of media()) {
    const kind = catalogue.kinds.of(model)
    expect(Math.max(...kind.prices(model)), model.id).toBeGreaterThan(0)
    const { dialects } = catalogue.provider(model.deployments[0]!.provider)
    expect(
      dialects.some((dialect) => kind.dialects.includes(dialect)),
      model.id,
    ).toBe(true)
  }
})

test('the first of each medium are what Studio draws and speaks with, before the simulators', () => {
  expect(catalogue.studio.image?.balanced.id).toBe('openai/gpt-image-2.6-flare')
  expect(catalogue.studio.audio?.balanced.id).toBe('openai/gpt-4o-mini-tts')
})

test('pictures of OpenAI are held at their dearest and none of them is switched off soon', () => {
  const pictures = media().filter(({ id }) => id.startsWith('openai/gpt-image'))
  for (const model of pictures) {
    expect(model).not.toHaveProperty('shutdownDate')
    if (model.kind !== 'image' || model.pricing.unit !== 'tokens')
      throw new Error(`${model.id} has no tokens`)
    // Every quality that can be asked for has a row, so that no guess is held.
    expect(model.pricing.expected.output.map(({ quality }) => quality)).toEqual(model.image.qualities)
  }
  const order = { prompt: 'a cat', references: [], count: 1, size: { width: 1024, height: 1024 } }
  const [flare] = pictures
  const held = imageModels.worstCase(
    flare as ImageModel,
    { creditsPerUsd: 1_000, markup: 1 },
    {
      ...order,
      quality: 'high',
    },
  )
  // 1,756 tokens of $30 a million are 5.3 cents; half as much more is held, and the prompt.
  expect(Number(held) / 1e9).toBeCloseTo(0.0796, 3)
})

test('a key without models of its own can be named in an entry', () => {
  const entry = `models:
  - id: house/picture
    kind: image
    deployments: [{ provider: openrouter, model: some/painter }]
    image: { sizes: [1024x1024] }
    pricing: { per_image: 0.04 }
`
  const own = buildCatalogue(loadConfig(readEnv(variables), entry), discovered, sandboxModels)
  expect(own.find('house/picture')).toMatchObject({ kind: 'image' })
})

test.each([
  ['configuration.md', '### Pictures that are paid by tokens'],
  ['configuration.fa.md', '### تصویرهایی که با توکن حساب می‌شوند'],
])('the example of %s by tokens starts, at the price of the ready-made one', (name, heading) => {
  const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/guides', name), 'utf8')
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(guide.slice(guide.indexOf(`${heading}\n`)))!
  const own = buildCatalogue(loadConfig(readEnv(variables), yaml), discovered, sandboxModels)
  expect(own.find('house/flare')?.pricing).toEqual(catalogue.find('openai/gpt-image-2.6-flare')?.pricing)
})

test.each([
  ['configuration.md', '## Pictures and sound from your own keys'],
  ['configuration.fa.md', '## تصویر و صدا با کلیدهای خودتان'],
])('the example of %s starts with these keys, and its table has every model', (name, heading) => {
  const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/guides', name), 'utf8')
  const section = guide.slice(
    guide.indexOf(`${heading}\n`),
    guide.indexOf('\n## ', guide.indexOf(`${heading}\n`) + 4),
  )
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(section)!
  const own = buildCatalogue(loadConfig(readEnv(variables), yaml), discovered, sandboxModels)
  expect(own.studio.image?.fast.id).toBe('fal/fal-ai/flux-1/dev')
  expect(own.studio.image?.balanced.id).toBe('house/picture')
  expect(own.studio.audio?.balanced.id).toBe('elevenlabs/eleven_v3')
  for (const { id } of media())
    expect(section, id).toContain(id === 'openai/text-embedding-3-large' ? '`-large`' : `\`${id}\``)
})

test('vectors of OpenAI are taken 2,048 at once, in any shorter length', () => {
  const bounds = media().flatMap((model) =>
    model.kind === 'embedding' ? [[model.id, model.maxBatch, model.maxBatchTokens, model.maxDimensions]] : [],
  )
  expect(bounds).toEqual([
    ['openai/text-embedding-3-small', 2_048, 300_000, 1_536],
    ['openai/text-embedding-3-large', 2_048, 300_000, 3_072],
  ])
})

const call = (model: string) => ({
  upstreamModel: model,
  signal: new AbortController().signal,
  timeouts: patient,
  attemptId: 'a-1',
})

/** One order of the model's own first voice, size and format, as it would be sent. */
async function orderFrom(id: string): Promise<void> {
  const model = catalogue.find(id)!
  const { provider, model: name } = model.deployments[0]!
  const { orders } = upstreams.get(provider)!
  if (model.kind === 'image') {
    const { sizes, qualities, formats } = model.image
    const order = {
      prompt: 'a cat',
      references: [],
      count: 1,
      size: sizes[0]!,
      ...(qualities[0] && { quality: qualities[0] }),
      ...(formats[0] && { format: formats[0] }),
    }
    expect((await orders.image!.draw({ ...call(name), order })).images).toHaveLength(1)
  } else if (model.kind === 'audio') {
    const isAnswer = model.audio.tasks.includes('answer')
    const recording = { data: wav, mediaType: 'audio/wav', durationSeconds: 1 }
    const spec: SpeechSpec = {
      lines: [{ text: isAnswer ? '' : 'سلام', voice: model.audio.voices[0]!.id }],
      ...(isAnswer && { question: { recording } }),
      format: 'mp3',
      maxBytes: 30_000_000,
      where: (setting) => setting,
    }
    const begun: SoundFormat[] = []
    const sink = { begin: (format: SoundFormat) => void begun.push(format), write: () => {} }
    const order = { ...planSpeech(model, spec).orders[0]!, sink }
    await orders.audio!.speak({ ...call(name), order })
    expect(begun.map(({ encoding }) => encoding)).toEqual([order.format.encoding])
  } else if (model.kind === 'embedding') {
    const order = { texts: ['سلام'], encoding: model.encoding }
    expect((await orders.embedding!.embed({ ...call(name), order })).vectors).toHaveLength(1)
  } else if (model.kind === 'transcription') {
    const { timestamps, diarizes } = model.transcription
    const recording = { bytes: wav, mediaType: 'audio/wav', name: 'a.wav', seconds: 1 }
    const settings = { language: 'fa', timestamps, ...(diarizes && name !== 'nova-3' && { diarize: true }) }
    const heard = await orders.transcription!.transcribe({ ...call(name), order: { recording, ...settings } })
    expect(heard.text).toBe('سلام')
  } else if (model.kind === 'video') {
    const { withAudio, ...defaults } = model.video.defaults
    const order = { prompt: 'a cat', references: [], withAudio, ...defaults }
    expect((await orders.video!.submit({ ...call(name), order })).id).not.toBe('')
  } else throw new Error(`${id} is a model of texts`)
}

describe('one order leaves as its vendor wants it', () => {
  test.each(listed)('%s', async (id, path, headers) => {
    const before = upstream.calls.length
    await orderFrom(id)
    const first = upstream.calls.slice(before).find(({ method }) => method === 'POST')
    expect(first).toMatchObject({ method: 'POST', path, headers })
    // Named in the body, or in the path.
    const { model } = catalogue.find(id)!.deployments[0]!
    expect(`${first!.path} ${first!.bytes.toString('utf8')}`).toContain(model)
  })
})

test('no ready-made transcription promises what the wire of its provider cannot do, and older ones say their end', () => {
  const models = catalogue.list().filter((model) => model.kind === 'transcription' && !model.sandbox)
  expect(models.length).toBeGreaterThan(7)
  for (const model of models) {
    const { dialects } = catalogue.provider(model.deployments[0]!.provider)
    expect(catalogue.kinds.of(model).unsupported!(model as never, dialects), model.id).toBeUndefined()
  }
  expect(catalogue.find('openai/whisper-1')?.shutdownDate).toBe('2027-02-26')
  expect(catalogue.find('openai/gpt-transcribe')).not.toHaveProperty('shutdownDate')
  expect(catalogue.find('groq/whisper-large-v3')).toMatchObject({ pricing: { minimumSeconds: 10 } })
})

test('no ready-made voice promises what the wire of its provider cannot do', () => {
  const voices = catalogue.list().filter((model) => model.kind === 'audio' && !model.sandbox)
  expect(voices.length).toBeGreaterThan(3)
  for (const model of voices as AudioModel[]) {
    const { dialects } = catalogue.provider(model.deployments[0]!.provider)
    expect(audioModels.unsupported!(model as never, dialects), model.id).toBeUndefined()
  }
})

test('no ready-made model of videos promises what its wire cannot do, and every order of it has a price', () => {
  const videos = catalogue.list().filter((model) => model.kind === 'video' && !model.sandbox)
  expect(videos).toHaveLength(5)
  for (const model of videos as VideoModel[]) {
    const { dialects } = catalogue.provider(model.deployments[0]!.provider)
    expect(videoModels.unsupported!(model as never, dialects), model.id).toBeUndefined()
    for (const { resolution, durations, audio } of model.video.combinations)
      for (const seconds of durations)
        for (const withAudio of audio === 'optional' ? [true, false] : [audio === 'always']) {
          const order = { resolution, seconds, withAudio }
          const held = videoModels.worstCase(model, { creditsPerUsd: 1_000, markup: 1 }, order)
          expect(held, `${model.id} ${JSON.stringify(order)}`).toBeGreaterThan(0n)
        }
  }
})

test('Gemini’s voices of today are told styles and speakers beside the text, in one order', () => {
  for (const id of ['gemini/gemini-3.8-flash-tts', 'gemini/gemini-3.8-flash-lite-tts']) {
    const model = catalogue.find(id)
    if (model?.kind !== 'audio') throw new Error('no audio model')
    const lines = [
      { text: 'سلام', voice: 'Kore', instructions: 'شاد' },
      { text: 'درود', voice: 'Puck' },
    ]
    const plan = planSpeech(model, {
      lines,
      format: 'mp3',
      maxBytes: 30_000_000,
      where: (setting) => setting,
    })
    expect(plan.orders).toMatchObject([{ isVerbatim: true, lines, format: { encoding: 'wav' } }])
  }
})

describe('instructions for a wire that has no field for them', () => {
  const start = (dialects: string, audio: string) =>
    buildCatalogue(
      loadConfig(
        readEnv({}),
        `providers:
  - { id: eleven, base_url: https://api.elevenlabs.io/v1, dialects: ${dialects} }
models:
  - id: house/voice
    kind: audio
    deployments: [{ provider: eleven, model: eleven_v3 }]
    audio: { voices: [{ id: a }], instructions: true, ${audio} }
    pricing: { per_million_characters: 100 }
`,
      ),
      { providers: [], models: [], silent: [] },
      sandboxModels,
    )

  test('are refused at the start, in both languages', () => {
    const refused = () => start('[elevenlabs]', 'does: [speech, dialogue]')
    expect(refused).toThrow(
      /models\[0\]\.deployments names the provider eleven, which has no field for instructions/,
    )
    expect(refused).toThrow(StartRefused)
  })

  test('are fine where another wire speaks, or only answers are asked for', () => {
    expect(start('[speech, elevenlabs]', 'does: [speech]').find('house/voice')).toBeDefined()
    expect(start('[elevenlabs, modalities]', 'does: [answer]').find('house/voice')).toBeDefined()
  })
})
