/** POST /v1/studio/audio and /v1/audio/speech: speech, dialogues, answers to recordings, and what becomes of sound that was paid. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeSound, encodeWhole, loudnessOf, type Sound } from '#core/sound'
import type { Client, Seen } from '../harness/client.ts'
import {
  cut,
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  stream,
} from '../harness/upstream.ts'
import { boot, type World } from '../harness/world.ts'
import { requestIdOf } from '../text/chat-world.ts'

const run = promisify(execFile)
const hasFfmpeg = await run('ffmpeg', ['-version']).then(
  () => true,
  () => false,
)
if (!hasFfmpeg) console.log('Sound is not judged by ffmpeg: it is not installed.')

const sentence = 'توانا بود هر که دانا بود.'

const speak = (key: Client, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  key.post('/v1/studio/audio', { model: 'sandbox/speech', ...body }, headers)

const bytesOf = (reply: Seen): Buffer => {
  expect(reply.status, reply.text.slice(0, 500)).toBe(200)
  return Buffer.from(reply.body.output.data, 'base64')
}

const refusedAt = (reply: Seen, param: string, code = 'INVALID_REQUEST') => {
  expect(reply.status, reply.text).toBe(400)
  expect(reply.body.error).toMatchObject({ code, param })
}

async function soundIn(bytes: Uint8Array, pcm = false): Promise<Sound> {
  const pieces: Sound[] = []
  for await (const piece of decodeSound([bytes], pcm ? { pcm: { rate: 24_000, channels: 1 } } : {}))
    pieces.push(piece)
  const samples = new Float32Array(pieces.reduce((sum, piece) => sum + piece.samples.length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece.samples, at)
    at += piece.samples.length
  }
  return { rate: pieces[0]!.rate, samples }
}

/** The pitch in Hz: in the middle of all pieces of 40 ms, by the distance at which each is most like itself. */
function pitchOf({ rate, samples }: Sound): number {
  const length = Math.round(rate * 0.04)
  const [shortest, longest] = [Math.floor(rate / 350), Math.ceil(rate / 70)]
  const likeness = (from: number, distance: number): number => {
    let sum = 0
    for (let at = from; at < from + length; at += 2) sum += samples[at]! * samples[at + distance]!
    return sum
  }
  const found: number[] = []
  for (let from = 0; from + length + longest < samples.length; from += length) {
    let best = shortest
    for (let distance = shortest; distance <= longest; distance++)
      if (likeness(from, distance) > likeness(from, best)) best = distance
    // What is not like itself has no voice.
    if (likeness(from, best) > 0.6 * likeness(from, 0) && likeness(from, 0) > 0.1) found.push(rate / best)
  }
  return found.sort((a, b) => a - b)[found.length >> 1]!
}

/** Decoded by ffmpeg without a warning; returns what ffprobe says of it. */
async function judged(
  bytes: Buffer,
  ending: string,
): Promise<{ codec: string; rate: number; channels: number; seconds: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-sound-'))
  try {
    const file = path.join(folder, `sound.${ending}`)
    await writeFile(file, bytes)
    const decoding = await run('ffmpeg', [
      '-v',
      'warning',
      '-guess_layout_max',
      '0',
      '-i',
      file,
      '-f',
      'null',
      '-',
    ])
    expect(decoding.stderr.replace(/.*Estimating duration from bitrate.*\n/, '')).toBe('')
    const probed = await run('ffprobe', ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', file])
    const { streams, format } = JSON.parse(probed.stdout)
    return {
      codec: streams[0].codec_name,
      rate: Number(streams[0].sample_rate),
      channels: streams[0].channels,
      seconds: Number(format.duration),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A second of a tone, as a file. */
async function tone(
  format: 'mp3' | 'wav' | 'flac' | 'opus',
  { seconds = 1, volume = 0.3, hertz = 440 } = {},
): Promise<Buffer> {
  const rate = 24_000
  const samples = Float32Array.from(
    { length: rate * seconds },
    (_, at) => volume * Math.sin((2 * Math.PI * hertz * at) / rate),
  )
  const { bytes } = await encodeWhole([{ rate, samples }], { format, maxBytes: 1e9 })
  return Buffer.from(bytes)
}

const configOf = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [speech] }
models:
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio:
      voices: [{ id: alloy }, { id: nova, name: نوا, languages: [fa] }]
      formats: [mp3, wav]
      instructions: true
      speed: [0.5, 2]
      max_characters: 120
    pricing: { per_million_characters: 1000 }
  - id: test/minutes
    kind: audio
    deployments: [{ provider: fake, model: minutes-1 }]
    audio: { voices: [{ id: alloy }], formats: [wav] }
    pricing: { per_minute: 0.06 }
  - id: test/tokens
    kind: audio
    deployments: [{ provider: fake, model: tokens-1 }]
    audio: { voices: [{ id: alloy }], formats: [mp3] }
    pricing: { input_per_million: 1, output_per_million: 12 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

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

const sound = (bytes: Buffer, mediaType = 'audio/mpeg'): Script =>
  stream([bytes], { 'content-type': mediaType })
const balance = async () => (await world.balance()).available
const costOf = async (work: () => Promise<unknown>): Promise<bigint> => {
  const before = await balance()
  await work()
  await world.settled()
  return before - (await balance())
}
const fake = (body: Record<string, unknown> = {}, headers = {}) =>
  speak(key, { model: 'test/voice', text: sentence, ...body }, headers)

describe('the sandbox speaks', () => {
  test.each([
    ['mp3', 'audio/mpeg', 'mp3'],
    ['wav', 'audio/wav', 'pcm_s16le'],
  ])('%s that ffmpeg decodes without a warning, as long as it says', async (format, mediaType, codec) => {
    const reply = await speak(key, { text: sentence, format })
    const bytes = bytesOf(reply)
    const { output, execution } = reply.body
    expect(output).toEqual({
      data: expect.any(String),
      mediaType,
      rate: 24_000,
      channels: 1,
      seconds: expect.any(Number),
    })
    expect(output.seconds).toBeGreaterThan(1)
    expect(execution).toEqual({
      requestId: requestIdOf(reply),
      model: 'sandbox/speech',
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      costUsd: ([...sentence].length * 10) / 1_000_000,
    })
    const heard = await soundIn(bytes)
    expect(heard.samples.length / heard.rate).toBeCloseTo(output.seconds, 1)
    if (!hasFfmpeg) return
    const probe = await judged(bytes, format)
    expect(probe).toMatchObject({ codec, rate: 24_000, channels: 1 })
    expect(Math.abs(probe.seconds - output.seconds)).toBeLessThan(0.15)
  })

  test('pcm: samples alone, of the rate that is said', async () => {
    const reply = await speak(key, { text: sentence, format: 'pcm' })
    const bytes = bytesOf(reply)
    expect(reply.body.output).toMatchObject({ mediaType: 'audio/pcm', rate: 24_000, channels: 1 })
    expect(bytes.length / 48_000).toBeCloseTo(reply.body.output.seconds, 2)
    const wav = await soundIn(bytesOf(await speak(key, { text: sentence, format: 'wav' })))
    const pcm = await soundIn(bytes, true)
    expect(pcm.samples.length).toBe(wav.samples.length)
  })

  test('is a file of the project, named on the receipt, and charged by its characters', async () => {
    const cost = await costOf(async () => {
      const reply = await speak(key, { text: sentence })
      const bytes = bytesOf(reply)
      const id = reply.headers.get('x-file-ids')!
      const file = await key.raw('GET', `/v1/files/${id}`)
      expect(file.headers.get('content-type')).toBe('audio/mpeg')
      expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes)
      const receipt = (await key.get(`/v1/requests/${requestIdOf(reply)}`)).body
      expect(receipt).toMatchObject({
        state: 'completed',
        details: {
          files: [id],
          sound: { format: 'mp3', lines: 1, orders: 1, filled: 1, characters: [...sentence].length },
        },
      })
      const [listed] = (await key.get('/v1/files?limit=1')).body.data
      expect(listed).toMatchObject({ id, source: 'audio', media_type: 'audio/mpeg' })
    })
    expect(cost).toBe(BigInt([...sentence].length * 10_000))
  })

  test('a dialogue has both voices and a pause between them', async () => {
    const turns = [
      { text: 'سلام! امروز چه خواندی؟', voice: 'sandbox-mina' },
      { text: 'داستان رستم و سهراب را.', voice: 'کیان' },
    ]
    const whole = await speak(key, { turns, format: 'wav' })
    const parts = await Promise.all(
      turns.map(({ text, voice }) => speak(key, { text, voice, format: 'wav' })),
    )
    const sum = parts.reduce((seconds, { body }) => seconds + body.output.seconds, 0)
    expect(whole.body.output.seconds).toBeGreaterThan(sum + 0.1)
    expect(whole.body.output.seconds).toBeLessThan(sum + 0.6)
  })

  test('instructions are heard as pace and pitch, and cost nothing more', async () => {
    const said = async (instructions?: string) => {
      const reply = await speak(key, { text: sentence, format: 'wav', instructions })
      const { microcredits } = (await key.receipt(requestIdOf(reply))).body
      const sound = await soundIn(bytesOf(reply))
      return { seconds: reply.body.output.seconds, pitch: pitchOf(sound), microcredits }
    }
    const usual = await said()
    const slow = await said('آهسته‌تر و با صدای بم بخوان.')
    const fast = await said('Speak quickly, in a high voice.')
    expect(slow.seconds / usual.seconds).toBeGreaterThan(1.2)
    expect(fast.seconds / usual.seconds).toBeLessThan(0.85)
    expect(slow.pitch / usual.pitch).toBeCloseTo(0.8, 1)
    expect(fast.pitch / usual.pitch).toBeCloseTo(1.25, 1)
    expect([slow.microcredits, fast.microcredits]).toEqual([usual.microcredits, usual.microcredits])
  })

  test('a recording is answered by what was heard in it and a question back; all three parts of the answer cost', async () => {
    const asked = await speak(key, { text: 'ساعت چند است؟', format: 'wav' })
    const audioInput = { audioBase64: asked.body.output.data, mediaType: 'audio/wav' }
    const reply = await speak(key, { audioInput, format: 'wav' })
    const answer = { audioBase64: bytesOf(reply).toString('base64'), mediaType: 'audio/wav' }
    const { text } = (await key.post('/v1/audio/transcriptions', answer)).body
    expect(text).toMatch(/شبیه‌ساز.*ساعت چند است.*؟$/)
    const { details, microcredits } = (await key.receipt(requestIdOf(reply))).body
    const parts = details.parts.map((part: Record<string, string>) => [
      part['model'],
      Number(part['microcredits']),
    ])
    expect(parts).toEqual([
      ['sandbox/transcribe', expect.any(Number)],
      ['sandbox/fast', expect.any(Number)],
      ['sandbox/speech', expect.any(Number)],
    ])
    expect(parts.every(([, cost]: [string, number]) => cost > 0)).toBe(true)
    expect(Number(microcredits)).toBe(
      parts.reduce((sum: number, [, cost]: [string, number]) => sum + cost, 0),
    )
  })

  test('a recording is answered aloud; what it is comes from its bytes', async () => {
    const audioInput = {
      audioBase64: (await tone('flac', { seconds: 3 })).toString('base64'),
      mediaType: 'audio/webm',
    }
    const reply = await speak(key, { audioInput, format: 'wav' })
    expect(bytesOf(reply).length).toBeGreaterThan(48_000)
    expect(reply.headers.get('x-truncated-audio')).toBeNull()
    const whole = await tone('wav', { seconds: 2 })
    const cut = whole.subarray(0, whole.length / 2).toString('base64')
    const sendCut = () =>
      speak(
        key,
        { audioInput: { audioBase64: cut, mediaType: 'audio/webm;codecs=opus' } },
        { 'idempotency-key': 'cut' },
      )
    const [broken, again] = [await sendCut(), await sendCut()]
    expect(bytesOf(broken).length).toBeGreaterThan(1_000)
    expect(Number(broken.headers.get('x-truncated-audio'))).toBeCloseTo(1, 2)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-truncated-audio')).toBe(broken.headers.get('x-truncated-audio'))
    refusedAt(
      await speak(key, {
        audioInput: { audioBase64: Buffer.alloc(400, 'text').toString('base64'), mediaType: 'audio/wav' },
      }),
      'audioInput.audioBase64',
      'INVALID_MEDIA',
    )
  })
})

describe('bounds, each at its edge and past it', () => {
  const turn = { text: 'سلام', voice: 'sandbox-mina' }
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['text', { text: 'س' }, { text: '' }, 'text'],
    ['long text', { text: `سلام${' '.repeat(11_992)}سلام` }, { text: 'س'.repeat(12_001) }, 'text'],
    ['turns', { turns: Array(40).fill(turn) }, { turns: Array(41).fill(turn) }, 'turns'],
    ['one turn', { turns: [turn, turn] }, { turns: [turn] }, 'turns'],
    ['a turn without a voice', { turns: [turn, turn] }, { turns: [turn, { text: 'a' }] }, 'turns.1.voice'],
    ['speed', { text: 'س', speed: 1 }, { text: 'س', speed: 1.1 }, 'speed'],
    ['format', { text: 'س', format: 'pcm' }, { text: 'س', format: 'opus' }, 'format'],
    ['preset', { text: 'س', preset: 'quality' }, { text: 'س', preset: 'best' }, 'preset'],
    ['voice', { text: 'س', voice: 'sandbox-kian' }, { text: 'س', voice: 'x'.repeat(81) }, 'voice'],
  ])('%s', async (_, inside, beyond, param) => {
    const taken = await speak(key, inside)
    expect(taken.status, taken.text.slice(0, 300)).toBe(200)
    refusedAt(await speak(key, beyond), param)
  })

  test('what no model can do is refused with its field, before anything is held', async () => {
    const calls = upstream.calls.length
    const before = await balance()
    refusedAt(await speak(key, {}), 'text')
    refusedAt(await speak(key, { turns: [turn, turn], text: 'a' }), 'turns')
    refusedAt(await speak(key, { turns: [turn, turn], voice: 'sandbox-mina' }), 'voice')
    refusedAt(await speak(key, { text: '… !!' }), 'text', 'NOTHING_TO_SPEAK')
    refusedAt(await speak(key, { turns: [turn, { ...turn, text: '؟' }] }), 'turns.1.text', 'NOTHING_TO_SPEAK')
    refusedAt(await speak(key, { text: 'a', voice: 'nobody' }), 'voice', 'AUDIO_SETTING_NOT_SUPPORTED')
    refusedAt(
      await speak(key, { turns: [turn, { ...turn, voice: 'nobody' }] }),
      'turns.1.voice',
      'AUDIO_SETTING_NOT_SUPPORTED',
    )
    refusedAt(await speak(key, { text: 'گفتار. '.repeat(1_500), format: 'wav' }), 'format', 'SOUND_TOO_LONG')
    refusedAt(
      await speak(key, { turns: Array(40).fill({ ...turn, text: 'گفتار. '.repeat(1_000) }) }),
      'turns',
      'SOUND_TOO_LONG',
    )
    refusedAt(await speak(key, { text: 'a', seed: 1 }), 'seed', 'UNKNOWN_FIELD')
    refusedAt(await speak(key, { text: 'a', model: 'sandbox/fast' }), 'model', 'MODEL_KIND_MISMATCH')
    expect(upstream.calls.length).toBe(calls)
    expect(await balance()).toBe(before)
  })
})

describe('behind an upstream', () => {
  test('the wanted format passes byte for byte, with voice, instructions and key as the wire has them', async () => {
    const mp3 = await tone('mp3')
    upstream.replyOnce(sound(mp3))
    const reply = await fake({ voice: 'نوا', instructions: 'آهسته' })
    expect(bytesOf(reply)).toEqual(mp3)
    expect(reply.body.output.seconds).toBeCloseTo(1, 1)
    const { path: asked, body, headers } = upstream.calls.at(-1)!
    expect(asked).toBe('/v1/audio/speech')
    expect(headers['authorization']).toBe('Bearer upstream-secret')
    expect(body).toEqual({
      model: 'voice-1',
      input: sentence,
      voice: 'nova',
      instructions: 'آهسته',
      response_format: 'mp3',
    })
  })

  test('another format is made here', async () => {
    upstream.replyOnce(sound(await tone('wav'), 'audio/wav'))
    const reply = await fake({ format: 'pcm' })
    expect(upstream.calls.at(-1)!.body).toMatchObject({ response_format: 'wav' })
    expect(bytesOf(reply).length).toBe(48_000)
  })

  test('a long text is cut at sentences, each part ordered once and in order, and joined without a click', async () => {
    const text = 'این یک جملهٔ آزمایشی است که باید خوانده شود. '.repeat(7).trim()
    const calls = upstream.calls.length
    upstream.reply(() => tone('wav').then((bytes) => sound(bytes, 'audio/wav')))
    const cost = await costOf(async () => {
      const reply = await fake({ text })
      const heard = await soundIn(bytesOf(reply))
      const parts = upstream.calls.slice(calls).map(({ body }) => body?.['input'] as string)
      expect(parts.length).toBeGreaterThan(2)
      expect(parts.join(' ')).toBe(text)
      for (const part of parts)
        expect([part, part.length <= 120, part.endsWith('.')]).toEqual([part, true, true])
      expect(reply.body.output.seconds).toBeCloseTo(parts.length * 1 + (parts.length - 1) * 0.25, 1)
      // A tone of 440 Hz at 0.3 moves less than 0.04 from one sample to the next; a click moves more.
      let largest = 0
      for (let at = 1; at < heard.samples.length; at++)
        largest = Math.max(largest, Math.abs(heard.samples[at]! - heard.samples[at - 1]!))
      expect(largest).toBeLessThan(0.1)
    })
    upstream.reset()
    const spaces = upstream.calls.slice(calls).length - 1
    expect(cost).toBe(BigInt(([...text].length - spaces) * 1_000_000))
  })

  test('turns of different loudness come out even', async () => {
    let quiet = true
    upstream.reply(async () => {
      quiet = !quiet
      return sound(await tone('wav', { seconds: 2, volume: quiet ? 0.03 : 0.4 }), 'audio/wav')
    })
    const turns = [
      { text: 'یکی بود.', voice: 'alloy' },
      { text: 'یکی نبود.', voice: 'nova' },
    ]
    const heard = await soundIn(bytesOf(await fake({ text: undefined, turns, format: 'wav' })))
    upstream.reset()
    const half = Math.floor(heard.samples.length / 2)
    const [first, second] = await Promise.all([
      loudnessOf([{ rate: heard.rate, samples: heard.samples.slice(0, half - 4_000) }]),
      loudnessOf([{ rate: heard.rate, samples: heard.samples.slice(half + 4_000) }]),
    ])
    expect(Math.abs(first! - second!)).toBeLessThan(1)
  })

  test.each<[string, string, () => Promise<Script>, bigint]>([
    // 25 characters at 1,000 USD a million.
    ['by characters', 'test/voice', async () => sound(await tone('mp3')), 25_000_000n],
    // 3 begun seconds of 0.06 USD a minute.
    [
      'by seconds',
      'test/minutes',
      async () => sound(await tone('wav', { seconds: 2.5 }), 'audio/wav'),
      3_000_000n,
    ],
  ])('%s', async (_, model, script, microcredits) => {
    upstream.replyOnce(await script())
    expect(await costOf(() => fake({ model }))).toBe(microcredits)
  })
})

describe('a result that is lost', () => {
  const lossOf = async (): Promise<bigint> => {
    const [row] = await world.app.db.query<{ sum: bigint }>(
      { text: `select coalesce(-sum(amount), 0)::bigint as sum from ledger.entries where book = 'loss'` },
      [],
    )
    return row!.sum
  }

  test.each<[string, () => Promise<Script>]>([
    ['another format, cut short', async () => sound((await tone('flac')).subarray(0, 9_000))],
    ['another format that is nothing but a name', async () => sound(Buffer.from('fLaC'.padEnd(200, '\0')))],
  ])('after %s nothing is charged, ordered again or kept; the platform bears it', async (name, script) => {
    upstream.replyOnce(await script())
    const calls = upstream.calls.length
    const loss = await lossOf()
    const claim = { 'idempotency-key': name.replace(/\W/g, '-') }
    const cost = await costOf(async () => {
      expect((await fake({}, claim)).status).toBeGreaterThanOrEqual(500)
    })
    expect(cost).toBe(0n)
    expect(upstream.calls.length - calls).toBe(1)
    expect(await lossOf()).toBeGreaterThan(loss)
    expect((await fake({}, claim)).body.error.code).toBe('REQUEST_ALREADY_ACCEPTED')
  })

  test('an error in place of sound is the error that it says, and a refusal is nobody’s loss', async () => {
    const loss = await lossOf()
    upstream.replyOnce(json(400, { error: { message: 'no such voice', type: 'invalid_request_error' } }))
    expect((await fake()).status).toBe(400)
    await world.settled()
    expect(await lossOf()).toBe(loss)
  })

  test('of a text in parts one lost part loses all of it', async () => {
    const text = 'این یک جملهٔ آزمایشی است که باید خوانده شود. '.repeat(5)
    upstream.replyOnce(sound(await tone('wav'), 'audio/wav'), reset)
    const calls = upstream.calls.length
    const cost = await costOf(async () => expect((await fake({ text })).status).toBe(502))
    expect(cost).toBe(0n)
    expect(upstream.calls.length - calls).toBe(2)
  })
})

describe('/v1/audio/speech', () => {
  let client: OpenAI
  beforeAll(() => {
    client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  })

  test.each([
    ['mp3', 'audio/mpeg', 'mp3'],
    ['opus', 'audio/ogg', 'opus'],
    ['aac', 'audio/aac', 'aac'],
    ['flac', 'audio/flac', 'flac'],
    ['wav', 'audio/wav', 'pcm_s16le'],
  ] as const)('the OpenAI client gets %s', async (format, mediaType, codec) => {
    const reply = await client.audio.speech.create({
      model: 'sandbox/speech',
      voice: 'sandbox-mina',
      input: sentence,
      response_format: format,
    })
    expect(reply.headers.get('content-type')).toBe(mediaType)
    const bytes = Buffer.from(await reply.arrayBuffer())
    const [listed] = (await key.get('/v1/files?limit=1')).body.data
    const file = Buffer.from(await (await key.raw('GET', `/v1/files/${listed.id}`)).arrayBuffer())
    expect(file.length).toBe(bytes.length)
    if (hasFfmpeg) expect((await judged(file, format === 'opus' ? 'ogg' : format)).codec).toBe(codec)
  })

  test('pcm says its rate; the default is mp3', async () => {
    const pcm = await client.audio.speech.create({
      model: 'sandbox/speech',
      voice: 'sandbox-mina',
      input: 'س',
      response_format: 'pcm',
    })
    expect(pcm.headers.get('content-type')).toBe('audio/pcm; rate=24000; channels=1')
    await pcm.arrayBuffer()
    const usual = await client.audio.speech.create({
      model: 'sandbox/speech',
      voice: 'sandbox-mina',
      input: 'سلام',
    })
    expect(usual.headers.get('content-type')).toBe('audio/mpeg')
    await usual.arrayBuffer()
  })

  test('sound arrives as it comes; its last byte after the charge', async () => {
    const release = Promise.withResolvers<void>()
    const mp3 = await tone('mp3', { seconds: 3 })
    upstream.replyOnce(
      stream([mp3.subarray(0, 6_000), release.promise, mp3.subarray(6_000)], {
        'content-type': 'audio/mpeg',
      }),
    )
    const reply = await key.raw(
      'POST',
      '/v1/audio/speech',
      JSON.stringify({ model: 'test/voice', voice: 'alloy', input: 'x', speed: 1.5 }),
    )
    const reader = reply.body!.getReader()
    const parts: Uint8Array[] = []
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value)
      // All but the last byte of what came is here before the rest was sent.
      if (Buffer.concat(parts).length === 5_999) release.resolve()
    }
    expect(Buffer.concat(parts)).toEqual(mp3)
    expect(upstream.calls.at(-1)!.body).toMatchObject({ speed: 1.5 })
    const { data } = (await key.get('/v1/files?limit=100')).body
    const listed = data.find(({ bytes }: { bytes: number }) => bytes === mp3.length)
    expect(listed).toBeDefined()
    expect((await key.get(`/v1/requests/${listed.receipt_id}`)).body.state).toBe('completed')
  })

  test('a fault before the first sound is an error; after it the line is cut and nothing is charged', async () => {
    upstream.replyOnce(json(500, 'oops'))
    const early = await key.post('/v1/audio/speech', { model: 'test/voice', voice: 'alloy', input: 'x' })
    expect([early.status, early.body.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
    const mp3 = await tone('mp3', { seconds: 3 })
    upstream.replyOnce(
      stream([mp3.subarray(0, 9_000), mp3.subarray(9_000, 12_000), cut], { 'content-type': 'audio/mpeg' }),
    )
    const cost = await costOf(async () => {
      const reply = await key.raw(
        'POST',
        '/v1/audio/speech',
        JSON.stringify({ model: 'test/voice', voice: 'alloy', input: 'x' }),
      )
      if (reply.status === 200) await expect(reply.arrayBuffer()).rejects.toThrow()
    })
    expect(cost).toBe(0n)
  })

  test.each<[Record<string, unknown>, string, string]>([
    [{ input: '' }, 'input', 'INVALID_REQUEST'],
    [{ input: 'x'.repeat(12_001) }, 'input', 'INVALID_REQUEST'],
    [{ input: '…' }, 'input', 'NOTHING_TO_SPEAK'],
    [{ voice: 'nobody' }, 'voice', 'AUDIO_SETTING_NOT_SUPPORTED'],
    [{ speed: 0.2 }, 'speed', 'INVALID_REQUEST'],
    [{ speed: 4.1 }, 'speed', 'INVALID_REQUEST'],
    [{ speed: 3 }, 'speed', 'AUDIO_SETTING_NOT_SUPPORTED'],
    [{ speed: 2, model: 'sandbox/speech', voice: 'sandbox-mina' }, 'speed', 'AUDIO_SETTING_NOT_SUPPORTED'],
    [{ response_format: 'midi' }, 'response_format', 'INVALID_REQUEST'],
    [{ stream_format: 'json' }, 'stream_format', 'INVALID_REQUEST'],
    [{ provider: { options: { elevenlabs: { stability: 1 } } } }, 'provider.options', 'INVALID_REQUEST'],
    [{ model: 'sandbox/image' }, 'model', 'MODEL_KIND_MISMATCH'],
  ])('%o is refused with its field', async (more, param, code) => {
    refusedAt(
      await key.post('/v1/audio/speech', { model: 'test/voice', voice: 'alloy', input: 'x', ...more }),
      param,
      code,
    )
  })

  test('what has no effect is named', async () => {
    upstream.replyOnce(sound(await tone('mp3')))
    const reply = await key.raw(
      'POST',
      '/v1/audio/speech',
      JSON.stringify({
        model: 'test/voice',
        voice: { id: 'alloy' },
        input: 'x',
        seed: 7,
        provider: { options: {} },
      }),
    )
    expect(reply.headers.get('x-ignored-fields')).toBe('seed, provider')
    await reply.arrayBuffer()
  })
})
