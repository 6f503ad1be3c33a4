/** Videos at the edges of what is taken, and of what vendors answer, over HTTP. */
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { guardedFor, openReceiver, type Receiver } from '../../account/webhooks-world.ts'
import { expectRefusal } from '../../contract/refusal.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import {
  bootVideos,
  hasLeft,
  lossOf,
  price,
  untilFetched,
  untilMoved,
  type VideoWorld,
} from '../../media/videos/video-world.ts'

const edges = `  - id: test/edges
    kind: video
    deployments: [{ provider: fake, model: edges }]
    video: { combinations: [{ resolution: 480p, durations: [1, 30], aspect_ratios: ["16:9"], audio: never }], references: { guide: 8 }, seed: true }
    pricing: { per_second: 0.01 }`

let at: VideoWorld
let key: Client
let receiver: Receiver
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  receiver = stack.use(await openReceiver())
  at = stack.use(await bootVideos({ credits: 1_000_000, rest: edges, net: guardedFor() }))
  key = await at.world.key()
})
afterAll(() => stack.disposeAsync())
beforeEach(() => at.vendor.plan({ states: ['completed'] }))

const routes = ['/v1/videos', '/v1/studio/video'] as const
type Body = Record<string, unknown>

const order = (route: string, more: Body = {}, headers: Record<string, string> = {}) =>
  key.post(route, { model: 'test/edges', prompt: 'گربه', ...more }, headers)

/** The end of the one that was ordered last; every order of these tests ends before the next. */
async function over(reply: Seen, stepMs = 1_000): Promise<Seen> {
  expect(reply.status, reply.text).toBe(202)
  return untilFetched(
    at,
    async () => {
      const seen = await key.get(`/v1/videos/${reply.body.id}`)
      return ['pending', 'in_progress'].includes(seen.body.status) ? undefined : seen
    },
    stepMs,
  )
}

const sent = (): Body => at.vendor.jobs.at(-1)!.order

async function refusedFree(send: () => Promise<Seen>, refusal: Parameters<typeof expectRefusal>[1]) {
  const [before, jobs] = [await at.world.balance(), at.vendor.jobs.length]
  const seen = await send()
  expectRefusal(seen, refusal)
  expect(await at.world.balance()).toEqual(before)
  expect(at.vendor.jobs).toHaveLength(jobs)
  return seen
}

describe.each(routes)('%s', (route) => {
  test.each<[string, Body, Body]>([
    ['a duration of 1', { duration: 1 }, { duration: 1 }],
    ['a duration of 30', { duration: 30 }, { duration: 30 }],
    ['a prompt of 8,000 characters', { prompt: 'ا'.repeat(8_000) }, { prompt: 'ا'.repeat(8_000) }],
    ['a prompt of 8,000 pairs', { prompt: '😀'.repeat(8_000) }, { prompt: '😀'.repeat(8_000) }],
    ['a prompt with half spaces', { prompt: '\u200cمی\u200cرود' }, { prompt: '\u200cمی\u200cرود' }],
  ])('%s is taken, and reaches the vendor as it is', async (_, asked, wanted) => {
    expect((await over(await order(route, asked))).body.status).toBe('completed')
    expect(sent()).toMatchObject(wanted)
  })

  test.each<[string, Body, string, string]>([
    ['a duration of 0', { duration: 0 }, 'duration', 'INVALID_REQUEST'],
    ['a duration of 31', { duration: 31 }, 'duration', 'INVALID_REQUEST'],
    ['a duration of 1.5', { duration: 1.5 }, 'duration', 'INVALID_REQUEST'],
    ['a duration between those of the card', { duration: 2 }, 'duration', 'VIDEO_SETTING_NOT_SUPPORTED'],
    ['a prompt of 8,001 characters', { prompt: 'ا'.repeat(8_001) }, 'prompt', 'INVALID_REQUEST'],
    ['a prompt of 8,001 pairs', { prompt: '😀'.repeat(8_001) }, 'prompt', 'INVALID_REQUEST'],
    ['half spaces alone', { prompt: '\u200c\u200c' }, 'prompt', 'INVALID_REQUEST'],
    ['marks without width alone', { prompt: '\u200b\u2060\ufeff\u200f' }, 'prompt', 'INVALID_REQUEST'],
  ])('%s is refused, and costs nothing', async (_, asked, param, code) => {
    await refusedFree(() => order(route, asked), { status: 400, code, param })
  })

  test('numbers of a Persian refusal are in Persian digits, and what is typed stays as it is typed', async () => {
    const fa = { 'accept-language': 'fa' }
    const long = await order(route, { duration: 2 }, fa)
    expect(long.body.error.message).toMatch(/duration مقدار ۲ را .*۱، ۳۰/)
    const sharp = await order(route, { resolution: '1080p' }, fa)
    expect(sharp.body.error.message).toMatch(/مقدار 1080p را .*480p/)
  })

  test('nine pictures are refused', async () => {
    const small = await pictureOfCharacters(1_000)
    const param = route === '/v1/videos' ? 'input_references' : 'references'
    await refusedFree(() => order(route, pictures(route, Array(9).fill(small))), {
      status: 400,
      code: 'INVALID_REQUEST',
      param,
    })
  })
})

const pictures = (route: string, urls: readonly string[]): Body =>
  route === '/v1/videos'
    ? { input_references: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }
    : { references: urls.map((dataUrl) => ({ dataUrl })) }

/** A data URL of exactly so many characters, a multiple of four: a png with bytes after its end. */
async function pictureOfCharacters(characters: number): Promise<string> {
  // With a parameter, so that what follows can fill the length exactly.
  const head = 'data:image/png;n=abc;base64,'
  const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const bytes = Buffer.alloc(Math.floor(((characters - head.length) * 3) / 4))
  small.copy(bytes)
  const url = head + bytes.toString('base64')
  expect(url.length).toBe(characters)
  return url
}

describe('the largest orders', () => {
  const route = '/v1/studio/video'

  test('eight pictures of exactly 12,000,000 characters are taken, and one character more in any is refused', async () => {
    const whole = await pictureOfCharacters(12_000_000)
    const eight = await over(await order(route, pictures(route, Array(8).fill(whole))))
    expect(eight.body.status).toBe('completed')
    expect(sent()['input_references']).toHaveLength(8)
    const long = `${whole}A`
    expect(long.length).toBe(12_000_001)
    const param = 'references.1.dataUrl'
    const small = await pictureOfCharacters(1_000)
    await refusedFree(() => order(route, pictures(route, [small, long])), {
      status: 400,
      code: 'INVALID_REQUEST',
      param,
    })
  })

  test('nine of the largest pictures do not fit into the body', async () => {
    const whole = await pictureOfCharacters(12_000_000)
    await refusedFree(() => order(route, pictures(route, Array(9).fill(whole))), {
      status: 413,
      code: 'BODY_TOO_LARGE',
    })
  })

  test('the body has at most 100 MiB, to the byte', async () => {
    const text = JSON.stringify({ model: 'test/edges', prompt: 'a cat' })
    const padded = (bytes: number) => `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`
    const limit = 100 * 1024 * 1024
    expect((await over(await key.request('POST', '/v1/videos', padded(limit)))).body.status).toBe('completed')
    await refusedFree(() => key.request('POST', '/v1/videos', padded(limit + 1)), {
      status: 413,
      code: 'BODY_TOO_LARGE',
    })
  })
})

describe('/v1/videos alone', () => {
  test.each([0, 2 ** 31 - 1])('a seed of %i is taken', async (seed) => {
    await over(await order('/v1/videos', { seed }))
    expect(sent()['seed']).toBe(seed)
  })

  test.each([-1, 2 ** 31, 0.5, '7'])('a seed of %j is refused', async (seed) => {
    const refusal = { status: 400, code: 'INVALID_REQUEST', param: 'seed' }
    await refusedFree(() => order('/v1/videos', { seed }), refusal)
  })

  test('seconds of 1 and 30 are taken as their numbers', async () => {
    for (const seconds of ['1', '30']) {
      await over(await order('/v1/videos', { seconds }))
      expect(sent()['duration']).toBe(Number(seconds))
    }
  })

  test('a callback_url of 2,048 characters is called, one of 2,049 is refused', async () => {
    const url = receiver.url('edge')
    const long = (characters: number) => `${url}?${'x'.repeat(characters - url.length - 1)}`
    const reply = await order('/v1/videos', { callback_url: long(2_048) })
    expect((await over(reply)).body.status).toBe('completed')
    const name = long(2_048).slice(receiver.url('').length)
    await until(() => receiver.got(name).length === 1)
    const refusal = { status: 400, code: 'INVALID_REQUEST', param: 'callback_url' }
    await refusedFree(() => order('/v1/videos', { callback_url: long(2_049) }), refusal)
  })

  test('what the upstream does not say of progress is not said', async () => {
    at.vendor.plan({ states: ['processing'] })
    const reply = await order('/v1/videos')
    expect(reply.body).not.toHaveProperty('progress')
    await untilMoved(
      at.clock,
      async () => (await key.get(`/v1/videos/${reply.body.id}`)).body.status === 'in_progress',
    )
    at.vendor.jobs.at(-1)!.states = ['failed']
    expect((await over(reply)).body).not.toHaveProperty('progress')
  })
})

describe('the id that a vendor gives its job', () => {
  const short = { model: 'test/film' }

  test.each([1, 200, 201, 500])('of %i characters is looked at and fetched', async (characters) => {
    at.vendor.plan({ id: 'j'.repeat(characters), states: ['completed'] })
    const { body } = await over(await order('/v1/videos', short))
    expect(body.status, JSON.stringify(body)).toBe('completed')
    const pair = await key.post('/v1/studio/video/status', {
      id: body.id,
      providerJobId: 'j'.repeat(characters),
    })
    // Ours hides it.
    expect(pair.status).toBe(characters > 200 ? 400 : 404)
  })

  test.each([
    ['is too long', 'j'.repeat(501)],
    ['leads elsewhere', '../../v1/keys'],
    ['leads to another host', '//example.com/x'],
    ['holds what no database takes', 'job\u0000x'],
    ['is nothing', ''],
    ['breaks a line', 'job\r\nx-header: y'],
  ])('that %s is no id: never asked for, never ordered again, and a loss that is booked', async (_, id) => {
    const [lost, jobs, calls] = [await lossOf(at.world), at.vendor.jobs.length, at.vendor.calls.length]
    const before = await at.world.balance()
    at.vendor.plan({ id, states: ['completed'] })
    // Ten minutes are waited for its webhook.
    const reply = await order('/v1/videos', short)
    await hasLeft(at.world, reply.body.id)
    at.clock.moveMs(10 * 60_000)
    // The clock hardly moves: a poller that comes late finds no other end.
    const { body } = await over(reply, 10)
    expect(body).toMatchObject({ status: 'failed', error_code: 'UPSTREAM_FAILED', usage: { cost: 0 } })
    expect(at.vendor.jobs).toHaveLength(jobs + 1)
    expect(at.vendor.calls.slice(calls).map((call) => at.vendor.legOf(call))).toEqual(['submit'])
    expect(await at.world.balance()).toEqual(before)
    expect((await lossOf(at.world)) - lost).toBe(price)
  })
})

describe('a video that comes in another container', () => {
  test.each([
    [
      'WebM',
      Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84]), Buffer.from('webm')]),
    ],
    ['QuickTime', Buffer.concat([Buffer.from([0, 0, 0, 20]), Buffer.from('ftypqt  \0\0\0\0qt  ')])],
  ])('%s is not kept, free for its caller, and a loss', async (_, video) => {
    const [lost, jobs] = [await lossOf(at.world), at.vendor.jobs.length]
    const before = await at.world.balance()
    at.vendor.plan({ video, states: ['completed'] })
    const { body } = await over(await order('/v1/videos', { model: 'test/film' }))
    expect(body).toMatchObject({ status: 'failed', error_code: 'UPSTREAM_FAILED', usage: { cost: 0 } })
    expect(at.vendor.jobs).toHaveLength(jobs + 1)
    expect(await at.world.balance()).toEqual(before)
    expect((await lossOf(at.world)) - lost).toBe(price)
  })
})

describe('a part of a video', () => {
  test('that begins after its end is 416 however far, and what is no range is the whole', async () => {
    const { body } = await over(await order('/v1/videos', { model: 'test/film' }))
    const path = `/v1/videos/${body.id}/content`
    const of = async (range: string) => {
      const reply = await key.raw('GET', path, undefined, { range })
      const bytes = (await reply.arrayBuffer()).byteLength
      return { status: reply.status, bytes, range: reply.headers.get('content-range') }
    }
    const size = at.vendor.jobs.at(-1)!.video.length
    for (const from of [`${size}`, '9'.repeat(15), '9'.repeat(16), '9'.repeat(400)])
      expect(await of(`bytes=${from}-`), from).toMatchObject({ status: 416, range: `bytes */${size}` })
    for (const none of ['bytes=x-', 'bytes=5-4', 'bytes=1 2-', 'seconds=0-1'])
      expect(await of(none), none).toMatchObject({ status: 200, bytes: size })
    expect(await of(`bytes=0-${'9'.repeat(30)}`)).toMatchObject({ status: 206, bytes: size })
  })
})
