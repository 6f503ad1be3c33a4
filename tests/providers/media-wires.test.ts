/** The vendors' own wires of pictures and sound, against their bytes. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AudioProvider } from '#core/spec'
import type { ImageOrder, SoundFormat } from '#core/turn'
import { elevenLabsSpeech } from '#providers/elevenlabs'
import { geminiImages, geminiSpeech } from '#providers/gemini'
import { imagesProvider } from '#providers/images'
import { openRouterImages } from '#providers/openrouter'
import { speechProvider } from '#providers/speech'
import { somePlaces } from '../harness/seed.ts'
import { type FakeUpstream, fakeUpstream, json, type Script, stall, stream } from '../harness/upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { patient } from './asking.ts'
import { drawing, failsAsItShould, picture, secret, speaking } from './media-asking.ts'

let upstream: FakeUpstream
let png: Buffer
beforeAll(async () => {
  upstream = await fakeUpstream()
  png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
})
afterAll(() => upstream[Symbol.asyncDispose]())

const address = () => ({ baseUrl: upstream.url, apiKey: secret })
const last = () => upstream.calls.at(-1)!
const asJson = (body: unknown) => ({ body: Buffer.from(JSON.stringify(body)), type: 'application/json' })
/** One frame of MPEG layer III, and what follows. */
const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(96, 1)])
const sound = (bytes: Buffer): Script => stream([bytes], { 'content-type': 'audio/mpeg' })
const samples = { encoding: 'pcm', rate: 24_000 } as const

describe("OpenAI's images endpoint", () => {
  const room = () => imagesProvider(address(), guarded({}))
  const answer = () => ({
    created: 1,
    data: [{ b64_json: png.toString('base64') }],
    usage: { input_tokens: 9, output_tokens: 1_056, total_tokens: 1_065 },
  })
  const event = (type: string, more: object = {}) =>
    `event: image_generation.${type}\ndata: ${JSON.stringify({ type: `image_generation.${type}`, b64_json: png.toString('base64'), ...more })}\n\n`
  const inEvents = () => ({
    body: Buffer.from(
      `: hello\n\n${event('partial_image', { partial_image_index: 0 })}${event('completed', { usage: answer().usage })}`,
    ),
    type: 'text/event-stream',
  })
  const wholeAtEveryCut = async (
    { body, type }: { body: Buffer; type: string },
    more: Partial<ImageOrder> = {},
  ) => {
    for (const at of somePlaces(body.length + 1)) {
      upstream.reply(stream([body.subarray(0, at), body.subarray(at)], { 'content-type': type }))
      const { drawn, error } = await drawing(room(), more)
      expect(error, `in two at byte ${at}`).toBeUndefined()
      expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
      expect(drawn?.usage).toEqual({ input: 9, output: 1_056 })
    }
  }

  describe('answers whole', () => {
    test('and is read wherever its bytes are parted', () => wholeAtEveryCut(asJson(answer())))
    failsAsItShould({
      upstream: () => upstream,
      ask: (options) => drawing(room(), {}, options),
      good: () => asJson(answer()),
    })
  })

  describe('answers an edit', () => {
    failsAsItShould({
      upstream: () => upstream,
      ask: (options) => drawing(room(), { references: [{ data: png, mediaType: 'image/png' }] }, options),
      good: () => asJson(answer()),
    })
  })

  describe('answers in events', () => {
    test('and is read wherever its bytes are parted, its unfinished picture too', async () => {
      let seen = 0
      const { body } = inEvents()
      await wholeAtEveryCut(inEvents(), {
        partials: 1,
        onPartial: (bytes) => {
          expect(png.equals(bytes)).toBe(true)
          seen += 1
        },
      })
      expect(seen).toBe(somePlaces(body.length + 1).length)
    })
    failsAsItShould({
      upstream: () => upstream,
      ask: (options) => drawing(room(), { partials: 1, onPartial: () => undefined }, options),
      good: inEvents,
    })
  })
})

describe('OpenRouter draws', () => {
  const answer = () => ({
    data: [{ b64_json: png.toString('base64'), media_type: 'image/png' }],
    usage: { prompt_tokens: 9, completion_tokens: 1_290, total_tokens: 1_299, cost: 0.04 },
  })
  const room = () => openRouterImages(address(), guarded({}))

  test('by one request with references as data URLs', async () => {
    upstream.reply(json(200, answer()))
    const references = [{ data: png, mediaType: 'image/png' }]
    const { drawn } = await drawing(room(), {
      references,
      quality: 'high',
      format: 'webp',
      background: 'opaque',
      seed: 7,
    })
    expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
    expect(drawn?.usage).toEqual({ input: 9, output: 1_290 })
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/images' })
    expect(last().headers).toMatchObject({ authorization: `Bearer ${secret}`, 'idempotency-key': 'a-1' })
    expect(last().body).toEqual({
      model: 'model/1',
      prompt: picture.prompt,
      n: 1,
      size: '1536x1024',
      quality: 'high',
      output_format: 'webp',
      background: 'opaque',
      seed: 7,
      input_references: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
      ],
    })
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => drawing(room(), {}, options),
    good: () => asJson(answer()),
  })
})

const candidate = (parts: unknown[], finishReason = 'STOP') => ({
  candidates: [{ content: { role: 'model', parts }, finishReason }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1_120, thoughtsTokenCount: 30 },
})
const inline = (mimeType: string, bytes: Buffer) => ({
  inlineData: { mimeType, data: bytes.toString('base64') },
})

describe('Gemini draws', () => {
  const room = () => geminiImages(address())
  const answer = () => candidate([inline('image/png', png)])
  const ask = (body: unknown, more = {}) => {
    upstream.reply(json(200, body))
    return drawing(room(), more)
  }

  test('with its own key header, the nearest shape, and references as they are', async () => {
    const { drawn } = await ask(answer(), { references: [{ data: png, mediaType: 'image/png' }] })
    expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
    expect(drawn?.usage).toEqual({ input: 7, output: 1_150 })
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/models/model%2F1:generateContent' })
    expect(last().headers['x-goog-api-key']).toBe(secret)
    expect(last().headers['authorization']).toBeUndefined()
    expect(last().body).toEqual({
      contents: [{ role: 'user', parts: [{ text: picture.prompt }, inline('image/png', png)] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '3:2' } },
    })
  })

  test.each([
    [1024, 1024, { aspectRatio: '1:1' }],
    [2048, 2048, { aspectRatio: '1:1', imageSize: '2K' }],
    [5504, 3072, { aspectRatio: '16:9', imageSize: '4K' }],
    [1000, 1500, { aspectRatio: '2:3' }],
    [896, 1152, { aspectRatio: '4:5' }],
    [1152, 896, { aspectRatio: '5:4' }],
  ])('%dx%d is asked for by shape and tier', async (width, height, imageConfig) => {
    await ask(answer(), { size: { width, height } })
    expect(last().body).toMatchObject({ generationConfig: { imageConfig } })
  })

  test('by a seed', async () => {
    await ask(answer(), { seed: 7 })
    expect(last().body).toMatchObject({ generationConfig: { seed: 7 } })
  })

  test('one picture for a call, and says so to those who order several', () => {
    expect(room().maxCount).toBe(1)
  })

  test('has certainly drawn nothing if nothing was sent', async () => {
    const nowhere = geminiImages({ baseUrl: 'http://127.0.0.1:1', apiKey: secret })
    expect((await drawing(nowhere)).error).toMatchObject({ fault: 'connect', executed: false })
  })

  test.each([
    ['a blocked prompt', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, 'content_refused'],
    ['an unsafe picture', candidate([], 'IMAGE_SAFETY'), 'content_refused'],
    ['prohibited content', candidate([{ text: 'no' }], 'PROHIBITED_CONTENT'), 'content_refused'],
    ['no picture', candidate([], 'NO_IMAGE'), 'malformed'],
    ['words in place of a picture', candidate([{ text: 'words of the model' }]), 'malformed'],
    [
      'a broken picture',
      candidate([{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KG' } }]),
      'malformed',
    ],
    ['no candidate', { candidates: [] }, 'malformed'],
  ])('%s is told without the words of the model', async (_, body, fault) => {
    const { error } = await ask(body)
    expect(error).toMatchObject({ fault, executed: true })
    expect(JSON.stringify([error?.message, error?.detail, error?.inside])).not.toContain('words of the model')
  })

  test('skips the sketches of a thought', async () => {
    const sketch = { ...inline('image/png', Buffer.from('no picture')), thought: true }
    const { drawn } = await ask(candidate([sketch, { text: 'here' }, inline('image/png', png)]))
    expect(drawn?.images.map((bytes) => png.equals(bytes))).toEqual([true])
  })

  test('a key that it does not know is a matter of the operator, though its status is 400', async () => {
    upstream.reply(
      json(400, { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }),
    )
    expect((await drawing(room())).error).toMatchObject({ fault: 'authentication', executed: false })
  })

  test('a picture beyond the bound is refused', async () => {
    const vast = Buffer.concat([png, Buffer.alloc(25 * 1024 * 1024)])
    const { error } = await ask(candidate([inline('image/png', vast)]))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => drawing(room(), {}, options),
    good: () => asJson(answer()),
  })
})

describe('Gemini speaks', () => {
  const pcm = Buffer.alloc(600_000, 7)
  const answer = (bytes = pcm, type = 'audio/L16;codec=pcm;rate=16000') => candidate([inline(type, bytes)])
  const ask = (body: unknown, more = {}) => {
    upstream.reply(json(200, body))
    return speaking(geminiSpeech(address()), { format: samples, ...more })
  }

  test('one voice, and says the rate of its samples', async () => {
    const lines = [{ text: 'سلام', voice: 'Kore', instructions: 'Say it softly' }]
    const heard = await ask(answer(), { lines })
    expect(heard.format).toEqual({ encoding: 'pcm', rate: 16_000, channels: 1 })
    expect(heard.sound.equals(pcm)).toBe(true)
    expect(heard.spoken).toEqual({ usage: { input: 7, output: 1_150 } })
    expect(last().headers['x-goog-api-key']).toBe(secret)
    expect(last().body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Say it softly:\nسلام' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    })
  })

  test('two voices as lines of named speakers, and no third', async () => {
    const line = (text: string, voice: string) => ({ text, voice })
    const voiced = (speaker: string, voiceName: string) => ({
      speaker,
      voiceConfig: { prebuiltVoiceConfig: { voiceName } },
    })
    await ask(answer(), { lines: [line('سلام', 'A'), line('درود\nبر تو', 'B'), line('خوبی؟', 'A')] })
    expect(last().body).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Speaker1: سلام\nSpeaker2: درود بر تو\nSpeaker1: خوبی؟' }] },
      ],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [voiced('Speaker1', 'A'), voiced('Speaker2', 'B')],
          },
        },
      },
    })
    const before = upstream.calls.length
    const { error } = await ask(answer(), { lines: [line('a', 'A'), line('b', 'B'), line('c', 'C')] })
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect(upstream.calls.length).toBe(before)
  })

  describe('to the letter', () => {
    const isVerbatim = true as const
    const partsOf = () => (last().body as { contents: { parts: unknown[] }[] }).contents[0]!.parts

    test('a text alone, and how it is read beside it', async () => {
      const line = { text: 'Speaker1: سلام\nبر تو', voice: 'Kore' }
      await ask(answer(), { isVerbatim, lines: [line] })
      expect(partsOf()).toEqual([{ text: line.text }])
      await ask(answer(), { isVerbatim, lines: [{ ...line, instructions: 'آهسته' }] })
      expect(partsOf()).toEqual([{ text: line.text, speechMetadata: { style: 'آهسته' } }])
      expect(last().body).toMatchObject({
        generationConfig: { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } } },
      })
    })

    test('a dialogue as parts, each with its speaker and its own style', async () => {
      const lines = [
        { text: 'سلام', voice: 'A', instructions: 'شاد' },
        { text: 'درود', voice: 'B' },
        { text: 'خوبی؟', voice: 'A', instructions: 'نگران' },
      ]
      await ask(answer(), { isVerbatim, lines })
      expect(partsOf()).toEqual([
        { text: 'سلام', speechMetadata: { speaker: 'Speaker1', style: 'شاد' } },
        { text: 'درود', speechMetadata: { speaker: 'Speaker2' } },
        { text: 'خوبی؟', speechMetadata: { speaker: 'Speaker1', style: 'نگران' } },
      ])
    })

    test('and takes the whole file of WAV that comes', async () => {
      const wav = Buffer.alloc(100)
      wav.write('RIFF\x5c\0\0\0WAVEfmt ', 'latin1')
      const heard = await ask(answer(wav, 'audio/wav'), { isVerbatim })
      expect(heard.format).toEqual({ encoding: 'wav' })
      expect(heard.sound.equals(wav)).toBe(true)
    })
  })

  test('into the text go only instructions that are those of every line', async () => {
    const line = (voice: string, instructions?: string) => ({
      text: 'سلام',
      voice,
      ...(instructions !== undefined && { instructions }),
    })
    await ask(answer(), { lines: [line('A', 'Softly'), line('B', 'Softly')] })
    expect(last().body).toMatchObject({
      contents: [{ parts: [{ text: 'Softly:\nSpeaker1: سلام\nSpeaker2: سلام' }] }],
    })
    const before = upstream.calls.length
    for (const lines of [
      [line('A', 'Softly'), line('B', 'Loudly')],
      [line('A', 'Softly'), line('B')],
      [line('A'), line('B', 'Softly')],
    ])
      expect((await ask(answer(), { lines })).error).toMatchObject({
        fault: 'invalid_request',
        executed: false,
      })
    expect(upstream.calls.length).toBe(before)
  })

  test.each([
    ['half a sample', answer(Buffer.alloc(3)), 'malformed'],
    ['a type that is no sound', answer(Buffer.alloc(4), 'video/mp4'), 'malformed'],
    ['words', candidate([{ text: 'سلام' }]), 'malformed'],
    ['an unfinished sound', candidate([inline('audio/L16', Buffer.alloc(4))], 'MAX_TOKENS'), 'cut'],
    ['a refusal', candidate([], 'PROHIBITED_CONTENT'), 'content_refused'],
  ])('%s is no speech, and no byte of it is given on', async (_, body, fault) => {
    const heard = await ask(body)
    expect(heard.error).toMatchObject({ fault, executed: true })
    expect(heard.sound).toHaveLength(0)
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => speaking(geminiSpeech(address()), { format: samples }, options),
    good: () => asJson(answer(Buffer.alloc(8))),
  })
})

describe('ElevenLabs speaks', () => {
  const room = () => elevenLabsSpeech(address())

  test('one text with its own key header, voice and format in the address', async () => {
    upstream.reply(sound(mp3))
    const heard = await speaking(room(), { speed: 1.1 })
    expect(heard).toMatchObject({ format: { encoding: 'mp3' }, spoken: {} })
    expect(heard.sound.equals(mp3)).toBe(true)
    const voice = encodeURIComponent('نوا/1')
    expect(last()).toMatchObject({
      method: 'POST',
      path: `/v1/text-to-speech/${voice}/stream?output_format=mp3_44100_128`,
    })
    expect(last().headers).toMatchObject({ 'xi-api-key': secret, 'idempotency-key': 'a-1' })
    expect(last().headers['authorization']).toBeUndefined()
    expect(last().body).toEqual({
      text: 'سلام',
      model_id: 'model/1',
      voice_settings: { speed: 1.1 },
    })
  })

  test('a dialogue as one sound', async () => {
    const pcm = Buffer.alloc(128)
    upstream.reply(sound(pcm))
    const lines = [
      { text: 'سلام', voice: 'A' },
      { text: 'درود', voice: 'B' },
    ]
    const heard = await speaking(room(), { lines, format: { encoding: 'pcm', rate: 44_100 } })
    expect(heard.format).toEqual({ encoding: 'pcm', rate: 44_100 })
    expect(heard.sound.equals(pcm)).toBe(true)
    expect(last().path).toBe('/v1/text-to-dialogue/stream?output_format=pcm_44100')
    expect(last().body).toEqual({
      inputs: [
        { text: 'سلام', voice_id: 'A' },
        { text: 'درود', voice_id: 'B' },
      ],
      model_id: 'model/1',
    })
  })

  test.each([[{ encoding: 'flac' }], [{ encoding: 'pcm', rate: 12_345 }]] as const)(
    '%j is not asked for',
    async (format) => {
      const before = upstream.calls.length
      expect((await speaking(room(), { format })).error).toMatchObject({
        fault: 'invalid_request',
        executed: false,
      })
      expect(upstream.calls.length).toBe(before)
    },
  )

  test('instructions are not dropped: there is no field for them', async () => {
    const before = upstream.calls.length
    const line = { text: 'سلام', voice: 'A' }
    for (const lines of [[{ ...line, instructions: 'x' }], [line, { ...line, instructions: 'x' }]])
      expect((await speaking(room(), { lines })).error).toMatchObject({
        fault: 'invalid_request',
        executed: false,
      })
    expect(upstream.calls.length).toBe(before)
  })

  test('a listener that is slow holds it up, and one that fails ends it', async () => {
    const gate = Promise.withResolvers<void>()
    upstream.reply(sound(mp3))
    let writes = 0
    const slow = speaking(
      room(),
      {},
      {
        write: () => {
          writes += 1
          return gate.promise
        },
      },
    )
    await expect.poll(() => writes).toBe(1)
    gate.resolve()
    expect((await slow).error).toBeUndefined()
    upstream.reply(stream([mp3, stall], { 'content-type': 'audio/mpeg' }))
    const broken = speaking(room(), {}, { write: () => Promise.reject(new Error('the disk is full')) })
    await expect(broken).rejects.toThrow('the disk is full')
    await last().whenAborted
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => speaking(room(), {}, options),
    good: () => ({ body: mp3, type: 'audio/mpeg' }),
  })
})

describe('OpenAI’s wire of speech', () => {
  const room = () => speechProvider(address())
  const answering = (bytes: Buffer, headers: Record<string, string> = {}) =>
    upstream.reply(stream([bytes.subarray(0, 1), bytes.subarray(1)], headers))

  test('sends one text with one voice, and nothing that was not asked for', async () => {
    answering(mp3, { 'content-type': 'audio/mpeg' })
    const heard = await speaking(room(), { speed: 1.5 })
    expect(heard).toMatchObject({ format: { encoding: 'mp3' }, spoken: {} })
    expect(heard.sound.equals(mp3)).toBe(true)
    expect(last()).toMatchObject({ method: 'POST', path: '/v1/audio/speech' })
    expect(last().headers).toMatchObject({ authorization: `Bearer ${secret}`, 'idempotency-key': 'a-1' })
    expect(last().body).toEqual({
      model: 'model/1',
      input: 'سلام',
      voice: 'نوا/1',
      response_format: 'mp3',
      speed: 1.5,
    })
  })

  const lines = [
    { text: 'a', voice: 'A' },
    { text: 'b', voice: 'B' },
  ]
  test('has no dialogue', async () => {
    const before = upstream.calls.length
    expect((await speaking(room(), { lines })).error).toMatchObject({
      fault: 'invalid_request',
      executed: false,
    })
    expect(upstream.calls.length).toBe(before)
  })

  const wav = Buffer.alloc(100)
  wav.write('RIFF\x5c\0\0\0WAVEfmt ', 'latin1')
  const named = (name: string) => Buffer.concat([Buffer.from(name, 'latin1'), Buffer.alloc(96)])
  const frames = Buffer.alloc(2_088)
  frames.set([0xff, 0xfb, 0x90, 0x64], 0)
  frames.set([0xff, 0xfb, 0x90, 0x64], 417)

  test.each<[string, SoundFormat['encoding'], Buffer, SoundFormat]>([
    ['WAV for mp3', 'mp3', wav, { encoding: 'wav' }],
    ['WAV for pcm', 'pcm', wav, { encoding: 'wav' }],
    ['FLAC for mp3', 'mp3', named('fLaC'), { encoding: 'flac' }],
    ['Ogg for flac', 'flac', named('OggS'), { encoding: 'opus' }],
    ['mp3 for pcm', 'pcm', frames, { encoding: 'mp3' }],
    ['what was asked for', 'opus', named('OggS'), { encoding: 'opus' }],
  ])('%s is told to the sink, which can decode it', async (_, encoding, bytes, format) => {
    answering(bytes)
    const heard = await speaking(room(), { format: encoding === 'pcm' ? samples : { encoding } })
    expect(heard.error).toBeUndefined()
    expect(heard.format).toEqual(format)
    expect(heard.sound.equals(bytes)).toBe(true)
  })

  test.each([
    ['MP4', 'mp3', Buffer.from(`\0\0\0\x18ftypM4A ${'\0'.repeat(90)}`, 'latin1')],
    ['a picture', 'wav', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(90)])],
    ['bytes of no type', 'flac', Buffer.alloc(90, 3)],
  ] as const)('%s is malformed, and no byte of it is given on', async (_, encoding, bytes) => {
    answering(bytes)
    const heard = await speaking(room(), { format: { encoding } })
    expect(heard.error).toMatchObject({ fault: 'malformed', executed: true })
    expect([heard.format, heard.sound.length]).toEqual([undefined, 0])
  })

  test.each<[string, SoundFormat]>([
    ['audio/pcm;rate=48000;channels=2', { encoding: 'pcm', rate: 48_000, channels: 2 }],
    ['audio/pcm; rate=16000', { encoding: 'pcm', rate: 16_000, channels: 1 }],
    ['audio/L16; channels=2; rate="22050"', { encoding: 'pcm', rate: 22_050, channels: 2 }],
    ['audio/pcm', samples],
    ['application/octet-stream', samples],
  ])('of samples %s says what they are', async (type, format) => {
    const bytes = Buffer.alloc(3_000)
    answering(bytes, { 'content-type': type })
    const heard = await speaking(room(), { format: samples })
    expect(heard.format).toEqual(format)
    expect(heard.sound.equals(bytes)).toBe(true)
  })

  test('samples in place of mp3 are samples where the header says so', async () => {
    answering(Buffer.alloc(100), { 'content-type': 'audio/pcm;rate=24000;channels=1' })
    expect((await speaking(room())).format).toEqual({ encoding: 'pcm', rate: 24_000, channels: 1 })
  })

  test.each(['audio/pcm;rate=0', 'audio/pcm;rate=999999999', 'audio/pcm;rate=24000;channels=99'])(
    '%s is what nobody plays',
    async (type) => {
      answering(Buffer.alloc(3_000), { 'content-type': type })
      expect((await speaking(room(), { format: samples })).error).toMatchObject({
        fault: 'malformed',
        executed: true,
      })
    },
  )

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => speaking(room(), {}, options),
    good: () => ({ body: mp3, type: 'audio/mpeg' }),
  })

  describe('of samples', () => {
    failsAsItShould({
      upstream: () => upstream,
      ask: (options) => speaking(room(), { format: samples }, options),
      good: () => ({ body: Buffer.alloc(100), type: 'audio/pcm;rate=48000' }),
    })
  })
})

describe('what is beyond every bound ends the call at the bound', () => {
  const mebibyte = 1024 * 1024
  /** A listener that keeps nothing, and what the call says at its end. */
  async function deaf(provider: AudioProvider & AsyncDisposable): Promise<{ bytes: number; error: unknown }> {
    await using room = provider
    let bytes = 0
    const sink = {
      begin: () => {},
      write: (chunk: Uint8Array) => {
        bytes += chunk.length
      },
    }
    const order = { lines: [{ text: 'سلام', voice: 'a' }], format: samples, sink }
    const { signal } = new AbortController()
    const call = { order, upstreamModel: 'model', signal, timeouts: patient, attemptId: 'a-1' }
    const error: unknown = await room.speak(call).catch((reason: unknown) => reason)
    return { bytes, error }
  }
  const endless = (piece: Buffer, pieces: number, type: string): Script =>
    stream(
      Array.from({ length: pieces }, () => piece),
      { 'content-type': type },
    )

  test.each([
    ['OpenAI', () => speechProvider(address())],
    ['ElevenLabs', () => elevenLabsSpeech(address())],
  ])('the sound of %s', async (_, room) => {
    upstream.reply(endless(Buffer.alloc(mebibyte), 200, 'audio/pcm'))
    const { bytes, error } = await deaf(room())
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect((error as Error).message).toContain(`more than ${192 * mebibyte} bytes`)
    expect(bytes).toBeLessThanOrEqual(192 * mebibyte)
    await last().whenClosed
  })

  test('the sound of Gemini, of which nothing is given on', async () => {
    upstream.reply(endless(Buffer.alloc(mebibyte, 'A'), 70, 'application/json'))
    const { bytes, error } = await deaf(geminiSpeech(address()))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    expect((error as Error).message).toContain(`more than ${64 * mebibyte} bytes`)
    expect(bytes).toBe(0)
  })

  test('a picture of OpenRouter, alone and with its answer', async () => {
    const vast = Buffer.concat([png, Buffer.alloc(25 * mebibyte)]).toString('base64')
    upstream.reply(json(200, { data: [{ b64_json: vast }] }))
    const { error } = await drawing(openRouterImages(address(), guarded({})))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
    upstream.reply(endless(Buffer.alloc(mebibyte, 'A'), 40, 'application/json'))
    const whole = await drawing(openRouterImages(address(), guarded({})))
    expect(whole.error?.message).toContain(`more than ${33 * mebibyte} bytes`)
  })
})
