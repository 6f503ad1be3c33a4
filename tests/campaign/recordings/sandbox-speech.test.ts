/** The simulator of speech takes orders to fail, as servers do, and lets a fallback answer where it has given no byte. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { sandboxAudio } from '#sandbox'
import type { Client } from '../../harness/client.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, stream } from '../../harness/upstream.ts'
import type { World } from '../../harness/world.ts'
import { patient } from '../../providers/asking.ts'
import { speaking } from '../../providers/media-asking.ts'
import { requestIdOf } from '../../text/chat-world.ts'

const run = promisify(execFile)
const hasFfmpeg = await run('ffprobe', ['-version']).then(
  () => true,
  () => false,
)
if (!hasFfmpeg) console.log('Metadata of sound is not read by ffprobe: it is not installed.')

/** The comment that ffprobe reads in a file or in its stream. */
async function commentOf(bytes: Buffer): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-note-'))
  try {
    const file = path.join(folder, 'sound')
    await writeFile(file, bytes)
    const probe = await run('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', file])
    expect(probe.stderr).toBe('')
    const { format, streams } = JSON.parse(probe.stdout)
    return { ...streams[0].tags, ...format.tags }.comment
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function tone(format: 'mp3' | 'wav'): Promise<Buffer> {
  const samples = Float32Array.from({ length: 24_000 }, (_, at) => 0.3 * Math.sin(at / 9))
  const { bytes } = await encodeWhole([{ rate: 24_000, samples }], { format, maxBytes: 1e9 })
  return Buffer.from(bytes)
}

const sentence = 'توانا بود هر که دانا بود، ز دانش دل پیر برنا بود.'

const configOf = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, dialects: [speech] }
models:
  - id: test/first
    kind: audio
    deployments: [{ provider: sandbox, model: speech }]
    fallbacks: [test/second]
    audio: { voices: [{ id: sandbox-mina }], formats: [pcm] }
    pricing: { per_million_characters: 10 }
  - id: test/second
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio: { voices: [{ id: sandbox-mina }], formats: [mp3] }
    pricing: { per_million_characters: 10 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

let upstream: FakeUpstream
let world: World
let key: Client
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: configOf(upstream.url), credits: 1_000 }))
  key = await world.key()
})
afterAll(() => stack.disposeAsync())

const speak = (order: string, body: Record<string, unknown> = {}) =>
  key.post('/v1/studio/audio', {
    model: 'sandbox/speech',
    text: `${sentence} [[sandbox: ${order}]]`,
    ...body,
  })

describe('an order to fail is free', () => {
  test.each([
    ['fault=connect', 502, 'UPSTREAM_FAILED'],
    ['fault=reset', 502, 'UPSTREAM_FAILED'],
    ['fault=rate_limited', 429, 'UPSTREAM_RATE_LIMITED'],
    ['fault=overloaded', 529, 'UPSTREAM_OVERLOADED'],
    ['fault=unavailable', 502, 'UPSTREAM_FAILED'],
    ['fault=malformed', 502, 'UPSTREAM_FAILED'],
    ['fault=malformed after=2', 502, 'UPSTREAM_FAILED'],
    ['fault=cut', 502, 'UPSTREAM_FAILED'],
    ['fault=reset after=1000', 502, 'UPSTREAM_FAILED'],
    ['fault=content_refused', 400, 'CONTENT_REFUSED'],
    ['refuse', 400, 'CONTENT_REFUSED'],
    ['bytes=wrong', 502, 'UPSTREAM_FAILED'],
    ['bytes=cut', 502, 'UPSTREAM_FAILED'],
    ['fault=nonsense', 400, 'UPSTREAM_INVALID_REQUEST'],
  ])('%s', async (order, status, code) => {
    const before = await world.balance()
    const reply = await speak(order)
    expect([reply.status, reply.body.error.code], reply.text).toEqual([status, code])
    await world.settled()
    expect(await world.balance()).toEqual(before)
  })

  test('one of the two voices of a dialogue has it', async () => {
    const turns = [
      { text: 'سلام.', voice: 'sandbox-mina' },
      { text: 'درود. [[sandbox: bytes=cut]]', voice: 'sandbox-kian' },
    ]
    expect((await speak('', { text: undefined, turns })).status).toBe(502)
  })
})

const mark = 'Made by the Kherad sandbox, a simulator without a model.'

describe.runIf(hasFfmpeg)('says in its metadata that a simulator made it', () => {
  test.each(['mp3', 'wav', 'opus', 'flac'])('%s, streamed and as a file', async (format) => {
    const body = { model: 'sandbox/speech', input: sentence, response_format: format }
    const reply = await key.raw('POST', '/v1/audio/speech', JSON.stringify(body))
    expect(await commentOf(Buffer.from(await reply.arrayBuffer()))).toBe(mark)
    const [listed] = (await key.get('/v1/files?limit=1')).body.data
    const file = await key.raw('GET', `/v1/files/${listed.id}`)
    expect(await commentOf(Buffer.from(await file.arrayBuffer()))).toBe(mark)
  })

  test.each(['mp3', 'wav'])('a dialogue and an answer of Studio too, as %s', async (format) => {
    const turns = [
      { text: 'سلام.', voice: 'sandbox-mina' },
      { text: 'درود.', voice: 'sandbox-kian' },
    ]
    const audioInput = { audioBase64: (await tone('wav')).toString('base64'), mediaType: 'audio/wav' }
    for (const more of [{ turns }, { audioInput }]) {
      const reply = await key.post('/v1/studio/audio', { model: 'sandbox/speech', format, ...more })
      const bytes = Buffer.from(reply.body.output.data, 'base64')
      expect(await commentOf(bytes)).toBe(mark)
      if (format === 'wav') expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
    }
  })

  test('sound of a model that is made anew says that a model made it; what is passed on stays as it came', async () => {
    upstream.reply(async ({ body }) =>
      stream([await tone(body?.['voice'] === 'sandbox-mina' ? 'wav' : 'mp3')], {
        'content-type': 'audio/wav',
      }),
    )
    const made = await speak('', { model: 'test/second' })
    expect(await commentOf(Buffer.from(made.body.output.data, 'base64'))).toBe('AI-generated speech.')
    const mp3 = await tone('mp3')
    upstream.reply(stream([mp3], { 'content-type': 'audio/mpeg' }))
    const passed = await speak('', { model: 'test/second' })
    expect(Buffer.from(passed.body.output.data, 'base64').equals(mp3)).toBe(true)
  })
})

describe('what is not a failure', () => {
  test('usage may be left out, and another model may be meant', async () => {
    for (const order of ['omit=usage', 'fault=reset on=other', 'first_token_ms=30 token_ms=1'])
      expect((await speak(order)).status, order).toBe(200)
  })
})

describe('a fallback', () => {
  test('answers in its own format, byte for byte, where nothing was said yet', async () => {
    const mp3 = await tone('mp3')
    upstream.replyOnce(stream([mp3], { 'content-type': 'audio/mpeg' }))
    const reply = await speak('fault=overloaded on=speech', { model: 'test/first' })
    expect(reply.status, reply.text).toBe(200)
    expect(Buffer.from(reply.body.output.data, 'base64').equals(mp3)).toBe(true)
    const { attempts } = (await key.get(`/v1/requests/${requestIdOf(reply)}`)).body.details
    const outcomes = attempts.map(({ outcome }: { outcome: string }) => outcome)
    expect([outcomes[0], outcomes.at(-1)]).toEqual(['overloaded', 'answered'])
  })

  test('is not asked where something was', async () => {
    const calls = upstream.calls.length
    expect((await speak('fault=overloaded after=2', { model: 'test/first' })).status).toBe(529)
    expect(upstream.calls.length).toBe(calls)
  })
})

test('silence ends by the time that is left, before and after the first sound', async () => {
  const room = () => Object.assign(sandboxAudio(), { [Symbol.asyncDispose]: async () => {} })
  const timeouts = { ...patient, firstByteMs: 30, idleMs: 30, totalMs: 200 }
  for (const [after, isHeard] of [
    [0, false],
    [2, true],
  ] as const) {
    const lines = [{ text: `${sentence} [[sandbox: fault=stall after=${after}]]`, voice: 'sandbox-mina' }]
    const { error, format } = await speaking(room(), { lines }, { timeouts, upstreamModel: 'speech' })
    expect([error?.fault, format !== undefined]).toEqual(['timeout', isHeard])
  }
})
