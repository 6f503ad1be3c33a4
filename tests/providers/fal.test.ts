/** fal's queue of pictures, against its bytes. */
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { UpstreamError } from '#core/spec'
import { falImages } from '#providers/fal'
import { selfSigned } from '../harness/certificate.ts'
import { somePlaces } from '../harness/seed.ts'
import {
  cut,
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  silence,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import { guarded, openSite, type Site } from '../platform/net/sites.ts'
import { patient } from './asking.ts'
import { drawing, failsAsItShould, type Options, picture, secret } from './media-asking.ts'

const tls = selfSigned('files.example.test')
const web = { ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 as const }] }
let upstream: FakeUpstream
let files: Site
const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
beforeAll(async () => {
  upstream = await fakeUpstream()
  files = await openSite(({ url = '' }, response) => {
    if (url.startsWith('/gone')) response.writeHead(404).end()
    else response.end(png)
  }, tls)
})
afterAll(async () => {
  await upstream[Symbol.asyncDispose]()
  await files[Symbol.asyncDispose]()
})

const id = '764cabcf-b745-4b3e-ae38-1200304cf45b'
const elsewhere = `https://queue.elsewhere.example/requests/${id}`
/** With addresses that lead away. */
const ticket = {
  status: 'IN_QUEUE',
  request_id: id,
  status_url: elsewhere,
  response_url: elsewhere,
  cancel_url: elsewhere,
}
const linkTo = (file: string) => ({
  url: `https://files.example.test:${files.port}/${file}`,
  width: 1,
  height: 1,
})
const inline = () => ({ url: `data:image/png;base64,${png.toString('base64')}` })
const result = (more = {}) => ({
  images: [inline()],
  seed: 7,
  has_nsfw_concepts: [false],
  prompt: picture.prompt,
  ...more,
})

const legs = ['submit', 'status', 'result', 'cancel'] as const
type Leg = (typeof legs)[number]
const jobPath = `/v1/owner/app/requests/${id}`
const legOf = ({ method, path }: UpstreamCall): Leg => {
  if (method === 'POST') return 'submit'
  if (method === 'PUT') return 'cancel'
  return path.endsWith('/status') ? 'status' : 'result'
}

/** How each leg answers, one script after the other; the last one stays. */
function queue(scripts: Partial<Record<Leg, Script[]>> = {}): void {
  const all: Record<Leg, Script[]> = {
    submit: [json(200, ticket)],
    status: [json(200, { status: 'COMPLETED', request_id: id })],
    result: [json(200, result())],
    cancel: [json(202, { status: 'CANCELLATION_REQUESTED' })],
    ...scripts,
  }
  upstream.reply((call) => {
    const left = all[legOf(call)]
    return (left.length > 1 ? left.shift() : left[0])!
  })
}
beforeEach(() => {
  upstream.calls.length = 0
})

const address = () => ({ baseUrl: upstream.url, apiKey: secret })
const room = (net = guarded(web), pace = { firstMs: 1, maxMs: 4 }) => {
  const { draw, ...rest } = falImages(address(), net, pace)
  return {
    ...rest,
    draw: (call: Parameters<typeof draw>[0]) => draw({ ...call, upstreamModel: 'owner/app/fast' }),
  }
}
const ask = (more = {}, options: Options = {}) => drawing(room(), more, options)
const taken = () => upstream.calls.map(legOf)
const isPng = (images?: Uint8Array[]) => images?.map((bytes) => png.equals(bytes))

describe('a job of the queue', () => {
  test('is submitted with its own key header, looked at, and taken by owner and app alone', async () => {
    queue({
      status: [
        json(202, { status: 'IN_QUEUE', queue_position: 2 }),
        json(202, { status: 'IN_PROGRESS' }),
        json(200, { status: 'COMPLETED' }),
      ],
    })
    const { drawn } = await ask({ format: 'png', seed: 7 })
    expect(isPng(drawn?.images)).toEqual([true])
    expect(taken()).toEqual(['submit', 'status', 'status', 'status', 'result'])
    const [submitted, ...looks] = upstream.calls
    expect(submitted).toMatchObject({ method: 'POST', path: '/v1/owner/app/fast' })
    expect(submitted?.body).toEqual({
      prompt: picture.prompt,
      num_images: 1,
      image_size: { width: 1536, height: 1024 },
      output_format: 'png',
      seed: 7,
    })
    expect(looks.map(({ path }) => path)).toEqual([
      `${jobPath}/status`,
      `${jobPath}/status`,
      `${jobPath}/status`,
      jobPath,
    ])
    for (const call of upstream.calls) expect(call.headers['authorization']).toBe(`Key ${secret}`)
  })

  test('takes one reference by both names that models know, and several as a list', async () => {
    queue()
    const reference = { data: png, mediaType: 'image/png' }
    await ask({ references: [reference] })
    expect(upstream.calls[0]?.body).toMatchObject({ image_url: inline().url, image_urls: [inline().url] })
    upstream.calls.length = 0
    await ask({ references: [reference, reference] })
    expect(upstream.calls[0]?.body).toMatchObject({ image_urls: [inline().url, inline().url] })
    expect(upstream.calls[0]?.body).not.toHaveProperty('image_url')
  })

  test('takes a mask as its models know it: white is changed, which is transparent at OpenAI', async () => {
    queue()
    const clear = { create: { width: 1, height: 1, channels: 4, background: '#00000000' } } as const
    const mask = { data: await sharp(clear).png().toBuffer(), mediaType: 'image/png' }
    await ask({ references: [{ data: png, mediaType: 'image/png' }], mask })
    const url = String(upstream.calls[0]?.body?.['mask_url'])
    const sent = Buffer.from(url.slice('data:image/png;base64,'.length), 'base64')
    expect([...(await sharp(sent).greyscale().raw().toBuffer())]).toEqual([255])
    const broken = { data: Buffer.from('no picture'), mediaType: 'image/png' }
    const { error } = await ask({ references: [{ data: png, mediaType: 'image/png' }], mask: broken })
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
  })

  test('gives pictures behind links, which are fetched by the guarded client without the key', async () => {
    queue({ result: [json(200, result({ images: [linkTo('a.png'), linkTo('b.png')] }))] })
    const { drawn } = await ask({ count: 2 })
    expect(isPng(drawn?.images)).toEqual([true, true])
    expect(JSON.stringify(files.seen)).not.toContain(secret)
    const { error } = await drawing(room(guarded({ ...web, allowedCidrs: [] })))
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
  })

  test('keeps the pictures that can be fetched, and never has more than were ordered', async () => {
    const images = [linkTo('gone.png'), linkTo('a.png'), linkTo('b.png')]
    queue({ result: [json(200, result({ images }))] })
    expect(isPng((await ask({ count: 2 })).drawn?.images)).toEqual([true])
    queue({ result: [json(200, result({ images: [linkTo('gone.png')] }))] })
    expect((await ask()).error).toMatchObject({ fault: 'malformed', executed: true })
  })

  test('has one picture of its own name too', async () => {
    queue({ result: [json(200, { image: inline() })] })
    expect(isPng((await ask()).drawn?.images)).toEqual([true])
  })

  test('leaves out what is flagged, and is refused where all is', async () => {
    const images = [inline(), inline()]
    queue({ result: [json(200, result({ images, has_nsfw_concepts: [true, false] }))] })
    expect((await ask({ count: 2 })).drawn?.images).toHaveLength(1)
    queue({ result: [json(200, result({ images, has_nsfw_concepts: [true, true] }))] })
    expect((await ask({ count: 2 })).error).toMatchObject({ fault: 'content_refused', executed: true })
  })
})

describe('what goes wrong after the submission', () => {
  const flagged = [{ loc: ['body', 'prompt'], msg: 'flagged by a checker', type: 'content_policy_violation' }]
  const invalid = [{ loc: ['body', 'image_size'], msg: 'Input should be smaller', type: 'less_than_equal' }]
  test.each<[string, Partial<Record<Leg, Script[]>>, Partial<UpstreamError>]>([
    [
      'a refused prompt',
      { result: [json(422, { detail: flagged })] },
      { fault: 'content_refused', status: 422 },
    ],
    [
      'a wrong input',
      { result: [json(422, { detail: invalid })] },
      { fault: 'invalid_request', detail: 'Input should be smaller' },
    ],
    ['a key that is gone', { status: [json(401, { detail: 'no' })] }, { fault: 'authentication' }],
    ['a job that is gone', { status: [json(404, { detail: 'no' })] }, { fault: 'not_found' }],
    [
      'a job that failed',
      {
        status: [
          json(200, { status: 'COMPLETED', error: 'Request timed out', error_type: 'request_timeout' }),
        ],
      },
      { fault: 'timeout' },
    ],
    [
      'a runner that fails for good',
      { result: [json(503, { detail: 'gone', error_type: 'runner_disconnected' })] },
      { fault: 'unavailable' },
    ],
    ['a status of no known name', { status: [json(200, { status: 'SLEEPING' })] }, { fault: 'malformed' }],
    ['a result without pictures', { result: [json(200, { seed: 7 })] }, { fault: 'malformed' }],
    [
      'an error in the result',
      { result: [json(200, { error: { type: 'overloaded' } })] },
      { fault: 'overloaded' },
    ],
    [
      'a broken picture',
      { result: [json(200, result({ images: [{ url: 'data:image/png;base64,iVBORw0KG' }] }))] },
      { fault: 'malformed' },
    ],
  ])('%s is told as it is, and may have done the work', async (_, scripts, fault) => {
    queue(scripts)
    expect((await ask()).error).toMatchObject({ ...fault, executed: true })
    expect(taken().filter((leg) => leg === 'submit')).toHaveLength(1)
  })

  test.each(['status', 'result'] as const)(
    'a %s that breaks at any byte is asked again, the job never',
    async (leg) => {
      const whole = Buffer.from(JSON.stringify(leg === 'status' ? { status: 'COMPLETED' } : result()))
      const good = stream([whole], { 'content-type': 'application/json' })
      const headers = { 'content-type': 'application/json', 'content-length': String(whole.length) }
      for (const at of somePlaces(whole.length)) {
        upstream.calls.length = 0
        queue({ [leg]: [stream([whole.subarray(0, at), cut], headers), good] })
        const { drawn, error } = await ask()
        expect(error, `cut at byte ${at}`).toBeUndefined()
        expect(isPng(drawn?.images)).toEqual([true])
        expect(taken().filter((one) => one === 'submit')).toHaveLength(1)
        expect(taken().filter((one) => one === leg)).toHaveLength(2)
      }
    },
  )

  test.each<[string, Script]>([
    ['a reset line', reset],
    ['a page of a proxy', json(200, '<!doctype html>', { 'content-type': 'text/html' })],
    ['429', json(429, { detail: 'slow down' })],
    ['500', json(500, { detail: 'broken' })],
  ])('%s is looked past, five times in a row at most', async (_, broken) => {
    queue({ status: [broken, broken, broken, broken, json(200, { status: 'COMPLETED' })] })
    expect(isPng((await ask()).drawn?.images)).toEqual([true])
    upstream.calls.length = 0
    queue({ status: [broken] })
    expect((await ask()).error).toMatchObject({ executed: true })
    expect(taken()).toEqual(['submit', ...Array.from({ length: 5 }, () => 'status'), 'cancel'])
  })

  test('a job that takes too long is cancelled at its own address, and told as late', async () => {
    queue({ status: [json(202, { status: 'IN_QUEUE' })] })
    const slow = room(guarded(web), { firstMs: 50, maxMs: 200 })
    const { error } = await drawing(slow, {}, { timeouts: { ...patient, totalMs: 10_000 } })
    expect(error).toMatchObject({ fault: 'timeout', executed: true })
    expect(upstream.calls.at(-1)).toMatchObject({ method: 'PUT', path: `${jobPath}/cancel` })
    expect(upstream.calls.at(-1)?.headers['authorization']).toBe(`Key ${secret}`)
  })

  test('an abort cancels the job that waits, whatever the cancellation is answered with', async () => {
    for (const answer of [
      json(202, { status: 'CANCELLATION_REQUESTED' }),
      json(400, { status: 'ALREADY_COMPLETED' }),
      reset,
    ]) {
      upstream.calls.length = 0
      const caller = new AbortController()
      queue({ status: [json(202, { status: 'IN_QUEUE' }), silence], cancel: [answer] })
      const asked = ask({}, { signal: caller.signal })
      await upstream.call(2)
      caller.abort()
      expect((await asked).error).toMatchObject({ fault: 'aborted', executed: true })
      expect(taken().at(-1)).toBe('cancel')
    }
  })

  test('an abort after the job is completed cancels nothing', async () => {
    const caller = new AbortController()
    queue({ result: [silence] })
    const asked = ask({}, { signal: caller.signal })
    await upstream.call(2)
    caller.abort()
    expect((await asked).error).toMatchObject({ fault: 'aborted', executed: true })
    expect(taken()).not.toContain('cancel')
  })

  test('pictures beyond the bound are refused', async () => {
    const vast = {
      url: `data:image/png;base64,${Buffer.concat([png, Buffer.alloc(25 * 1024 * 1024)]).toString('base64')}`,
    }
    queue({ result: [json(200, result({ images: [vast] }))] })
    expect((await ask()).error).toMatchObject({ fault: 'malformed', executed: true })
  })
})

describe('the submission', () => {
  test.each([{ request_id: '../../other' }, { request_id: 7 }, {}])('%j is no ticket', async (wrong) => {
    queue({ submit: [json(200, { ...ticket, request_id: undefined, ...wrong })] })
    expect((await ask()).error).toMatchObject({ fault: 'malformed', executed: true })
    expect(taken()).toEqual(['submit'])
  })

  test('names a model by owner and app, or is not sent', async () => {
    const { error } = await drawing(
      {
        ...room(),
        draw: (call) => falImages(address(), guarded({})).draw({ ...call, upstreamModel: 'flux' }),
      },
      {},
    )
    expect(error).toMatchObject({ fault: 'invalid_request', executed: false })
    expect(upstream.calls).toHaveLength(0)
  })

  test('is told to the doctor by a request that never was', async () => {
    const { signal } = new AbortController()
    await using fal = falImages(address(), guarded({}))
    upstream.reply(json(404, { detail: 'Request not found' }))
    expect(await fal.ping(signal)).toBeUndefined()
    upstream.reply(json(401, { detail: 'Invalid key' }))
    await expect(fal.ping(signal)).rejects.toMatchObject({ fault: 'authentication' })
    expect(upstream.calls.every(({ method }) => method === 'GET')).toBe(true)
  })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => ask({}, options),
    good: () => ({ body: Buffer.from(JSON.stringify(ticket)), type: 'application/json' }),
  })
})
