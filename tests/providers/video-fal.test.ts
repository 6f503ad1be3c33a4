/** fal's queue of videos, against its bytes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { VideoOrder } from '#core/turn'
import { falVideos } from '#providers/fal'
import { selfSigned } from '../harness/certificate.ts'
import { type FakeUpstream, fakeUpstream, json, type Script, silence } from '../harness/upstream.ts'
import { fakeVideoUpstream, videoFixture } from '../harness/video-upstream.ts'
import { guarded } from '../platform/net/sites.ts'
import { failsAsItShould, type Outcome, secret } from './media-asking.ts'
import { type Asking, type Filmed, fetching, film, looking, submitting } from './video-asking.ts'
import { everyVideoWire } from './video-wire-cases.ts'

everyVideoWire('fal', falVideos)

const tls = selfSigned('schemas.example.test')
let upstream: FakeUpstream
let schemas: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream()
  schemas = await fakeUpstream(0, tls)
})
afterAll(async () => {
  await upstream[Symbol.asyncDispose]()
  await schemas[Symbol.asyncDispose]()
})

const id = '764cabcf-b745-4b3e-ae38-1200304cf45b'
const ticket = { status: 'IN_QUEUE', request_id: id, status_url: 'https://elsewhere.example/1' }
beforeEach(() => {
  upstream.calls.length = 0
  schemas.calls.length = 0
  upstream.reply(json(200, ticket))
})

const net = () => guarded({ ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
const open = (withSchemas = false) => {
  const { port } = new URL(schemas.url)
  const address = withSchemas ? `https://schemas.example.test:${port}/queue/openapi.json` : undefined
  return falVideos({ baseUrl: upstream.url, apiKey: secret }, net(), address)
}
async function asked(
  work: (room: ReturnType<typeof open>) => Promise<Filmed>,
  withSchemas = false,
): Promise<Filmed> {
  await using room = open(withSchemas)
  return await work(room)
}
const submit = (more: Partial<VideoOrder> = {}, asking: Asking = {}) =>
  asked((room) => submitting(room, more, asking))
const look = (asking: Asking = {}) => asked((room) => looking(room, { id }, asking))
const png = (byte: number) => ({ data: new Uint8Array([137, 80, 78, 71, byte]), mediaType: 'image/png' })
const urlOf = (byte: number) => `data:image/png;base64,${Buffer.from(png(byte).data).toString('base64')}`

describe('the request', () => {
  test('goes to the app of the model with the key in its scheme, and every byte of its body', async () => {
    const callbackUrl = 'https://kherad.example/v1/hooks/fal/1/t?a=b&c=d'
    expect((await submit({}, { callbackUrl })).ticket).toEqual({ id })
    const [call] = upstream.calls
    expect(call).toMatchObject({
      method: 'POST',
      path: `/v1/owner/app/film?fal_webhook=${encodeURIComponent(callbackUrl)}`,
    })
    expect(call!.headers).toMatchObject({ authorization: `Key ${secret}` })
    expect(call!.bytes.toString()).toBe(
      JSON.stringify({ prompt: film.prompt, duration: '4', resolution: '720p', aspect_ratio: '16:9' }),
    )
  })

  test('without a schema has what most models take', async () => {
    await submit({ withAudio: false, seed: 0, references: [png(1), png(2)], referenceMode: 'frames' })
    expect(upstream.calls[0]).toMatchObject({ path: '/v1/owner/app/film' })
    expect(upstream.calls[0]!.body).toEqual({
      prompt: film.prompt,
      duration: '4',
      resolution: '720p',
      aspect_ratio: '16:9',
      generate_audio: false,
      seed: 0,
      image_url: urlOf(1),
      end_image_url: urlOf(2),
    })
    upstream.calls.length = 0
    await submit({ references: [png(1)], referenceMode: 'guide' })
    expect(upstream.calls[0]!.body).toMatchObject({ image_urls: [urlOf(1)] })
  })

  test('names a model by owner and app, or is not sent', async () => {
    const { error } = await submit({}, { upstreamModel: 'kling' })
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect(upstream.calls).toHaveLength(0)
  })

  test.each([{ request_id: '../../other' }, { request_id: 7 }, {}])(
    'that is answered with %j has no ticket',
    async (wrong) => {
      upstream.reply(json(200, { ...ticket, request_id: undefined, ...wrong }))
      expect((await submit()).error).toMatchObject({ fault: 'malformed', executed: true })
    },
  )
})

const document = (properties: Record<string, unknown>, model = 'owner/app/film') => ({
  openapi: '3.0.4',
  paths: {
    [`/${model}`]: {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/FilmInput' } } },
        },
      },
    },
  },
  components: { schemas: { FilmInput: { type: 'object', properties } } },
})
const text = (...choices: string[]) => ({ type: 'string', ...(choices.length > 0 && { enum: choices }) })

describe('the input of a model whose schema is published', () => {
  /** What is ordered of a model that takes these fields. */
  const ordered = async (properties: Record<string, unknown>, more: Partial<VideoOrder> = {}) => {
    schemas.reply(json(200, document(properties)))
    const { error } = await asked((room) => submitting(room, more), true)
    return error ?? upstream.calls[0]?.body
  }

  test('is asked for by the name of the model, without the key, and once', async () => {
    schemas.reply(json(200, document({ prompt: text() })))
    await using room = open(true)
    for (let times = 0; times < 2; times += 1) await submitting(room)
    expect(schemas.calls.map(({ path }) => path)).toEqual([
      '/queue/openapi.json?endpoint_id=owner%2Fapp%2Ffilm',
    ])
    expect(JSON.stringify(schemas.calls[0]!.headers)).not.toContain(secret)
    expect(upstream.calls).toHaveLength(2)
  })

  test.each([
    [text('4s', '6s', '8s'), '4s'],
    [text('4', '5'), '4'],
    [text(), '4'],
    [{ type: 'integer', enum: [4, 6] }, 4],
    [{ type: 'integer' }, 4],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 4],
    [{ anyOf: [text('4', '8'), { type: 'null' }] }, '4'],
  ])('of a length that is %j has the seconds so', async (duration, expected) => {
    expect(await ordered({ prompt: text(), duration })).toEqual({ prompt: film.prompt, duration: expected })
  })

  test('has only fields that the model has', async () => {
    const order: Partial<VideoOrder> = { withAudio: true, seed: 7 }
    expect(await ordered({ prompt: text() }, order)).toEqual({ prompt: film.prompt })
    upstream.calls.length = 0
    const all = {
      prompt: text(),
      duration: text('4'),
      resolution: text('720P', '1080P'),
      aspect_ratio: text('16:9', '9:16'),
      generate_audio_switch: { type: 'boolean' },
      seed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    }
    expect(await ordered(all, order)).toEqual({
      prompt: film.prompt,
      duration: '4',
      resolution: '720P',
      aspect_ratio: '16:9',
      generate_audio_switch: true,
      seed: 7,
    })
  })

  test.each([
    ['duration', { duration: text('5', '10') }],
    ['resolution', { resolution: text('480p') }],
    ['aspect_ratio', { aspect_ratio: text('auto', '1:1') }],
  ])('is refused before anything is ordered where the model has no such %s', async (param, properties) => {
    expect(await ordered({ prompt: text(), ...properties })).toMatchObject({
      fault: 'invalid_request',
      executed: false,
      param,
    })
    expect(upstream.calls).toHaveLength(0)
  })

  test.each([
    [['first_frame_url', 'last_frame_url']],
    [['start_image_url', 'end_image_url']],
    [['image_url', 'tail_image_url']],
  ])('has frames by the names %j', async (names) => {
    const properties = Object.fromEntries([...names, 'prompt'].map((name) => [name, text()]))
    const order: Partial<VideoOrder> = { references: [png(1), png(2)], referenceMode: 'frames' }
    expect(await ordered(properties, order)).toEqual({
      prompt: film.prompt,
      [names[0]!]: urlOf(1),
      [names[1]!]: urlOf(2),
    })
  })

  test('is refused where the model takes no such pictures', async () => {
    const guide: Partial<VideoOrder> = { references: [png(1)], referenceMode: 'guide' }
    const frames: Partial<VideoOrder> = { references: [png(1), png(2)], referenceMode: 'frames' }
    for (const order of [guide, frames])
      expect(await ordered({ prompt: text(), image_url: text() }, order)).toMatchObject({
        fault: 'invalid_request',
        executed: false,
        param: 'references',
      })
    expect(upstream.calls).toHaveLength(0)
  })

  test.each<[string, Script]>([
    ['not there', json(404, { detail: 'not found' })],
    ['no JSON', json(200, '<!doctype html>')],
    ['of another model', json(200, document({ prompt: text() }, 'owner/other'))],
    ['too long', json(200, { padding: 'x'.repeat(2 * 1024 * 1024) })],
    ['an attack', json(200, { paths: { '/owner/app/film': { post: { requestBody: '__proto__' } } } })],
  ])('is what most models take where the schema is %s', async (_, answer) => {
    schemas.reply(answer)
    await asked((room) => submitting(room), true)
    expect(upstream.calls[0]!.body).toMatchObject({ duration: '4', resolution: '720p' })
  })

  test('is waited for no longer than the caller does', async () => {
    schemas.reply(silence)
    const caller = new AbortController()
    const asking = asked((room) => submitting(room, {}, { signal: caller.signal }), true)
    await schemas.call(0)
    caller.abort()
    expect((await asking).error).toMatchObject({ fault: 'aborted', executed: false })
    expect(upstream.calls).toHaveLength(0)
  })
})

const jobPath = `/v1/owner/app/requests/${id}`
/** How status and result are answered. */
const queue = (status: Script, result: Script = json(200, { video: { url: 'https://a.example/1.mp4' } })) =>
  upstream.reply(({ path }) => (path.endsWith('/status') ? status : result))

describe('a look', () => {
  test.each([
    [
      { status: 'IN_QUEUE', queue_position: 3 },
      { status: 'queued', position: 3 },
    ],
    [{ status: 'IN_QUEUE', queue_position: -3 }, { status: 'queued' }],
    [{ status: 'IN_PROGRESS', logs: [] }, { status: 'processing' }],
    [{ status: 'COMPLETED' }, { status: 'completed' }],
    [
      { status: 'COMPLETED', error: 'Request timed out', error_type: 'request_timeout' },
      { status: 'failed', fault: { fault: 'timeout' } },
    ],
    [
      {
        status: 'COMPLETED',
        error: 'The content could not be processed',
        error_type: 'content_policy_violation',
      },
      { status: 'failed', fault: { fault: 'content_refused' } },
    ],
  ])('%j', async (answer, progress) => {
    queue(json(202, answer))
    expect((await look()).progress).toMatchObject(progress)
    expect(upstream.calls[0]).toMatchObject({ method: 'GET', path: `${jobPath}/status` })
    for (const { headers } of upstream.calls) expect(headers['authorization']).toBe(`Key ${secret}`)
  })

  const flagged = [{ loc: ['body', 'prompt'], msg: 'flagged by a checker', type: 'content_policy_violation' }]
  const invalid = [{ loc: ['body', 'duration'], msg: 'Input should be 5 or 10', type: 'literal_error' }]
  test.each<[string, Script, Record<string, unknown>]>([
    [
      'a refused prompt',
      json(422, { detail: flagged }),
      { fault: 'content_refused', detail: 'flagged by a checker' },
    ],
    [
      'a wrong input',
      json(422, { detail: invalid }),
      { fault: 'invalid_request', detail: 'Input should be 5 or 10' },
    ],
    [
      'a flagged video',
      json(200, { video: { url: 'https://a/1' }, has_nsfw_concepts: [true] }),
      { fault: 'content_refused' },
    ],
    ['no video', json(200, { images: [] }), { fault: 'unavailable' }],
    ['an error', json(200, { error: { message: 'broken' } }), { fault: 'unavailable', detail: 'broken' }],
  ])('at a job whose result is %s is its failure', async (_, result, fault) => {
    queue(json(200, { status: 'COMPLETED' }), result)
    expect((await look()).progress).toMatchObject({ status: 'failed', fault })
  })

  test.each<[string, Script, string]>([
    ['gone', json(404, { detail: 'no' }), 'not_found'],
    ['of a broken server', json(500, { detail: 'no' }), 'unavailable'],
    ['of a key that ended', json(401, { detail: 'no' }), 'authentication'],
  ])('at a job whose result is %s throws', async (_, result, fault) => {
    queue(json(200, { status: 'COMPLETED' }), result)
    expect((await look()).error).toMatchObject({ fault })
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => asOutcome(look(options)),
    good: () => ({ body: Buffer.from(JSON.stringify({ status: 'IN_QUEUE' })), type: 'application/json' }),
  })
})

describe('the bytes', () => {
  test.each([
    'https://10.0.0.1/1.mp4',
    'http://files.example.test/1.mp4',
    'data:video/mp4;base64,AAAA',
    'file:///etc/passwd',
    '',
  ])('behind %s are not fetched', async (url) => {
    queue(json(200, {}), json(200, { video: { url } }))
    await using room = falVideos({ baseUrl: upstream.url, apiKey: secret }, guarded({ allowedCidrs: [] }))
    expect((await fetching(room, { id })).error).toMatchObject({ fault: 'malformed' })
    expect(upstream.calls).toHaveLength(1)
  })

  test('of a job whose result is a failure are its fault', async () => {
    queue(
      json(200, {}),
      json(422, { detail: [{ msg: 'flagged by a checker', type: 'content_policy_violation' }] }),
    )
    expect((await asked((room) => fetching(room, { id }))).error).toMatchObject({ fault: 'content_refused' })
  })

  test('come of a list of videos too, and never with the key', async () => {
    await using fake = await fakeVideoUpstream('fal')
    await using room = falVideos({ baseUrl: fake.url, apiKey: secret }, fake.net)
    const job = (await submitting(room)).ticket!
    const { bytes } = await fetching(room, job)
    expect(bytes.equals(videoFixture('720p-4s-sound'))).toBe(true)
    expect(fake.linked).toHaveLength(1)
    expect(JSON.stringify(fake.linked[0]!.headers)).not.toContain(secret)
  })
})

describe('a cancellation', () => {
  const { signal } = new AbortController()
  const cancelling = async (ticketId: string) => {
    await using room = open()
    const { timeouts } = {
      timeouts: { connectMs: 1, firstByteMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
    }
    await room.cancel!({ ticket: { id: ticketId }, upstreamModel: 'owner/app/film', signal, timeouts })
  }

  test('is sent to the job, whatever it is answered with', async () => {
    for (const answer of [json(202, { status: 'CANCELLATION_REQUESTED' }), json(400, {}), json(500, {})]) {
      upstream.calls.length = 0
      upstream.reply(answer)
      await cancelling(id)
      expect(upstream.calls).toHaveLength(1)
      expect(upstream.calls[0]).toMatchObject({ method: 'PUT', path: `${jobPath}/cancel` })
    }
  })

  test('of an id that leads elsewhere is not sent', async () => {
    await cancelling('../../other')
    expect(upstream.calls).toHaveLength(0)
  })
})

test('a webhook names its job, and other bodies none', () => {
  const { jobOf } = open()
  const body = { request_id: id, gateway_request_id: 'another', payload: {}, error: null }
  expect(jobOf!({ ...body, status: 'OK' })).toBe(id)
  expect(jobOf!({ ...body, status: 'ERROR' })).toBe(id)
  for (const other of [
    null,
    [],
    {},
    body,
    { ...body, status: 'DONE' },
    { status: 'OK' },
    { status: 'OK', request_id: '../1' },
  ])
    expect(jobOf!(other)).toBeUndefined()
})

const asOutcome = async (filmed: Promise<Filmed>): Promise<Outcome> => {
  const { error } = await filmed
  return { sound: Buffer.alloc(0), ...(error && { error }) }
}
