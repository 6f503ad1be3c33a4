/** OpenRouter's videos, against their bytes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRouterVideos } from '#providers/openrouter'
import { type FakeUpstream, fakeUpstream, json, stream } from '../harness/upstream.ts'
import { fakeVideoUpstream, videoFixture } from '../harness/video-upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { failsAsItShould, type Outcome, secret } from './media-asking.ts'
import { type Asking, type Filmed, fetching, film, looking, submitting } from './video-asking.ts'
import { everyVideoWire } from './video-wire-cases.ts'

everyVideoWire('openrouter', openRouterVideos)

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream()
})
afterAll(() => upstream[Symbol.asyncDispose]())
beforeEach(() => {
  upstream.calls.length = 0
})

const id = 'gen-vid-1764000000-abcdefghijklmnopqrst'
const ticket = { id, polling_url: 'https://elsewhere.example/videos/1', status: 'pending' }
const open = () => openRouterVideos({ baseUrl: upstream.url, apiKey: secret }, guarded())
async function asked(work: (room: ReturnType<typeof open>) => Promise<Filmed>): Promise<Filmed> {
  await using room = open()
  return await work(room)
}
const submit = (more = {}, asking: Asking = {}) => asked((room) => submitting(room, more, asking))
const look = (asking: Asking = {}, at = id) => asked((room) => looking(room, { id: at }, asking))
const png = (byte: number) => ({ data: new Uint8Array([137, 80, 78, 71, byte]), mediaType: 'image/png' })
const urlOf = (byte: number) => `data:image/png;base64,${Buffer.from(png(byte).data).toString('base64')}`

describe('the request', () => {
  beforeEach(() => upstream.reply(json(202, ticket)))

  test('says what was ordered and nothing else, with the key and the key of the attempt', async () => {
    const heard = await submit({}, { upstreamModel: 'google/veo-3.1' })
    expect(heard.ticket).toEqual({ id })
    const [call] = upstream.calls
    expect(call).toMatchObject({ method: 'POST', path: '/v1/videos' })
    expect(call!.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'idempotency-key': 'a-1',
    })
    expect(call!.bytes.toString()).toBe(
      JSON.stringify({
        model: 'google/veo-3.1',
        prompt: film.prompt,
        duration: 4,
        resolution: '720p',
        aspect_ratio: '16:9',
      }),
    )
  })

  test.each([true, false])('says of sound what was ordered: %s', async (withAudio) => {
    await submit({ withAudio, seed: 0 }, { callbackUrl: 'https://kherad.example/v1/hooks/openrouter/1/t' })
    expect(upstream.calls[0]!.body).toMatchObject({
      generate_audio: withAudio,
      seed: 0,
      callback_url: 'https://kherad.example/v1/hooks/openrouter/1/t',
    })
  })

  test('has pictures to guide it as references, in their order', async () => {
    await submit({ references: [png(1), png(2), png(3)], referenceMode: 'guide' })
    expect(upstream.calls[0]!.body).toMatchObject({
      input_references: [1, 2, 3].map((byte) => ({ type: 'image_url', image_url: { url: urlOf(byte) } })),
    })
    expect(upstream.calls[0]!.body).not.toHaveProperty('frame_images')
  })

  test('has frames as the first one and the last one', async () => {
    await submit({ references: [png(1), png(2)], referenceMode: 'frames' })
    expect(upstream.calls[0]!.body).toMatchObject({
      frame_images: [
        { type: 'image_url', image_url: { url: urlOf(1) }, frame_type: 'first_frame' },
        { type: 'image_url', image_url: { url: urlOf(2) }, frame_type: 'last_frame' },
      ],
    })
    expect(upstream.calls[0]!.body).not.toHaveProperty('input_references')
  })

  test('of a look and of the bytes is built from the id alone, whatever addresses are answered', async () => {
    upstream.reply(
      json(200, { ...ticket, status: 'completed', unsigned_urls: ['https://elsewhere.example/1'] }),
    )
    await look()
    upstream.reply(stream([videoFixture('480p-5s-silent')], { 'content-type': 'video/mp4' }))
    await asked((room) => fetching(room, { id }))
    expect(upstream.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v1/videos/${id}`,
      `GET /v1/videos/${id}/content?index=0`,
    ])
    for (const { headers } of upstream.calls) expect(headers['authorization']).toBe(`Bearer ${secret}`)
  })

  test('is not answered by an id that could lead elsewhere', async () => {
    for (const wrong of ['', '..', '../models', 'a/b', 7, null, 'x'.repeat(501)]) {
      upstream.reply(json(202, { ...ticket, id: wrong }))
      expect((await submit()).error).toMatchObject({ fault: 'malformed', executed: true })
    }
    upstream.reply(json(202, { ...ticket, id: 'x'.repeat(500) }))
    expect((await submit()).ticket?.id).toHaveLength(500)
  })
})

test('a refusal of the content is told by its words, whatever its status', async () => {
  const message = "The prompt violates Google's Responsible AI practices."
  upstream.reply(json(400, { error: { code: 400, message } }))
  expect((await submit()).error).toMatchObject({ fault: 'content_refused', executed: false, detail: message })
  upstream.reply(json(200, { error: { code: 400, message } }))
  expect((await submit()).error).toMatchObject({ fault: 'content_refused', executed: true })
})

describe('a look', () => {
  const seen = async (answer: unknown) => {
    upstream.reply(json(200, answer))
    const { progress, error } = await look()
    return error ?? progress
  }

  test.each([
    [{ status: 'pending' }, { status: 'queued' }],
    [
      { status: 'queued', queue_position: 3 },
      { status: 'queued', position: 3 },
    ],
    [{ status: 'queued', queue_position: -1 }, { status: 'queued' }],
    [{ status: 'in_progress' }, { status: 'processing' }],
    [
      { status: 'processing', progress: 40 },
      { status: 'processing', progress: 40 },
    ],
    [{ status: 'in_progress', progress: 400 }, { status: 'processing' }],
    [
      { status: 'completed', usage: { cost: 0.48, is_byok: false } },
      { status: 'completed', costUsd: 0.48 },
    ],
    [{ status: 'completed', usage: { cost: null } }, { status: 'completed' }],
    [{ status: 'completed', usage: { cost: -1 } }, { status: 'completed' }],
    [{ status: 'completed', usage: { cost: '0.48' } }, { status: 'completed' }],
    [{ status: 'completed' }, { status: 'completed' }],
  ])('%j is %j', async (answer, progress) => {
    expect(await seen({ id, ...answer })).toEqual(progress)
  })

  test.each([
    ['The request failed because the output video may contain sensitive information.', 'content_refused'],
    ["The prompt could not be submitted: it violates Google's Responsible AI practices.", 'content_refused'],
    ['OutputVideoSensitiveContentDetected', 'content_refused'],
    ['Failure to pass the risk control system', 'content_refused'],
    ['InternalError.Algo.DataInspectionFailed', 'content_refused'],
    ['output new_sensitive', 'content_refused'],
    [
      { code: 'imagine:content-moderated', message: 'Generated video rejected by content moderation.' },
      'content_refused',
    ],
    [{ code: 'CONTENT_REFUSED', message: 'The model refused the content.' }, 'content_refused'],
    [{ code: 'UPSTREAM_FAILED', message: 'No answer' }, 'unavailable'],
    [{ code: 429, message: 'slow down' }, 'rate_limited'],
    ['Provider is overloaded', 'unavailable'],
    ['Unsupported aspect ratio', 'unavailable'],
    [undefined, 'unavailable'],
  ])('at a job that failed of %j is %s', async (error, fault) => {
    expect(await seen({ id, status: 'failed', error })).toMatchObject({
      status: 'failed',
      fault: { fault, detail: expect.any(String) },
    })
  })

  test('at a job of another Kherad that failed reads its code beside the sentence', async () => {
    const told = await seen({
      id,
      status: 'failed',
      error: 'مدل خودداری کرد.',
      error_code: 'CONTENT_REFUSED',
    })
    expect(told).toMatchObject({ fault: { fault: 'content_refused', detail: 'مدل خودداری کرد.' } })
  })

  test.each([
    ['cancelled', 'unavailable'],
    ['expired', 'timeout'],
    ['dead', 'unavailable'],
  ])('at a job that is %s is its end', async (status, fault) => {
    expect(await seen({ id, status })).toMatchObject({ status: 'failed', fault: { fault } })
  })

  test('that is answered with a refusal of the content is the end of the job', async () => {
    const error = { code: 400, message: 'imagine:content-moderated: rejected by content moderation' }
    upstream.reply(json(400, { error }))
    expect((await look()).progress).toMatchObject({ status: 'failed', fault: { fault: 'content_refused' } })
  })

  test('at what is no job is malformed', async () => {
    for (const wrong of [[], 'completed', { status: 'done' }, { status: ['completed'] }, null])
      expect(await seen(wrong)).toMatchObject({ fault: 'malformed' })
  })

  test('names no secret in what the vendor says', async () => {
    const told = await seen({ id, status: 'failed', error: `no credit for ${secret}, Bearer abc.def` })
    expect(JSON.stringify(told)).not.toContain(secret)
    expect(JSON.stringify(told)).not.toContain('abc.def')
  })
})

describe('a redirect of the bytes', () => {
  test('within the origin is followed with the key, to another without it', async () => {
    await using fake = await fakeVideoUpstream('openrouter')
    await using room = openRouterVideos({ baseUrl: fake.url, apiKey: secret }, fake.net)
    fake.plan({ states: ['completed'] })
    const job = (await submitting(room)).ticket!
    fake.fail('content', json(307, '', { location: `/v1/videos/${job.id}/content?index=0&again` }))
    fake.fail('content', 'elsewhere')
    expect((await fetching(room, job)).bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
    expect(fake.calls.slice(-2).map(({ path }) => path)).toEqual([
      `/v1/videos/${job.id}/content?index=0`,
      `/v1/videos/${job.id}/content?index=0&again`,
    ])
    for (const { headers } of fake.calls.slice(-2)) expect(headers['authorization']).toBe(`Bearer ${secret}`)
    expect(fake.linked).toHaveLength(1)
    expect(fake.linked[0]!.headers).not.toHaveProperty('authorization')
  })

  test.each([
    ['to an inner address', 'https://169.254.169.254/latest/meta-data'],
    ['to a page without TLS', 'http://files.example.test/1.mp4'],
    ['to no address', 'https://'],
    ['to a file of this machine', 'file:///etc/passwd'],
  ])('%s is malformed', async (_, location) => {
    upstream.reply(json(302, '', { location }))
    await using room = openRouterVideos(
      { baseUrl: upstream.url, apiKey: secret },
      guarded({ allowedCidrs: [] }),
    )
    const { error } = await fetching(room, { id })
    expect(error).toMatchObject({ fault: 'malformed' })
    expect(upstream.calls).toHaveLength(1)
  })

  test('is not followed from any other request', async () => {
    upstream.reply(json(307, '', { location: '/v1/elsewhere' }))
    expect((await submit()).error).toMatchObject({ fault: 'unavailable', executed: true })
    expect((await look()).error).toMatchObject({ fault: 'unavailable' })
    expect(upstream.calls.map(({ path }) => path)).toEqual(['/v1/videos', `/v1/videos/${id}`])
  })
})

test('a webhook names its job, and other bodies none', () => {
  const { jobOf } = open()
  const data = { id, status: 'completed' }
  expect(jobOf!({ type: 'video.generation.completed', data })).toBe(id)
  expect(jobOf!({ type: 'video.generation.failed', id })).toBe(id)
  expect(jobOf!({ type: 'video.completed', id: 'evt_1', data })).toBe(id)
  const others = [
    null,
    [],
    'video',
    {},
    { data },
    { type: 7, data },
    { type: 'response.completed', data },
    { type: 'video.completed', data: { id: '../../models' } },
    { type: 'video.completed', data: {} },
    { type: 'video.completed', data: [] },
  ]
  for (const other of others) expect(jobOf!(other)).toBeUndefined()
})

const asOutcome = async (filmed: Promise<Filmed>): Promise<Outcome> => {
  const { error } = await filmed
  return { sound: Buffer.alloc(0), ...(error && { error }) }
}

describe('the submission', () => {
  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => asOutcome(submit({}, options)),
    good: () => ({ body: Buffer.from(JSON.stringify(ticket)), type: 'application/json' }),
  })
})

describe('the look', () => {
  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => asOutcome(look(options)),
    good: () => ({
      body: Buffer.from(JSON.stringify({ ...ticket, status: 'completed' })),
      type: 'application/json',
    }),
  })
})
