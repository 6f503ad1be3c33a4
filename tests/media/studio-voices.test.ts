/** Servers of speech as their public documents describe them: what they answer is what the caller asked for, and priced as it sounds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeSound, encodeWhole, secondsOf } from '#core/sound'
import type { Client, Seen } from '../harness/client.ts'
import { cut, type FakeUpstream, fakeUpstream, json, type Script, stream } from '../harness/upstream.ts'
import { boot, type World } from '../harness/world.ts'
import { requestIdOf } from '../text/chat-world.ts'

type Made = 'mp3' | 'wav' | 'flac' | 'opus' | 'pcm'

/** A second of a tone. */
async function tone(format: Made, rate = 24_000, seconds = 1): Promise<Buffer> {
  const samples = Float32Array.from(
    { length: rate * seconds },
    (_, at) => 0.3 * Math.sin((2 * Math.PI * 440 * at) / rate),
  )
  const { bytes } = await encodeWhole([{ rate, samples }], { format, maxBytes: 1e9 })
  return Buffer.from(bytes)
}

const types = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}
type Asked = { input: string; voice: string; model: string; response_format: Made }

/** speaches.ai, docs/usage/text-to-speech.md: no opus and no aac; FastAPI names what it refuses. */
async function speaches({ response_format: format }: Asked): Promise<Script> {
  if (format === 'opus') {
    const detail = [{ type: 'literal_error', loc: ['body', 'response_format'], msg: 'Input should be …' }]
    return json(422, { detail })
  }
  return stream([await tone(format)], { 'content-type': types[format] })
}

/** remsky/Kokoro-FastAPI, routers/openai_compatible.py: every format, in chunks as it comes; errors stand in `detail`. */
async function kokoro({ response_format: format, voice }: Asked): Promise<Script> {
  if (voice === 'af_gone') {
    const message = "Voice 'af_gone' not found. Available voices: af_heart"
    return json(400, { detail: { error: 'validation_error', message, type: 'invalid_request_error' } })
  }
  const bytes = await tone(format)
  const third = Math.ceil(bytes.length / 3)
  const chunks = [0, 1, 2].map((at) => bytes.subarray(at * third, (at + 1) * third))
  return stream(chunks, { 'content-type': types[format], 'x-accel-buffering': 'no' })
}

/** LocalAI before it converted (mudler/LocalAI#2732): a WAV of the voice's own rate, whatever was asked for. */
const localAi = async (): Promise<Script> =>
  stream([await tone('wav', 22_050)], { 'content-type': 'audio/x-wav' })

const entry = (id: string, model: string, voice: string, more: string) => `
  - id: local/${id}
    kind: audio
    deployments: [{ provider: ${id}, model: ${model} }]
    audio: { voices: [{ id: ${voice} }, { id: af_gone }], ${more} }
    pricing: { per_minute: 0.06 }`

const gemini = (id: string, more: string) => `
  - id: google/${id}
    kind: audio
    deployments: [{ provider: google, model: ${id} }]
    audio: { does: [speech, dialogue], voices: [{ id: Kore }, { id: Puck }], formats: [wav], instructions: true, ${more} }
    pricing: { per_minute: 0.06 }`

const configOf = (url: string) => `
providers:
  - { id: speaches, base_url: ${url}, dialects: [speech] }
  - { id: kokoro, base_url: ${url}, dialects: [speech] }
  - { id: localai, base_url: ${url}, dialects: [speech] }
  - { id: google, base_url: ${url}, api_key: upstream-secret, dialects: [gemini] }
  - { id: router, base_url: ${url}, api_key: upstream-secret, dialects: [openrouter] }
models:${entry('speaches', 'speaches-ai/Kokoro-82M-v1.0-ONNX', 'af_heart', 'formats: [mp3, flac, wav, pcm]')}${entry('kokoro', 'kokoro', 'af_heart', 'formats: [mp3, opus, flac, wav, pcm]')}${entry('localai', 'voice-fa_IR-amir-medium', 'amir', 'formats: [mp3]')}${entry('router', 'vendor/tts', 'alloy', 'formats: [mp3, pcm]')}
${gemini('letter', 'verbatim: true')}${gemini('script', 'verbatim: false')}
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

const servers: Record<string, (asked: Asked) => Promise<Script>> = {
  'speaches-ai/Kokoro-82M-v1.0-ONNX': speaches,
  kokoro,
  'voice-fa_IR-amir-medium': localAi,
}

let upstream: FakeUpstream
let world: World
let key: Client
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await boot({ config: configOf(upstream.url), credits: 100_000 }))
  key = await world.key()
})
afterAll(() => stack.disposeAsync())

const serve = (): void =>
  upstream.reply((call) => {
    const asked = call.body as unknown as Asked
    return servers[asked.model]!(asked)
  })

const speak = (id: string, body: Record<string, unknown> = {}): Promise<Seen> =>
  key.post('/v1/studio/audio', { model: `local/${id}`, text: 'سلام بر تو.', ...body })

async function secondsIn(bytes: Uint8Array, isPcm = false): Promise<number> {
  let seconds = 0
  for await (const piece of decodeSound([bytes], isPcm ? { pcm: { rate: 24_000, channels: 1 } } : {}))
    seconds += secondsOf(piece)
  return seconds
}

const magic: Record<Made, RegExp> = {
  mp3: /^(ID3|\xff[\xe0-\xff])/,
  wav: /^RIFF....WAVE/s,
  flac: /^fLaC/,
  opus: /^OggS/,
  pcm: /^/,
}

describe('servers of one’s own', () => {
  test.each([
    ['speaches', ['mp3', 'wav', 'pcm', 'opus', 'flac']],
    ['kokoro', ['mp3', 'wav', 'pcm', 'opus', 'flac']],
    ['localai', ['mp3', 'wav', 'pcm', 'opus', 'flac']],
  ] as const)('%s gives every format, a second for a second', async (id, formats) => {
    serve()
    for (const format of formats) {
      const reply = await key.raw(
        'POST',
        '/v1/audio/speech',
        JSON.stringify({ model: `local/${id}`, input: 'سلام بر تو.', response_format: format }),
      )
      expect(reply.status, format).toBe(200)
      const bytes = Buffer.from(await reply.arrayBuffer())
      expect(bytes.toString('latin1'), format).toMatch(magic[format])
      expect(await secondsIn(bytes, format === 'pcm'), format).toBeCloseTo(1, 1)
    }
    expect(upstream.calls.at(-1)!.headers['authorization']).toBeUndefined()
  })

  test('WAV in place of the mp3 that was asked for is converted, once, and charged', async () => {
    serve()
    const calls = upstream.calls.length
    const reply = await speak('localai', { format: 'mp3' })
    expect(reply.status, reply.text).toBe(200)
    expect(upstream.calls.slice(calls).map(({ body }) => body?.['response_format'])).toEqual(['mp3'])
    const bytes = Buffer.from(reply.body.output.data, 'base64')
    expect(bytes.toString('latin1')).toMatch(magic.mp3)
    expect(reply.body.output.seconds).toBeCloseTo(1, 1)
    await world.settled()
    // A second, of which a bit more or less is two at most.
    const { microcredits, state } = (await key.get(`/v1/requests/${requestIdOf(reply)}`)).body
    expect([state, Number(microcredits) <= 2_000_000]).toEqual(['completed', true])
  })

  test('WAV that ends early is a lost result, whatever was asked for', async () => {
    const wav = await tone('wav')
    upstream.replyOnce(stream([wav.subarray(0, 20_000)], { 'content-type': 'audio/wav' }))
    const reply = await speak('localai')
    expect([reply.status, reply.body.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
    await world.settled()
    expect((await key.get(`/v1/requests/${requestIdOf(reply)}`)).body.microcredits).toBe('0')
  })

  test('a voice that the server does not have is the caller’s to change, and free', async () => {
    serve()
    const reply = await speak('kokoro', { voice: 'af_gone' })
    expect(reply.status, reply.text).toBe(400)
    await world.settled()
  })
})

describe('OpenRouter', () => {
  const pcm = (bytes: Buffer, type: string, id = 'gen-tts-1-abc'): Script =>
    stream([bytes.subarray(0, 5_001), bytes.subarray(5_001)], {
      'content-type': type,
      'x-generation-id': id,
    })

  test.each(['wav', 'pcm'] as const)(
    'samples at 48 kHz are a second of %s, and priced as one',
    async (format) => {
      upstream.replyOnce(pcm(await tone('pcm', 48_000), 'audio/pcm;rate=48000;channels=1'))
      const reply = await speak('router', { format })
      expect(reply.status, reply.text).toBe(200)
      expect(upstream.calls.at(-1)!.headers['authorization']).toBe('Bearer upstream-secret')
      expect(upstream.calls.at(-1)!.body).toMatchObject({ response_format: 'pcm' })
      const bytes = Buffer.from(reply.body.output.data, 'base64')
      expect(await secondsIn(bytes, format === 'pcm')).toBeCloseTo(1, 2)
      expect(reply.body.output.seconds).toBeCloseTo(1, 2)
      await world.settled()
      const receipt = (await key.get(`/v1/requests/${requestIdOf(reply)}`)).body
      expect(receipt.microcredits).toBe('1000000')
      expect(receipt.details.attempts).toMatchObject([{ upstream_id: 'gen-tts-1-abc', outcome: 'answered' }])
    },
  )

  test('two channels become one', async () => {
    const mono = await tone('pcm')
    const stereo = Buffer.alloc(2 * mono.length)
    for (let at = 0; at < mono.length; at += 2)
      for (const side of [0, 2]) stereo.writeInt16LE(mono.readInt16LE(at), 2 * at + side)
    upstream.replyOnce(pcm(stereo, 'audio/pcm;rate=24000;channels=2'))
    const reply = await speak('router', { format: 'pcm' })
    expect(Buffer.from(reply.body.output.data, 'base64').equals(mono)).toBe(true)
  })

  test('a broken line leaves the id of the generation on the receipt, by which its cost is found', async () => {
    const bytes = await tone('pcm')
    upstream.replyOnce(
      stream([bytes.subarray(0, 9_000), cut], {
        'content-type': 'audio/pcm;rate=24000;channels=1',
        'x-generation-id': `gen-${'x'.repeat(300)}`,
      }),
    )
    const reply = await speak('router', { format: 'pcm' })
    expect(reply.status).toBe(502)
    await world.settled()
    const { attempts } = (await key.get(`/v1/requests/${requestIdOf(reply)}`)).body.details
    expect(attempts[0].upstream_id).toBe(`gen-${'x'.repeat(196)}`)
  })
})

describe('Gemini', () => {
  const turns = [
    { text: 'سلام بر تو.', voice: 'Kore', instructions: 'شاد' },
    { text: 'درود بر تو.', voice: 'Puck' },
    { text: 'خوبی؟', voice: 'Kore', instructions: 'نگران' },
  ]
  const answers = async (): Promise<void> => {
    const inlineData = { mimeType: 'audio/wav', data: (await tone('wav')).toString('base64') }
    upstream.reply(
      json(200, { candidates: [{ content: { parts: [{ inlineData }] }, finishReason: 'STOP' }] }),
    )
  }
  /** The parts of every request that a dialogue of this model took. */
  async function partsOf(model: string, of = turns): Promise<unknown[][]> {
    await answers()
    const calls = upstream.calls.length
    const reply = await key.post('/v1/studio/audio', { model, turns: of })
    expect(reply.status, reply.text).toBe(200)
    await world.settled()
    return upstream.calls
      .slice(calls)
      .map(({ body }) => (body as { contents: { parts: unknown[] }[] }).contents[0]!.parts)
  }

  test('that reads to the letter gets a dialogue at once, each line with its own instructions', async () => {
    expect(await partsOf('google/letter')).toEqual([
      [
        { text: 'سلام بر تو.', speechMetadata: { speaker: 'Speaker1', style: 'شاد' } },
        { text: 'درود بر تو.', speechMetadata: { speaker: 'Speaker2' } },
        { text: 'خوبی؟', speechMetadata: { speaker: 'Speaker1', style: 'نگران' } },
      ],
    ])
  })

  test('that reads a script gets it line by line where their instructions differ, else at once', async () => {
    expect(await partsOf('google/script')).toEqual([
      [{ text: 'شاد:\nسلام بر تو.' }],
      [{ text: 'درود بر تو.' }],
      [{ text: 'نگران:\nخوبی؟' }],
    ])
    const same = turns.map((turn) => ({ ...turn, instructions: 'شاد' }))
    expect(await partsOf('google/script', same)).toEqual([
      [{ text: 'شاد:\nSpeaker1: سلام بر تو.\nSpeaker2: درود بر تو.\nSpeaker1: خوبی؟' }],
    ])
  })
})

test('instructions for a model without them are refused with their place, before anything is held or sent', async () => {
  const calls = upstream.calls.length
  const before = await world.balance()
  const refused = async (reply: Seen, param: string) => {
    expect(reply.status, reply.text).toBe(400)
    expect(reply.body.error).toMatchObject({ code: 'AUDIO_SETTING_NOT_SUPPORTED', param })
  }
  await refused(await speak('kokoro', { instructions: 'آهسته' }), 'instructions')
  const turns = [
    { text: 'سلام', voice: 'af_heart' },
    { text: 'سلام', voice: 'af_heart', instructions: 'آهسته' },
  ]
  await refused(await speak('kokoro', { text: undefined, turns }), 'turns.1.instructions')
  const body = { model: 'local/kokoro', input: 'سلام', instructions: 'آهسته' }
  await refused(await key.post('/v1/audio/speech', body), 'instructions')
  expect(upstream.calls.length).toBe(calls)
  expect(await world.balance()).toEqual(before)
})
