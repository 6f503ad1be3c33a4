import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type Config, readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { openOutbound } from '#platform/proxy'
import { loadConfig } from '#settings'
import { buildCatalogue, type Discovery, discover, type Model, type Pricing } from './models.ts'
import { readyMade } from './ready-made.ts'

const nothing: Discovery = { providers: [], models: [], silent: [] }
const zero = {
  inputPerMillion: 0,
  outputPerMillion: 0,
  cachedInputPerMillion: 0,
  cacheWritePerMillion: 0,
  mediaInputPerMillion: 0,
}
const sandboxModel: Model = {
  id: 'sandbox/text',
  kind: 'text',
  displayName: 'Sandbox text',
  description: 'A simulator.',
  ownedBy: 'sandbox',
  created: 0,
  sandbox: true,
  deployments: [{ id: 'sandbox/text', provider: 'sandbox', model: 'text', weight: 1, priority: 0 }],
  fallbacks: [],
  contextLength: 1_000,
  maxOutputTokens: 100,
  inputModalities: ['text'],
  features: [],
  supportedEfforts: [],
  pricing: zero,
}

function configOf(file?: string, variables: Record<string, string> = {}): Config {
  return loadConfig(readEnv(variables), file)
}

const outbound = openOutbound(configOf())

const build = (file?: string, discovered = nothing) =>
  buildCatalogue(configOf(file), discovered, [sandboxModel])

function refusal(file: string, discovered = nothing): string {
  try {
    build(file, discovered)
  } catch (error) {
    if (error instanceof StartRefused && error.fa !== undefined) return error.message
    throw error
  }
  throw new Error('the start was not refused')
}

const entry = (id: string, more = '', deployments = '{ provider: acme, model: gpt-x }') => `
  - id: ${id}
    deployments: [${deployments}]
    context_length: 100000
    max_output_tokens: 100
    ${more}`
const free = 'pricing: { input_per_million: 0, output_per_million: 0 }'
const providers =
  'providers:\n  - { id: acme, base_url: http://127.0.0.1:9000/v1 }\n  - { id: other, base_url: http://127.0.0.1:9001/v1, dialects: [messages] }\n'

test('with nothing configured the sandbox serves and is the default', () => {
  const catalogue = build()
  expect(catalogue.list()).toEqual([sandboxModel])
  expect(catalogue.defaults.text.id).toBe('sandbox/text')
  expect(catalogue.provider('sandbox').dialects).toEqual(['chat', 'images', 'speech', 'transcriptions'])
})

test('models of the file come first and carry the default, the sandbox stays listed', () => {
  const catalogue = build(`${providers}models:${entry('acme/fast', free)}`)
  expect(catalogue.list().map(({ id }) => id)).toEqual(['acme/fast', 'sandbox/text'])
  expect(catalogue.defaults.text.id).toBe('acme/fast')
  expect(catalogue.find('acme/fast')).toMatchObject({
    ownedBy: 'acme',
    displayName: 'fast',
    sandbox: false,
    deployments: [{ id: 'acme/gpt-x', provider: 'acme', model: 'gpt-x' }],
  })
  expect(catalogue.find('acme/slow')).toBeUndefined()
  expect(() => catalogue.provider('nobody')).toThrow()
})

test('the file may put its own name on a sandbox model, which then still says so', () => {
  const catalogue = build(`models:${entry('demo/text', free, '{ provider: sandbox, model: text }')}`)
  expect(catalogue.find('demo/text')?.sandbox).toBe(true)
  expect(refusal(`models:${entry('demo/text', free, '{ provider: sandbox, model: nope }')}`)).toMatch(
    /sandbox model nope/,
  )
})

test('a known model needs no price, an unknown one is refused with its line and how to fix it', () => {
  const known = build(`${providers}models:${entry('acme/known', '', '{ provider: acme, model: gpt-4o }')}`)
  expect(known.find('acme/known')?.pricing).toEqual({
    inputPerMillion: 2.5,
    outputPerMillion: 10,
    cachedInputPerMillion: 1.25,
    cacheWritePerMillion: 2.5,
    mediaInputPerMillion: 2.5,
  })
  expect(refusal(`${providers}models:${entry('acme/fast')}`)).toBe(
    'kherad.config.yaml:5: models[0].pricing is missing: every model needs a price and none is known for gpt-x; write input_per_million and output_per_million, 0 for free.',
  )
})

test('of several deployments the dearest known price counts, and one unknown refuses all', () => {
  const both = '{ provider: acme, model: gpt-4o-mini }, { provider: acme, model: gpt-4o }'
  expect(build(`${providers}models:${entry('acme/mix', '', both)}`).find('acme/mix')?.pricing).toMatchObject({
    outputPerMillion: 10,
  })
  expect(
    refusal(`${providers}models:${entry('acme/mix', '', `${both}, { provider: acme, model: gpt-x }`)}`),
  ).toMatch(/known for gpt-x/)
})

test('a model that costs more for long prompts needs a price or a window that ends before', () => {
  const long = entry('acme/long', '', '{ provider: acme, model: gpt-5.4 }')
  expect(build(`${providers}models:${long}`).find('acme/long')?.pricing).toMatchObject({
    inputPerMillion: 2.5,
  })
  expect(refusal(`${providers}models:${long.replace('100000', '1000000')}`)).toMatch(
    /costs more beyond 271999 tokens/,
  )
})

test.each([
  [
    'a provider that does not exist',
    entry('acme/a', free, '{ provider: nobody, model: x }'),
    /names the provider nobody/,
  ],
  [
    'a fallback that does not exist',
    entry('acme/a', `fallbacks: [acme/b]\n    ${free}`),
    /fallbacks names acme\/b/,
  ],
  ['itself as its fallback', entry('acme/a', `fallbacks: [acme/a]\n    ${free}`), /fallbacks names acme\/a/],
  [
    'a default that does not exist',
    `${entry('acme/a', free)}\ndefaults: { text_model: acme/b }`,
    /defaults\.text_model is acme\/b/,
  ],
])('a model with %s is refused', (_, models, sentence) => {
  expect(refusal(`${providers}models:${models}`)).toMatch(sentence)
})

test('every ready-made vendor has models with a price, each within one price', () => {
  const vendors = ['openai', 'anthropic', 'openrouter', 'gemini', 'deepseek', 'groq', 'mistral'] as const
  for (const vendor of vendors) {
    const { providers: found, models: all } = readyMade({ [vendor]: 'key' })
    expect(found.map(({ id }) => id)).toEqual(vendor === 'gemini' ? [vendor, 'gemini-media'] : [vendor])
    const models = all.filter((model) => model.kind === 'text')
    expect(models.length, vendor).toBeGreaterThanOrEqual(2)
    for (const model of models) {
      expect(model.id).toMatch(new RegExp(`^${vendor}/`))
      expect(model.pricing.inputPerMillion, model.id).toBeGreaterThan(0)
      expect(model.pricing.outputPerMillion, model.id).toBeGreaterThan(0)
      expect(model.maxOutputTokens).toBeLessThanOrEqual(model.contextLength)
    }
  }
  const [long] = readyMade({ openai: 'key' }).models.filter(({ id }) => id === 'openai/gpt-5.4')
  expect(long).toMatchObject({ contextLength: 271_999 })
})

test('what the file says wins over what was found', () => {
  const discovered = { ...readyMade({ openai: 'key', groq: 'key' }), silent: [] }
  const file = `providers:\n  - { id: openai, base_url: http://127.0.0.1:1/v1 }\nmodels:${entry('groq/llama-3.1-8b-instant', free, '{ provider: groq, model: mine }')}`
  const catalogue = build(file, discovered)
  expect(catalogue.provider('openai').baseUrl).toBe('http://127.0.0.1:1/v1')
  expect(catalogue.list().some(({ ownedBy }) => ownedBy === 'openai')).toBe(false)
  const priceOf = (id: string): unknown =>
    (catalogue.find(id)?.pricing as Pricing | undefined)?.inputPerMillion
  expect(priceOf('groq/llama-3.1-8b-instant')).toBe(0)
  expect(priceOf('groq/llama-3.3-70b-versatile')).toBeGreaterThan(0)
})

/** A server that answers as Ollama does. */
async function fakeOllama(): Promise<{ server: Server; host: string }> {
  const server = createServer((request, response) => {
    if (request.url === '/api/tags') {
      response.end(
        JSON.stringify({
          models: [{ name: 'llama3.2:latest' }, { name: 'nomic-embed-text:latest' }, { name: 7 }],
        }),
      )
      return
    }
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const chat = {
        capabilities: ['completion', 'tools', 'vision'],
        model_info: { 'llama.context_length': 131_072 },
      }
      response.end(JSON.stringify(body.includes('llama') ? chat : { capabilities: ['embedding'] }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, host: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a local Ollama is listed by its own account, free, without its embedding models', async () => {
  const { server, host } = await fakeOllama()
  const found = await discover({ ollamaHost: host }, outbound)
  server.close()
  expect(found.providers).toMatchObject([{ id: 'ollama', baseUrl: `${host}/v1`, takesLinks: false }])
  expect(found.models).toMatchObject([
    {
      id: 'ollama/llama3.2:latest',
      contextLength: 131_072,
      inputModalities: ['text', 'image'],
      features: ['json_schema', 'tools'],
      pricing: zero,
    },
  ])
  expect(buildCatalogue(configOf(), found, [sandboxModel]).defaults.text.id).toBe('ollama/llama3.2:latest')
})

test('an Ollama that was named and does not answer is reported, not fatal', async () => {
  expect(await discover({ ollamaHost: 'http://127.0.0.1:1' }, outbound)).toEqual({
    providers: [],
    models: [],
    silent: ['http://127.0.0.1:1'],
  })
})

const drawing = 'providers:\n  - { id: acme, base_url: http://127.0.0.1:9000/v1, dialects: [images] }\n'
const painter = (id: string, more = '', provider = 'acme') => `
  - id: ${id}
    kind: image
    deployments: [{ provider: ${provider}, model: painter-1 }]
    image: { sizes: [1024x1024] }
    pricing: { per_image: 0.04 }
    ${more}`

test('an image model needs a provider that draws, and a text model one that writes', () => {
  const catalogue = build(`${drawing}models:${painter('acme/painter')}`)
  expect(catalogue.find('acme/painter')).toMatchObject({
    kind: 'image',
    inputModalities: ['text'],
    deployments: [{ id: 'acme/painter-1' }],
  })
  expect(catalogue.defaults.text.id).toBe('sandbox/text')
  expect(refusal(`${providers}models:${painter('acme/painter')}`)).toMatch(/acme, which draws no pictures/)
  expect(refusal(`${drawing}models:${entry('acme/fast', free)}`)).toMatch(
    /acme, which speaks no wire of text/,
  )
  expect(refusal(`models:${painter('acme/painter', '', 'sandbox')}`)).toMatch(/sandbox model painter-1/)
})

test('models fall back on their own kind', () => {
  const both = painter('acme/one', 'fallbacks: [acme/two]') + painter('acme/two')
  expect(build(`${drawing}models:${both}`).find('acme/one')?.fallbacks).toEqual(['acme/two'])
  expect(refusal(`${drawing}models:${painter('acme/one', 'fallbacks: [sandbox/text]')}`)).toMatch(
    /sandbox\/text, which is no other image model/,
  )
  const textual = entry('acme/fast', `${free}\n    fallbacks: [acme/one]`)
  const mixed = drawing.replace('[images]', '[chat, images]')
  expect(refusal(`${mixed}models:${painter('acme/one')}${textual}`)).toMatch(/no other text model/)
  expect(refusal(`${mixed}models:${painter('acme/one')}\ndefaults: { text_model: acme/one }`)).toMatch(
    /not a text model of this server: write one of .*sandbox\/text/,
  )
})

test('a provider that draws and writes tells routing only the wires of text', () => {
  const mixed = drawing.replace('[images]', '[chat, images]')
  const model = build(`${mixed}models:${entry('acme/fast', free)}`).find('acme/fast')
  expect(model?.deployments[0]?.wires).toEqual(['chat'])
})

const near = (provider: string) => `
  - id: acme/near
    kind: embedding
    deployments: [{ provider: ${provider}, model: near-1 }]
    max_input_tokens: 512
    pricing: { input_per_million: 0.02 }`

test('an embedding model needs a provider of chat, and one is chosen by its id', () => {
  const chosen = (id: string) => `${providers}models:${near('acme')}\ndefaults: { embedding_model: ${id} }`
  expect(build(`${providers}models:${near('acme')}`).defaults.embedding).toBeUndefined()
  expect(build(chosen('acme/near')).defaults.embedding).toMatchObject({
    id: 'acme/near',
    maxInputTokens: 512,
  })
  expect(refusal(`${drawing}models:${near('acme')}`)).toMatch(/acme, which does not speak chat/)
  expect(refusal(`models:${near('sandbox')}`)).toMatch(/sandbox model near-1/)
  for (const id of ['sandbox/text', 'acme/none'])
    expect(refusal(chosen(id))).toMatch(
      /defaults\.embedding_model is .* not an embedding model of this server: write one of acme\/near\./,
    )
  expect(refusal(`${providers}models:${near('acme')}\ndefaults: { text_model: acme/near }`)).toMatch(
    /not a text model/,
  )
})

test('an alias leads to its model wherever a model is named, and is listed as no model of its own', () => {
  const aliased = `${providers}models:${entry('acme/fast', `aliases: [gpt-4o, claude-sonnet]\n    ${free}`)}${entry('acme/slow', `fallbacks: [gpt-4o]\n    ${free}`)}\ndefaults: { text_model: claude-sonnet }`
  const catalogue = build(aliased)
  expect(catalogue.find('gpt-4o')).toBe(catalogue.find('acme/fast'))
  expect(catalogue.find('acme/fast')?.aliases).toEqual(['gpt-4o', 'claude-sonnet'])
  expect(catalogue.defaults.text.id).toBe('acme/fast')
  expect(catalogue.find('acme/slow')?.fallbacks).toEqual(['acme/fast'])
  expect(catalogue.list().map(({ id }) => id)).toEqual(['acme/fast', 'acme/slow', 'sandbox/text'])
})

test.each([
  [
    'the id of another model',
    '[acme/slow]',
    /aliases names acme\/slow, which is a name of acme\/slow already/,
  ],
  ['its own id', '[acme/fast]', /aliases names acme\/fast, which is a name of acme\/fast already/],
  [
    'a sandbox model',
    '[sandbox/text]',
    /aliases names sandbox\/text, which is a name of sandbox\/text already/,
  ],
  [
    'the alias of another model',
    '[slow]',
    /aliases names slow, which is a name of acme\/(fast|slow) already/,
  ],
  ['itself, twice', '[a, a]', /aliases\[1\]/],
  ['a name with a space', '["a b"]', /letters, digits/],
])('an alias that is %s stops the start', (_, aliases, sentence) => {
  expect(
    refusal(
      `${providers}models:${entry('acme/fast', `aliases: ${aliases}\n    ${free}`)}${entry('acme/slow', `aliases: [slow]\n    ${free}`)}`,
    ),
  ).toMatch(sentence)
})

const speaker = (audio: string) => `
  - id: acme/voice
    kind: audio
    deployments: [{ provider: acme, model: voice-1 }]
    audio: { voices: [{ id: alloy }], ${audio} }
    pricing: { per_minute: 0 }`
const sounding = (dialects: string) =>
  `providers:\n  - { id: acme, base_url: http://127.0.0.1:9000/v1, dialects: [${dialects}] }\nmodels:`

test.each([
  [
    'chat, modalities',
    'does: [speech]',
    /models\[0\]\.deployments.* do answer and not speech: remove speech from/,
  ],
  [
    'speech',
    'does: [answer]',
    /do speech and not answer: remove .* or write a provider of the dialect modalities/,
  ],
  ['elevenlabs', 'does: [speech, answer]', /do speech, dialogue and not answer/],
  ['gemini', 'does: [answer], formats: [pcm]', /do speech, dialogue and not answer/],
  ['speech', 'does: [dialogue]', /not dialogue: .* of the dialect elevenlabs or gemini/],
  ['elevenlabs', 'formats: [mp3, wav]', /makes mp3, pcm and not wav: write audio\.formats of these/],
  ['openrouter', 'formats: [opus]', /makes mp3, pcm and not opus/],
  ['gemini', 'does: [speech]', /makes pcm, wav and not mp3/],
  ['elevenlabs', 'formats: [pcm], rate: 12000', /8000, .* and not 12000: write one of these as audio\.rate/],
  ['gemini', 'formats: [pcm], speed: [0.5, 2]', /no field for the pace of speech: leave audio\.speed out/],
  ['elevenlabs', 'instructions: true', /no field for instructions: leave audio\.instructions out/],
  ['gemini', 'does: [dialogue], formats: [pcm], max_voices: 3', /2 voices at most and not 3/],
  // A provider speaks by the first of its dialects that can.
  ['elevenlabs, speech', 'does: [dialogue]', /do speech and not dialogue/],
])('what the wires of %s cannot do is refused at the start: %s', (dialects, audio, sentence) => {
  expect(refusal(sounding(dialects) + speaker(audio))).toMatch(sentence)
})

test.each([
  ['chat, modalities', 'does: [answer], formats: [pcm]'],
  ['speech, modalities', 'does: [speech, answer], formats: [mp3, wav, flac]'],
  ['elevenlabs', 'does: [speech, dialogue], formats: [mp3, pcm], rate: 44100, max_voices: 10'],
  ['gemini', 'does: [speech, dialogue], formats: [pcm]'],
  ['openrouter, modalities', 'does: [speech, answer], formats: [mp3, pcm]'],
])('what the wires of %s can do starts: %s', (dialects, audio) => {
  expect(build(sounding(dialects) + speaker(audio)).find('acme/voice')?.kind).toBe('audio')
})

const masking = (dialects: string) => `
providers: [{ id: easels, base_url: 'https://easels.test/v1', api_key: k, dialects: [${dialects}] }]
models:
  - id: easels/one
    kind: image
    deployments: [{ provider: easels, model: one }]
    image: { sizes: [1024x1024], max_references: 1, masks: true }
    pricing: { per_image: 0 }`

test.each(['gemini', 'openrouter', 'chat, modalities', 'gemini, fal'])(
  'a mask is promised by no entry whose wire of pictures has no place for it: %s',
  (dialects) => {
    expect(refusal(masking(dialects))).toMatch(/easels, whose wire of pictures .* leave image\.masks out/)
  },
)

test.each([
  ['images', ['moderation', 'style', 'input_fidelity']],
  ['images, gemini', ['moderation', 'style', 'input_fidelity']],
  ['fal', []],
] as const)('the wires of %s take a mask, and these settings as they are: %o', (dialects, options) => {
  expect(build(masking(dialects)).find('easels/one')).toMatchObject({ image: { takesMasks: true }, options })
})

test('translations are promised by no entry whose wire has none', () => {
  const ears = (dialect: string) => `
providers: [{ id: ears, base_url: 'https://ears.test/v1', api_key: k, dialects: [${dialect}] }]
models:
  - id: ears/one
    kind: transcription
    deployments: [{ provider: ears, model: one }]
    transcription: { translate: true }
    pricing: { per_minute: 0 }`
  for (const dialect of ['deepgram', 'elevenlabs', 'openrouter'])
    expect(refusal(ears(dialect))).toMatch(/in English .*translate/)
  expect(build(ears('transcriptions')).find('ears/one')).toMatchObject({
    transcription: { translates: true },
  })
})

test('videos are made by the model that the file names, else by the first that makes any', () => {
  const film = (id: string) => `
  - id: ${id}
    kind: video
    deployments: [{ provider: films, model: film }]
    video: { combinations: [{ resolution: 720p, durations: [4], aspect_ratios: ["16:9"], audio: never }] }
    pricing: { per_second: 0.1 }`
  const makers = `
providers: [{ id: films, base_url: 'https://films.test/v1', api_key: k, dialects: [openrouter] }]
models:${film('films/one')}${film('films/two')}
`
  expect(build().defaults.video).toBeUndefined()
  expect(build(makers).defaults.video).toMatchObject({ id: 'films/one', kind: 'video' })
  expect(build(`${makers}defaults: { video_model: films/two }`).defaults.video).toMatchObject({
    id: 'films/two',
  })
  expect(refusal(`${makers}defaults: { video_model: sandbox/text }`)).toMatch(
    /defaults\.video_model is sandbox\/text, which is not a model of the kind video .*: write one of films\/one, films\/two\./,
  )
})

test('recordings are written down by the model that the file names, else by the first that does', () => {
  const ears = (id: string) => `
  - id: ${id}
    kind: transcription
    deployments: [{ provider: ears, model: whisper }]
    pricing: { per_minute: 0.006 }`
  const both = `
providers: [{ id: ears, base_url: 'https://ears.test/v1', api_key: k, dialects: [transcriptions] }]
models:${ears('ears/one')}${ears('ears/two')}
`
  expect(build(both).defaults.transcription).toMatchObject({ id: 'ears/one', kind: 'transcription' })
  expect(build(`${both}defaults: { transcription_model: ears/two }`).defaults.transcription).toMatchObject({
    id: 'ears/two',
  })
  expect(refusal(`${both}defaults: { transcription_model: sandbox/text }`)).toMatch(
    /defaults\.transcription_model is sandbox\/text, which is not a model of the kind transcription .*: write one of ears\/one, ears\/two/,
  )
})

test.each([
  ['openrouter', undefined],
  ['deepgram', true],
  ['elevenlabs', true],
  ['transcriptions', true],
])(
  'a transcription model of %s hears sound while it is spoken, or is refused at the start',
  (dialect, hears) => {
    const file = `
providers: [{ id: ears, base_url: 'https://ears.test/v1', api_key: k, dialects: [${dialect}] }]
models:
  - id: ears/live
    kind: transcription
    deployments: [{ provider: ears, model: live }]
    transcription: { live: true }
    pricing: { per_minute: 0.006 }
`
    if (hears) expect(build(file).find('ears/live')).toMatchObject({ transcription: { hearsLive: true } })
    else expect(refusal(file)).toMatch(/no place for sound while it is spoken: leave transcription\.live out/)
  },
)
