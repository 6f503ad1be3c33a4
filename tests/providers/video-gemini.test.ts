/** Gemini's videos, by operations and by interactions, against their bytes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { geminiVideos } from '#providers/gemini'
import {
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import { fakeVideoUpstream, videoFixture } from '../harness/video-upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { failsAsItShould, type Outcome, secret } from './media-asking.ts'
import { type Asking, type Filmed, fetching, film, looking, submitting } from './video-asking.ts'
import { everyVideoWire } from './video-wire-cases.ts'

describe('operations', () => everyVideoWire('gemini', geminiVideos))
describe('interactions', () => everyVideoWire('interactions', geminiVideos))

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream()
})
afterAll(() => upstream[Symbol.asyncDispose]())
beforeEach(() => {
  upstream.calls.length = 0
})

const operation = 'models/veo-3.1-generate-preview/operations/abc-123'
const interaction = 'v1_abc-123'
const veoCard = json(200, { name: 'models/veo', supportedGenerationMethods: ['predictLongRunning'] })
const omniCard = json(200, {
  name: 'models/omni',
  supportedGenerationMethods: ['generateContent', 'countTokens'],
})
/** What everything but the card is answered with. */
const answering = (card: Script, rest: Script) =>
  upstream.reply((call: UpstreamCall) => (/\/models\/[^/:]+$/.test(call.path) ? card : rest))

const open = () => geminiVideos({ baseUrl: upstream.url, apiKey: secret }, guarded({ allowedCidrs: [] }))
async function asked(work: (room: ReturnType<typeof open>) => Promise<Filmed>): Promise<Filmed> {
  await using room = open()
  return await work(room)
}
const submit = (more = {}, asking: Asking = {}) =>
  asked((room) => submitting(room, more, { upstreamModel: 'veo-3.1', ...asking }))
const look = (id: string, asking: Asking = {}) => asked((room) => looking(room, { id }, asking))
const png = (byte: number) => ({ data: new Uint8Array([137, 80, 78, 71, byte]), mediaType: 'image/png' })
const base64 = (byte: number) => Buffer.from(png(byte).data).toString('base64')
const sent = () => upstream.calls.find(({ method }) => method === 'POST')!

describe('an operation', () => {
  beforeEach(() => answering(veoCard, json(200, { name: operation })))

  test('is ordered with the key in its own header and every byte of its body', async () => {
    expect((await submit()).ticket).toEqual({ id: operation })
    expect(upstream.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/models/veo-3.1',
      'POST /v1/models/veo-3.1:predictLongRunning',
    ])
    expect(sent().headers).toMatchObject({ 'x-goog-api-key': secret })
    expect(sent().headers).not.toHaveProperty('authorization')
    expect(sent().bytes.toString()).toBe(
      JSON.stringify({
        instances: [{ prompt: film.prompt }],
        parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 4 },
      }),
    )
  })

  test('has frames as image and last frame, pictures to guide it as assets, and a seed', async () => {
    const picture = (byte: number) => ({ bytesBase64Encoded: base64(byte), mimeType: 'image/png' })
    await submit({ references: [png(1), png(2)], referenceMode: 'frames', seed: 7 })
    expect(sent().body).toMatchObject({
      instances: [{ prompt: film.prompt, image: picture(1), lastFrame: picture(2) }],
      parameters: { seed: 7 },
    })
    upstream.calls.length = 0
    await submit({ references: [png(1)], referenceMode: 'frames' })
    expect(sent().body?.['instances']).toEqual([{ prompt: film.prompt, image: picture(1) }])
    upstream.calls.length = 0
    await submit({ references: [png(1), png(2)], referenceMode: 'guide' })
    expect(sent().body?.['instances']).toEqual([
      {
        prompt: film.prompt,
        referenceImages: [1, 2].map((byte) => ({ image: picture(byte), referenceType: 'asset' })),
      },
    ])
  })

  test('is not answered by a name that could lead elsewhere', async () => {
    for (const name of [
      '',
      'operations',
      'operations/..',
      'files/1',
      'models/a/b/operations/1',
      '../operations/1',
      7,
    ]) {
      answering(veoCard, json(200, { name }))
      expect((await submit()).error).toMatchObject({ fault: 'malformed', executed: true })
    }
  })

  test.each([
    [{ name: operation }, { status: 'processing' }],
    [{ name: operation, metadata: {}, done: false }, { status: 'processing' }],
    [
      { done: true, error: { code: 13, message: 'broken' } },
      { status: 'failed', fault: { fault: 'unavailable', detail: 'broken' } },
    ],
    [
      {
        done: true,
        error: { code: 3, message: "The input image violates Google's Responsible AI practices." },
      },
      { status: 'failed', fault: { fault: 'content_refused' } },
    ],
    [
      { done: true, response: { generateVideoResponse: { raiMediaFilteredReasons: ['words of Google'] } } },
      { status: 'failed', fault: { fault: 'content_refused', detail: 'words of Google' } },
    ],
    [
      { done: true, response: { generateVideoResponse: { raiMediaFilteredCount: 1 } } },
      { status: 'failed', fault: { fault: 'content_refused' } },
    ],
    [
      { done: true, response: {} },
      { status: 'failed', fault: { fault: 'unavailable' } },
    ],
    [{ done: true }, { status: 'failed', fault: { fault: 'unavailable' } }],
    [
      { done: true, response: { generatedSamples: [{ video: { uri: 'https://a/1' } }] } },
      { status: 'completed' },
    ],
  ])('that is %j', async (answer, progress) => {
    upstream.reply(json(200, answer))
    expect((await look(operation)).progress).toMatchObject(progress)
    expect(upstream.calls[0]).toMatchObject({ method: 'GET', path: `/v1/${operation}` })
  })

  test('is malformed where it has no state', async () => {
    for (const answer of [[], null, {}, { done: 'yes', name: operation }]) {
      upstream.reply(json(200, answer))
      expect((await look(operation)).error).toMatchObject({ fault: 'malformed' })
    }
  })

  describe('its look', () => {
    failsAsItShould({
      upstream: () => upstream,
      ask: (options) => asOutcome(look(operation, options)),
      good: () => ({
        body: Buffer.from(JSON.stringify({ name: operation, done: true })),
        type: 'application/json',
      }),
    })
  })
})

describe('an interaction', () => {
  const body = {
    model: 'omni',
    input: film.prompt,
    background: true,
    store: true,
    response_format: {
      type: 'video',
      aspect_ratio: '16:9',
      resolution: '720p',
      duration: '4s',
      delivery: 'uri',
    },
    generation_config: { video_config: { task: 'text_to_video' } },
  }
  beforeEach(() => answering(omniCard, json(200, { id: interaction, status: 'in_progress' })))
  const order = (more = {}) => submit(more, { upstreamModel: 'omni' })

  test('is ordered with every byte of its body', async () => {
    expect((await order()).ticket).toEqual({ id: interaction })
    expect(sent().path).toBe('/v1/interactions')
    expect(sent().headers).toMatchObject({ 'x-goog-api-key': secret })
    expect(sent().bytes.toString()).toBe(JSON.stringify(body))
  })

  test.each([
    ['guide', 2, 'reference_to_video'],
    ['frames', 1, 'image_to_video'],
    ['frames', 2, undefined],
  ] as const)('of the mode %s with %d pictures is the task %s', async (referenceMode, count, task) => {
    const bytes = Array.from({ length: count }, (_, at) => at + 1)
    await order({ references: bytes.map(png), referenceMode, seed: 3 })
    expect(sent().body).toEqual({
      ...body,
      input: [
        ...bytes.map((byte) => ({ type: 'image', data: base64(byte), mime_type: 'image/png' })),
        { type: 'text', text: film.prompt },
      ],
      generation_config: { seed: 3, ...(task && { video_config: { task } }) },
    })
  })

  const uri = 'https://generativelanguage.googleapis.com/v1beta/files/f-1:download?alt=media'
  test.each([
    [{ status: 'queued' }, { status: 'queued' }],
    [{ status: 'in_progress' }, { status: 'processing' }],
    [{ status: 'completed', output_video: { uri: 'https://a.example/1' } }, { status: 'completed' }],
    [
      { status: 'completed', steps: [] },
      { status: 'failed', fault: { fault: 'unavailable' } },
    ],
    [
      { status: 'failed', error: { message: 'Blocked by our moderation system' } },
      { status: 'failed', fault: { fault: 'content_refused' } },
    ],
    [
      { status: 'failed', steps: [{ error: { message: 'broken' } }] },
      { status: 'failed', fault: { fault: 'unavailable', detail: 'broken' } },
    ],
    [{ status: 'cancelled' }, { status: 'failed', fault: { fault: 'unavailable' } }],
  ])('that is %j', async (answer, progress) => {
    upstream.reply(json(200, { id: interaction, ...answer }))
    expect((await look(interaction)).progress).toMatchObject(progress)
    expect(upstream.calls[0]).toMatchObject({ method: 'GET', path: `/v1/interactions/${interaction}` })
  })

  test.each([
    ['PROCESSING', { status: 'processing' }],
    ['ACTIVE', { status: 'completed' }],
    ['FAILED', { status: 'failed', fault: { fault: 'unavailable' } }],
  ])('whose file is %s', async (state, progress) => {
    upstream.reply(({ path }) =>
      path.includes('/files/')
        ? json(200, { state })
        : json(200, { status: 'completed', output_video: { uri } }),
    )
    expect((await look(interaction)).progress).toMatchObject(progress)
    expect(upstream.calls[1]).toMatchObject({ method: 'GET', path: '/v1/files/f-1' })
  })
})

describe('the card of a model', () => {
  test('is asked for once', async () => {
    answering(omniCard, json(200, { id: interaction }))
    await using room = open()
    for (let times = 0; times < 2; times += 1) await submitting(room, {}, { upstreamModel: 'omni' })
    expect(upstream.calls.map(({ path }) => path)).toEqual([
      '/v1/models/omni',
      '/v1/interactions',
      '/v1/interactions',
    ])
  })

  test.each<[string, Script]>([
    ['is unknown', json(404, { error: { code: 404, message: 'no such page' } })],
    ['says nothing of methods', json(200, {})],
  ])('that %s leaves the older wire', async (_, card) => {
    answering(card, json(200, { name: operation }))
    expect((await submit()).ticket).toEqual({ id: operation })
  })

  test.each<[string, Script, string]>([
    ['a refusal of the key', json(401, { error: { message: secret } }), 'authentication'],
    ['an outage', json(500, { error: { message: 'broken' } }), 'unavailable'],
    ['a broken line', reset, 'reset'],
    ['a page', json(200, '<!doctype html>'), 'malformed'],
  ])('that comes to %s orders nothing', async (_, card, fault) => {
    answering(card, json(200, { name: operation }))
    expect((await submit()).error).toMatchObject({ fault, executed: false })
    expect(upstream.calls).toHaveLength(1)
  })
})

describe('the bytes', () => {
  const samples = (uri: string) =>
    json(200, { done: true, response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } })

  test.each([
    'https://generativelanguage.googleapis.com/v1beta/files/f-1:download?alt=media',
    'https://elsewhere.example/v1beta/files/f-1:download?alt=media&key=x',
    'files/f-1',
  ])('of %s are read from the configured address, with the key', async (uri) => {
    const whole = videoFixture('480p-5s-silent')
    upstream.reply(({ path }) =>
      path.includes('/files/') ? stream([whole], { 'content-type': 'video/mp4' }) : samples(uri),
    )
    const { bytes } = await asked((room) => fetching(room, { id: operation }))
    expect(bytes.equals(whole)).toBe(true)
    expect(upstream.calls[1]).toMatchObject({ method: 'GET', path: '/v1/files/f-1:download?alt=media' })
    expect(upstream.calls[1]!.headers['x-goog-api-key']).toBe(secret)
  })

  test.each([
    'https://10.0.0.1/files/f-1/x.mp4',
    'http://storage.example/1.mp4',
    'file:///etc/passwd',
    'files/../../secrets',
    '',
  ])('of %s are not read', async (uri) => {
    upstream.reply(samples(uri))
    const { error } = await asked((room) => fetching(room, { id: operation }))
    expect(error).toMatchObject({ fault: 'malformed' })
    expect(upstream.calls).toHaveLength(1)
  })

  test('behind a link of another origin are read without the key', async () => {
    await using fake = await fakeVideoUpstream('gemini')
    await using room = geminiVideos({ baseUrl: fake.url, apiKey: secret }, fake.net)
    fake.plan({ states: ['completed'] })
    const ticket = (await submitting(room)).ticket!
    fake.fail('content', 'elsewhere')
    const link = await fetching(room, ticket)
    expect(link.bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
    expect(fake.linked).toHaveLength(1)
    expect(JSON.stringify([fake.linked[0]!.headers, fake.linked[0]!.path])).not.toContain(secret)
  })

  test('of a job that is not completed are none', async () => {
    upstream.reply(json(200, { name: operation, done: false }))
    expect((await asked((room) => fetching(room, { id: operation }))).error).toMatchObject({
      fault: 'not_found',
    })
  })
})

const asOutcome = async (filmed: Promise<Filmed>): Promise<Outcome> => {
  const { error } = await filmed
  return { sound: Buffer.alloc(0), ...(error && { error }) }
}
