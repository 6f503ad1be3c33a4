/** Speech in several orders, by a fallback, of another length than was expected: what is sent, stored, said and charged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureAudio } from '#core/media'
import { encodeWhole } from '#core/sound'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, type Script, stream } from '../harness/upstream.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import { requestIdOf } from '../text/chat-world.ts'

/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:9/v1'
const configOf = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [speech] }
  - { id: slow, base_url: ${url}, api_key: upstream-secret, dialects: [speech], timeouts: { total_ms: 12000 } }
  - { id: gone, base_url: ${nowhere}, api_key: upstream-secret, dialects: [speech] }
  - { id: gone-too, base_url: ${nowhere}, api_key: upstream-secret, dialects: [elevenlabs] }
models:
  - id: test/at-once
    kind: audio
    deployments: [{ provider: gone, model: at-once-1 }]
    audio: { voices: [{ id: alloy }], formats: [mp3, wav], max_characters: 4000 }
    pricing: { per_million_characters: 10 }
    fallbacks: [test/in-parts]
  - id: test/in-parts
    kind: audio
    deployments: [{ provider: fake, model: parts-1 }]
    audio: { voices: [{ id: alloy }, { id: nova }], formats: [mp3, wav], max_characters: 100 }
    pricing: { per_million_characters: 1000 }
  - id: test/gone-parts
    kind: audio
    deployments: [{ provider: gone, model: parts-1 }]
    audio: { voices: [{ id: alloy }], formats: [mp3, wav], max_characters: 100 }
    pricing: { per_million_characters: 1000 }
    fallbacks: [test/voice]
  - id: test/dialogue
    kind: audio
    deployments: [{ provider: gone-too, model: dialogue-1 }]
    audio: { does: [speech, dialogue], voices: [{ id: alloy }, { id: nova }], formats: [mp3] }
    pricing: { per_million_characters: 10 }
    fallbacks: [test/in-parts]
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio: { voices: [{ id: alloy }], formats: [mp3, wav], instructions: true }
    pricing: { per_million_characters: 1000 }
  - id: test/minutes
    kind: audio
    deployments: [{ provider: fake, model: minutes-1 }]
    audio: { voices: [{ id: alloy }], formats: [wav], speed: [0.25, 4], instructions: true }
    pricing: { per_minute: 0.06 }
  - id: test/slow
    kind: audio
    deployments: [{ provider: slow, model: slow-1 }]
    audio: { voices: [{ id: alloy }], formats: [wav] }
    pricing: { per_million_characters: 1000 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

let upstream: FakeUpstream
let world: World
let key: Client
let second: Buffer
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: configOf(upstream.url), credits: 100_000 }))
  key = await world.key()
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  second = Buffer.from(
    (await encodeWhole([{ rate: 24_000, samples }], { format: 'wav', maxBytes: 1e6 })).bytes,
  )
})
afterAll(() => stack.disposeAsync())

const sound = (bytes: Uint8Array, mediaType = 'audio/wav'): Script =>
  stream([bytes], { 'content-type': mediaType })

/** Frames of silence: MPEG 1, layer III. */
function silentMp3({ frames, kilobits, rate, channels }: Record<string, number>): Buffer {
  const frame = Buffer.alloc(Math.floor((144_000 * kilobits!) / rate!))
  frame.set([0xff, 0xfb, ((kilobits === 320 ? 14 : 9) << 4) | ((rate === 48_000 ? 1 : 0) << 2), 0])
  if (channels === 1) frame[3] = 0xc0
  return Buffer.concat(Array(frames!).fill(frame))
}

/** Silence of 16 bits. */
function silentWav({ seconds, rate, channels = 1 }: Record<string, number>): Buffer {
  const data = Math.round(seconds! * rate!) * channels * 2
  const wav = Buffer.alloc(44 + data)
  wav.write('RIFF')
  wav.writeUInt32LE(36 + data, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(channels, 22)
  wav.writeUInt32LE(rate!, 24)
  wav.writeUInt32LE(rate! * channels * 2, 28)
  wav.writeUInt16LE(channels * 2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(data, 40)
  return wav
}

const speak = (by: Client, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  by.post('/v1/studio/audio', body, headers)
const textsSince = (calls: number): unknown[] =>
  upstream.calls.slice(calls).map(({ body }) => body?.['input'])
const bytesOf = (reply: Seen): Buffer => {
  expect(reply.status, reply.text.slice(0, 500)).toBe(200)
  return Buffer.from(reply.body.output.data, 'base64')
}
const chargeOf = async (of: World, work: () => Promise<unknown>): Promise<bigint> => {
  const { available } = await of.balance()
  await work()
  await of.settled()
  return available - (await of.balance()).available
}
const lossIn = async (of: World): Promise<bigint> => {
  const [row] = await of.app.db.query<{ sum: bigint }>(
    {
      text: `select coalesce(-sum(amount), 0)::bigint as sum from ledger.entries
        where book = 'loss' and account_id = $1`,
    },
    [of.account],
  )
  return row!.sum
}

const sentence = 'این یک جملهٔ آزمایشی است که باید خوانده شود. '

describe('a fallback speaks by its own bounds', () => {
  test('a text that it takes in parts is spoken to its end, at its price', async () => {
    const text = sentence.repeat(10).trim()
    const calls = upstream.calls.length
    upstream.reply(() => sound(second))
    const charged = await chargeOf(world, async () => {
      const reply = await speak(key, { model: 'test/at-once', text })
      bytesOf(reply)
      const parts = textsSince(calls) as string[]
      expect(parts.length).toBeGreaterThan(4)
      expect(parts.every((part) => part.length <= 100)).toBe(true)
      expect(parts.join(' ')).toBe(text)
      expect(reply.body.output.seconds).toBeCloseTo(parts.length + (parts.length - 1) * 0.25, 1)
      expect(reply.body.execution.model).toBe('test/in-parts')
      const receipt = (await key.get(`/v1/requests/${requestIdOf(reply)}`)).body
      expect(receipt.details.sound).toMatchObject({ orders: parts.length, filled: parts.length })
    })
    const parts = textsSince(calls) as string[]
    expect(charged).toBe(BigInt([...parts.join('')].length * 1_000_000))
  })

  test('a text that the asked model takes in parts passes whole where the fallback takes it so', async () => {
    const text = sentence.repeat(5).trim()
    const mp3 = silentMp3({ frames: 40, kilobits: 128, rate: 44_100, channels: 1 })
    const calls = upstream.calls.length
    upstream.reset()
    upstream.replyOnce(sound(mp3, 'audio/mpeg'))
    expect(bytesOf(await speak(key, { model: 'test/gone-parts', text }))).toEqual(mp3)
    expect(textsSince(calls)).toEqual([text])
  })

  test('a dialogue is spoken turn by turn where the fallback has one voice a call', async () => {
    const turns = [
      { text: 'یکی بود.', voice: 'alloy' },
      { text: 'یکی نبود.', voice: 'nova' },
      { text: 'غیر از خدا هیچ کس نبود.', voice: 'alloy' },
    ]
    const calls = upstream.calls.length
    upstream.reply(() => sound(second))
    const reply = await speak(key, { model: 'test/dialogue', turns })
    bytesOf(reply)
    upstream.reset()
    expect(upstream.calls.slice(calls).map(({ body }) => [body?.['input'], body?.['voice']])).toEqual(
      turns.map(({ text, voice }) => [text, voice]),
    )
    expect(reply.body.output.seconds).toBeCloseTo(3.5, 1)
  })
})

describe('the time of several orders', () => {
  test('is that of each: none is cut short, and the hold outlives them all', async () => {
    const clock = new MovableClock(Date.UTC(2026, 4, 4))
    await using still = await boot({ config: configOf(upstream.url), credits: 100_000, clock })
    const caller = await still.key()
    const calls = upstream.calls.length
    upstream.reply(async () => {
      clock.moveMs(9_000)
      // Whatever has expired is ended.
      await still.app.ledger.sweep()
      return sound(second)
    })
    const turns = Array.from({ length: 30 }, (_, at) => ({ text: `نوبت ${at}.`, voice: 'alloy' }))
    const charged = await chargeOf(still, async () => {
      const reply = await speak(caller, { model: 'test/slow', turns })
      bytesOf(reply)
      expect((await caller.get(`/v1/requests/${requestIdOf(reply)}`)).body.state).toBe('completed')
    })
    upstream.reset()
    expect(upstream.calls.length - calls).toBe(30)
    expect(charged).toBe(BigInt(turns.reduce((sum, { text }) => sum + [...text].length, 0) * 1_000_000))
  })
})

describe('sound that is longer than was expected', () => {
  test('an mp3 that the answer has no room for is answered smaller; the file is as it came', async () => {
    // 30 MB of it are a picture in its tag, which is no sound; its frames are two channels at 320 kbit/s.
    const tag = Buffer.alloc(30_000_010)
    tag.write('ID3')
    tag[3] = 4
    for (const at of [0, 1, 2, 3]) tag[6 + at] = (30_000_000 >> (7 * (3 - at))) & 0x7f
    const mp3 = Buffer.concat([tag, silentMp3({ frames: 500, kilobits: 320, rate: 48_000, channels: 2 })])
    upstream.replyOnce(sound(mp3, 'audio/mpeg'))
    const charged = await chargeOf(world, async () => {
      const reply = await speak(key, { model: 'test/voice', text: 'کوتاه' })
      const bytes = bytesOf(reply)
      expect(bytes.length).toBeLessThan(4_000 * 12.5)
      expect(reply.body.output).toMatchObject({ mediaType: 'audio/mpeg', rate: 24_000, channels: 1 })
      expect(reply.body.output.seconds).toBeCloseTo(12, 0)
      expect(measureAudio(bytes)?.durationSeconds).toBeCloseTo(12, 0)
      const file = await key.raw('GET', `/v1/files/${reply.headers.get('x-file-ids')}`)
      expect(Buffer.from(await file.arrayBuffer()).equals(mp3)).toBe(true)
    })
    expect(charged).toBe(5_000_000n)
  })

  test('of a wav the error names the file, which is stored and charged; a repeat names it too', async () => {
    upstream.replyOnce(sound(silentWav({ seconds: 640, rate: 24_000 })))
    const loss = await lossIn(world)
    const claim = { 'idempotency-key': 'longer-than-the-answer' }
    const body = { model: 'test/minutes', text: 'کوتاه', format: 'wav' }
    const calls = upstream.calls.length
    let file = ''
    const charged = await chargeOf(world, async () => {
      const reply = await speak(key, body, claim)
      expect([reply.status, reply.body.error.code]).toEqual([422, 'SOUND_KEPT_AS_FILE'])
      expect(reply.headers.get('x-microcredits')).toBe('8000000')
      file = reply.headers.get('x-file-ids')!
      expect(reply.body.error.message).toContain(file)
      const stored = await key.raw('GET', `/v1/files/${file}`)
      expect(stored.headers.get('content-type')).toBe('audio/wav')
      // The head, which says in 42 bytes that a model spoke, and every sample.
      expect((await stored.arrayBuffer()).byteLength).toBe(44 + 42 + 640 * 48_000)
    })
    // Four seconds were held, and twice as many are believed of that text.
    expect(charged).toBe(8_000_000n)
    expect(await lossIn(world)).toBe(loss)
    const repeat = await speak(key, body, claim)
    expect([repeat.status, repeat.body.error.details.files]).toEqual([409, [file]])
    expect(upstream.calls.length - calls).toBe(1)
  })

  test('sound that never ends is not blamed on the upstream’s wire: nothing is kept or charged, and the platform bears it', async () => {
    // MPEG 2.5 at 8 kbit/s: more than an hour of it, for six letters.
    const frame = Buffer.alloc(72)
    frame.set([0xff, 0xe3, 0x18, 0xc0])
    upstream.replyOnce(sound(Buffer.concat(Array(51_000).fill(frame)), 'audio/mpeg'))
    const loss = await lossIn(world)
    const charged = await chargeOf(world, async () => {
      const reply = await speak(key, { model: 'test/voice', text: 'بی‌پایان' })
      expect([reply.status, reply.body.error.code]).toEqual([503, 'RESULT_NOT_STORED'])
    })
    expect(charged).toBe(0n)
    expect(await lossIn(world)).toBeGreaterThan(loss)
  })

  test.each([
    ['numbers', '۹۹۹ '.repeat(2_999), 'mp3', 'text'],
    ['numbers', '7'.repeat(400), 'wav', 'format'],
    ['signs', 'a€ '.repeat(400), 'pcm', 'format'],
    ['syllables', '字'.repeat(1_300), 'wav', 'format'],
    ['letters', 'گ'.repeat(3_800), 'wav', 'format'],
  ])('%s are counted as they are read aloud (%#)', async (_, text, format, param) => {
    const calls = upstream.calls.length
    const reply = await speak(key, { model: 'test/voice', text, format })
    expect(reply.status, reply.text).toBe(400)
    expect(reply.body.error).toMatchObject({ code: 'SOUND_TOO_LONG', param })
    expect(upstream.calls.length).toBe(calls)
  })

  test('letters have room to the edge, and less where instructions may slow them down', async () => {
    const body = { model: 'test/voice', text: 'گ'.repeat(3_700), format: 'wav' }
    upstream.replyOnce(sound(second))
    expect((await speak(key, body)).status).toBe(200)
    expect((await speak(key, { ...body, instructions: 'آهسته' })).body.error.code).toBe('SOUND_TOO_LONG')
  })
})

describe('pace and seconds', () => {
  const slowly = (by: Client, input: string, speed: number) =>
    by.raw(
      'POST',
      '/v1/audio/speech',
      JSON.stringify({ model: 'test/minutes', voice: 'alloy', input, speed }),
    )

  test('slow speech is held and charged by its own seconds', async () => {
    upstream.replyOnce(sound(silentWav({ seconds: 30, rate: 24_000 })))
    const loss = await lossIn(world)
    const charged = await chargeOf(world, async () => {
      const reply = await slowly(key, 'چهارده نویسه.', 0.25)
      expect(reply.status).toBe(200)
      await reply.arrayBuffer()
    })
    expect(charged).toBe(30_000_000n)
    expect(await lossIn(world)).toBe(loss)
  })

  test('slow speech needs room for its own seconds', async () => {
    const input = 'گ'.repeat(2_200)
    const body = { model: 'test/minutes', voice: 'alloy', input, response_format: 'wav' }
    const refused = await key.post('/v1/audio/speech', { ...body, speed: 0.25 })
    expect(refused.body.error).toMatchObject({ code: 'SOUND_TOO_LONG', param: 'response_format' })
    upstream.replyOnce(sound(second))
    expect((await key.raw('POST', '/v1/audio/speech', JSON.stringify(body))).status).toBe(200)
  })

  test('what a caller cannot pay beyond the hold is the loss of the platform, and is said', async () => {
    // 10 characters and 2 seconds around them: 6 s are held.
    await using poor = await sharedWorld({ config: configOf(upstream.url), credits: 8 })
    const caller = await poor.key()
    upstream.replyOnce(sound(silentWav({ seconds: 11, rate: 24_000 })))
    const charged = await chargeOf(poor, async () => {
      const reply = await speak(caller, { model: 'test/minutes', text: 'ده نویسه ا' })
      bytesOf(reply)
      expect(reply.body.execution.costUsd).toBeCloseTo(0.008, 6)
    })
    expect(charged).toBe(8_000_000n)
    expect(await lossIn(poor)).toBe(3_000_000n)
  })
})

describe('rate and channels are those of the bytes', () => {
  test('of an mp3 that passes', async () => {
    const mp3 = silentMp3({ frames: 100, kilobits: 128, rate: 44_100, channels: 2 })
    upstream.replyOnce(sound(mp3, 'audio/mpeg'))
    const reply = await speak(key, { model: 'test/voice', text: 'سلام' })
    expect(bytesOf(reply)).toEqual(mp3)
    expect(reply.body.output).toMatchObject({ rate: 44_100, channels: 2 })
  })

  test('of an mp3 that is made here of another rate', async () => {
    upstream.replyOnce(sound(silentWav({ seconds: 2, rate: 44_100, channels: 2 })))
    const reply = await speak(key, { model: 'test/minutes', text: 'سلام' })
    bytesOf(reply)
    expect(reply.body.output).toMatchObject({ rate: 44_100, channels: 1 })
  })

  test('of samples, in the stored file too', async () => {
    upstream.replyOnce(sound(silentWav({ seconds: 2, rate: 44_100, channels: 2 })))
    const reply = await speak(key, { model: 'test/minutes', text: 'سلام', format: 'pcm' })
    expect(bytesOf(reply).length).toBe(96_000)
    expect(reply.body.output).toMatchObject({ mediaType: 'audio/pcm', rate: 24_000, channels: 1 })
    const id = reply.headers.get('x-file-ids')!
    const file = await key.raw('GET', `/v1/files/${id}`)
    expect(file.headers.get('content-type')).toBe('audio/pcm; rate=24000; channels=1')
    expect(file.headers.get('content-disposition')).toBe(`inline; filename="${id}.pcm"`)
    expect((await file.arrayBuffer()).byteLength).toBe(96_000)
    expect((await key.get('/v1/files?limit=1')).body.data[0].media_type).toBe(
      'audio/pcm; rate=24000; channels=1',
    )
  })

  test('a stored aac has its own name, and the description of the route says both types', async () => {
    upstream.replyOnce(sound(second))
    const body = { model: 'test/voice', voice: 'alloy', input: 'سلام', response_format: 'aac' }
    await (await key.raw('POST', '/v1/audio/speech', JSON.stringify(body))).arrayBuffer()
    const [{ id }] = (await key.get('/v1/files?limit=1')).body.data
    const file = await key.raw('GET', `/v1/files/${id}`)
    expect(file.headers.get('content-type')).toBe('audio/aac')
    expect(file.headers.get('content-disposition')).toContain(`${id}.aac`)
    await file.arrayBuffer()
    const { content } = (await key.get('/openapi.json')).body.paths['/v1/files/{id}'].get.responses['200']
    expect(Object.keys(content)).toEqual(expect.arrayContaining(['audio/pcm', 'audio/aac']))
  })
})
