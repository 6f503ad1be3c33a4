/** POST /v1/studio/video, /status and /content: what they take, answer and refuse, over HTTP. */
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal, uuidPattern } from '../../contract/refusal.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { videoFixture } from '../../harness/video-upstream.ts'
import { bootVideos, price, untilMoved, type VideoWorld } from '../../media/videos/video-world.ts'

let at: VideoWorld
let key: Client
beforeAll(async () => {
  at = await bootVideos({ credits: 1_000_000 })
  key = await at.world.key()
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => at.vendor.plan({}))

const path = '/v1/studio/video'
const prompt = 'گربه‌ای روی بام'

const order = (more: Record<string, unknown> = {}, headers: Record<string, string> = {}, client = key) =>
  client.post(path, { model: 'test/film', prompt, ...more }, headers)

interface Pair {
  id: string
  providerJobId: string
}
const pairOf = ({ body: { id, providerJobId } }: Seen): Pair => ({ id, providerJobId })

async function accepted(more: Record<string, unknown> = {}, headers?: Record<string, string>): Promise<Pair> {
  const reply = await order(more, headers)
  expect(reply.status, reply.text).toBe(202)
  return pairOf(reply)
}

const status = (pair: Pair, headers: Record<string, string> = {}, client = key) =>
  client.post(`${path}/status`, pair, headers)

const content = (pair: Pair, headers: Record<string, string> = {}, client = key) =>
  client.raw('POST', `${path}/content`, JSON.stringify(pair), headers)

/** The last status of a job. */
const over = (pair: Pair): Promise<Seen> =>
  untilMoved(at.clock, async () => {
    const seen = await status(pair)
    expect(seen.status, seen.text).toBe(200)
    return seen.body.pending ? undefined : seen
  })

const completed = async (more: Record<string, unknown> = {}): Promise<Pair> => {
  const pair = await accepted(more)
  expect((await over(pair)).body.status).toBe('completed')
  return pair
}

describe('an order', () => {
  test('is answered 202 at once with both ids, the held credits and its receipt', async () => {
    at.vendor.plan({ states: ['queued', 'processing', 'completed'] })
    const before = await at.world.balance()
    const reply = await order()
    expect(reply.status, reply.text).toBe(202)
    expect(reply.body).toEqual({
      id: expect.stringMatching(uuidPattern),
      providerJobId: expect.stringMatching(/^pj_\w{22}$/),
      object: 'studio.video',
      status: 'queued',
      model: 'test/film',
      createdAt: new Date(at.clock.nowMs()).toISOString(),
      reservedCredits: 400,
      requestId: reply.headers.get('x-request-id'),
      pollAfterSeconds: 2,
    })
    const held = await at.world.balance()
    expect(before.available - held.available).toBe(price)
    await over(pairOf(reply))
  })

  test('goes to the vendor with its settings, and those it does not name come from the model', async () => {
    const jobs = at.vendor.jobs.length
    await completed({ duration: 8, resolution: '720p', aspectRatio: '9:16', generateAudio: false })
    await completed()
    expect(at.vendor.jobs.slice(jobs).map((job) => job.order)).toMatchObject([
      { prompt, duration: 8, resolution: '720p', aspect_ratio: '9:16', generate_audio: false },
      { prompt, duration: 4, resolution: '720p', aspect_ratio: '16:9', generate_audio: true },
    ])
  })

  test('without a model goes to the default one', async () => {
    const reply = await key.post(path, { prompt })
    expect([reply.status, reply.body.model]).toEqual([202, 'test/film'])
    await over(pairOf(reply))
  })
})

describe('its status', () => {
  test('says how it stands while it waits, while it is made, and when it is there', async () => {
    at.vendor.plan({ states: ['queued', 'processing', 'completed'] })
    const pair = await accepted({ generateAudio: true })
    const seen = new Map<string, Seen['body']>()
    const last = await untilMoved(at.clock, async () => {
      const { body } = await status(pair)
      if (!seen.has(body.status)) seen.set(body.status, body)
      return body.pending ? undefined : body
    })
    const settings = { duration: 4, resolution: '720p', aspectRatio: '16:9', generateAudio: true }
    const alike = { ...pair, object: 'studio.video', model: 'test/film', settings }
    for (const name of ['queued', 'processing'])
      if (seen.has(name))
        expect(seen.get(name)).toMatchObject({ ...alike, credits: 0, pending: true, completedAt: null })
    expect([...seen.keys()].slice(0, 1)).toEqual(['queued'])
    const { size } = { size: videoFixture('720p-4s-sound').length }
    expect(last).toEqual({
      ...alike,
      status: 'completed',
      progress: 100,
      createdAt: expect.any(String),
      completedAt: expect.any(String),
      expiresAt: expect.any(String),
      reservedCredits: 0,
      requestId: expect.stringMatching(uuidPattern),
      pollAfterSeconds: 0,
      video: {
        width: 1280,
        height: 720,
        durationSeconds: expect.any(Number),
        sizeBytes: size,
        hasAudio: true,
        fileId: expect.stringMatching(uuidPattern),
      },
      execution: {
        requestId: last.requestId,
        model: 'test/film',
        inputTokens: 0,
        outputTokens: 0,
        totalTokens: 0,
        costUsd: 0.4,
      },
      credits: 400,
      pending: false,
    })
    expect(last.video.durationSeconds).toBeCloseTo(4, 0)
    const receipt = (await key.receipt(last.requestId)).body
    expect(receipt).toMatchObject({
      endpoint: path,
      microcredits: String(price),
      details: { files: [last.video.fileId] },
    })
  })

  test('asks less often the longer it takes', async () => {
    at.vendor.plan({ states: ['processing'] })
    const jobs = at.vendor.jobs.length
    const pair = await accepted()
    await until(async () => at.vendor.jobs.length > jobs)
    const asked: number[] = []
    for (const seconds of [0, 40, 120, 600]) {
      at.clock.moveMs(seconds * 1_000)
      asked.push((await status(pair)).body.pollAfterSeconds)
    }
    expect(asked[0]).toBe(2)
    expect(asked).toEqual([...asked].sort((a, b) => a - b))
    expect(asked.at(-1)).toBe(15)
    at.vendor.jobs.at(-1)!.states = ['completed']
    await over(pair)
  })

  test('of a job that failed says why in the language of the caller, and costs nothing', async () => {
    at.vendor.plan({ states: ['processing', 'refused'] })
    const before = await at.world.balance()
    const pair = await accepted()
    const failed = (await over(pair)).body
    expect(failed).toMatchObject({ status: 'failed', credits: 0, pending: false, progress: null })
    expect(failed.error.code).toBe('CONTENT_REFUSED')
    expect(failed.execution).toBeUndefined()
    expect(failed.video).toBeUndefined()
    const persian = (await status(pair, { 'accept-language': 'fa' })).body.error.message
    expect(persian).toMatch(/^مدل از ساختن این ویدیو خودداری کرد/)
    expect((await status(pair, { 'accept-language': 'en' })).body.error.message).toMatch(/^The model refused/)
    await at.world.settled()
    expect(await at.world.balance()).toEqual(before)
    const seen = await key.post(`${path}/content`, pair)
    expectRefusal(seen, { status: 409, code: 'VIDEO_FAILED' })
    expect(seen.headers.get('x-should-retry')).toBe('false')
  })
})

describe('its content', () => {
  test('is refused with a time to wait until it is there, and then is the video to the byte', async () => {
    at.vendor.plan({ states: ['processing', 'completed'] })
    const pair = await accepted()
    const early = await key.post(`${path}/content`, pair)
    expectRefusal(early, { status: 409, code: 'VIDEO_NOT_READY' })
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
    const done = (await over(pair)).body
    const reply = await content(pair)
    const bytes = Buffer.from(await reply.arrayBuffer())
    const video = videoFixture('720p-4s-sound')
    expect(reply.status).toBe(200)
    expect(bytes.equals(video)).toBe(true)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(video.length),
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      'x-content-type-options': 'nosniff',
    })
    const file = await key.raw('GET', `/v1/files/${done.video.fileId}`)
    expect(file.headers.get('content-type')).toBe('video/mp4')
    expect(file.headers.get('content-disposition')).toContain(`${done.video.fileId}.mp4`)
    expect(Buffer.from(await file.arrayBuffer()).equals(video)).toBe(true)
    const [listed] = (await key.get('/v1/files')).body.data
    expect(listed).toMatchObject({ id: done.video.fileId, source: 'video', media_type: 'video/mp4' })
  })

  test('is sent in parts, and not at all to whoever has it', async () => {
    const pair = await completed()
    const video = videoFixture('720p-4s-sound')
    const part = await content(pair, { range: 'bytes=100-199' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${video.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(video.subarray(100, 200))).toBe(true)
    const tail = await content(pair, { range: 'bytes=-7' })
    expect(Buffer.from(await tail.arrayBuffer()).equals(video.subarray(-7))).toBe(true)
    const beyond = await content(pair, { range: `bytes=${video.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${video.length}`])
    const etag = part.headers.get('etag')!
    expect((await content(pair, { 'if-none-match': etag })).status).toBe(304)
    const other = await content(pair, { range: 'bytes=0-9', 'if-range': '"another"' })
    expect([other.status, other.headers.get('content-length')]).toEqual([200, String(video.length)])
    await other.arrayBuffer()
  })

  test('is gone with its file, and the status says so', async () => {
    const pair = await completed()
    const { fileId } = (await status(pair)).body.video
    expect((await key.request('DELETE', `/v1/files/${fileId}`)).status).toBe(200)
    const seen = await key.post(`${path}/content`, pair)
    expectRefusal(seen, { status: 410, code: 'VIDEO_EXPIRED' })
    const { body } = await status(pair)
    expect(body).toMatchObject({ status: 'completed', error: { code: 'EXPIRED' } })
    expect(body.video.fileId).toBeUndefined()
  })
})

describe('an idempotency key', () => {
  test.each([
    ['completed', ['processing', 'completed'] as const],
    ['failed', ['processing', 'failed'] as const],
  ])('gets the same 202 again once the job has %s, and orders nothing', async (end, states) => {
    at.vendor.plan({ states: [...states] })
    const headers = { 'idempotency-key': `video-${end}` }
    const first = await order({}, headers)
    const early = await order({}, headers)
    expect((await over(pairOf(first))).body.status).toBe(end)
    const jobs = at.vendor.jobs.length
    const late = await order({}, headers)
    for (const again of [early, late]) {
      expect([again.status, again.text]).toEqual([202, first.text])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    }
    expect(at.vendor.jobs).toHaveLength(jobs)
    const { video } = (await status(pairOf(first))).body
    at.clock.moveMs(23 * 3_600_000)
    const dayAfter = await order({}, headers)
    expect(dayAfter.text).toBe(first.text)
    expect(dayAfter.headers.get('x-file-ids')).toBe(video?.fileId ?? null)
    const other = await order({ duration: 8 }, headers)
    expectRefusal(other, { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    // Later the video is found by its receipt, and still not ordered again.
    at.clock.moveMs(2 * 3_600_000)
    const later = await order({}, headers)
    expectRefusal(later, { status: 409, code: 'REQUEST_ALREADY_ACCEPTED' })
    expect(later.body.error.receipt_id).toBe(first.body.requestId)
    expect(later.body.error.details?.files).toEqual(video && [video.fileId])
    expect(at.vendor.jobs).toHaveLength(jobs)
  })

  test('has 1 to 128 characters with an order, and is ignored where a video is only read', async () => {
    const long = 'k'.repeat(129)
    const seen = await order({}, { 'idempotency-key': long })
    expectRefusal(seen, { status: 400, code: 'INVALID_REQUEST', param: 'Idempotency-Key' })
    const pair = await accepted({}, { 'idempotency-key': long.slice(1) })
    const headers = { 'idempotency-key': long }
    const early = await status(pair, headers)
    await over(pair)
    const late = await status(pair, headers)
    expect([early.body.status, late.body.status]).toEqual(['queued', 'completed'])
    expect(late.headers.get('idempotent-replayed')).toBeNull()
    for (const _ of [1, 2]) {
      const reply = await content(pair, headers)
      expect(reply.status).toBe(200)
      await reply.arrayBuffer()
    }
  })
})

const picture = async (width = 8, height = 8) =>
  `data:image/png;base64,${(
    await sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .png()
      .toBuffer()
  ).toString('base64')}`

/** A data URL of exactly so many characters, or a few less: a png with bytes after its end. */
async function pictureOfCharacters(characters: number): Promise<string> {
  const head = 'data:image/png;base64,'
  const small = Buffer.from((await picture()).slice(head.length), 'base64')
  const bytes = Buffer.alloc(((characters - head.length) >> 2) * 3)
  small.copy(bytes)
  return head + bytes.toString('base64')
}

describe('bounds', () => {
  const free = async (work: () => Promise<unknown>): Promise<void> => {
    const [before, jobs] = [await at.world.balance(), at.vendor.jobs.length]
    await work()
    expect(await at.world.balance()).toEqual(before)
    expect(at.vendor.jobs).toHaveLength(jobs)
  }

  test.each([
    ['prompt', '', 'INVALID_REQUEST'],
    ['prompt', '   ', 'INVALID_REQUEST'],
    ['prompt', '\u200c\u200b\u2060', 'INVALID_REQUEST'],
    ['prompt', 'ا'.repeat(8_001), 'INVALID_REQUEST'],
    ['prompt', '😀'.repeat(8_001), 'INVALID_REQUEST'],
    ['prompt', 'a\u0000b', 'INVALID_REQUEST'],
    ['prompt', 7, 'INVALID_REQUEST'],
    ['model', 'm'.repeat(201), 'INVALID_REQUEST'],
    ['model', 'test/none', 'MODEL_NOT_FOUND', 404],
    ['model', 'sandbox/fast', 'MODEL_KIND_MISMATCH'],
    ['duration', 0, 'INVALID_REQUEST'],
    ['duration', 31, 'INVALID_REQUEST'],
    ['duration', 4.5, 'INVALID_REQUEST'],
    ['duration', '4', 'INVALID_REQUEST'],
    ['duration', 30, 'VIDEO_SETTING_NOT_SUPPORTED'],
    ['resolution', '360p', 'INVALID_REQUEST'],
    ['resolution', '1080p', 'VIDEO_SETTING_NOT_SUPPORTED'],
    ['aspectRatio', 'wide', 'INVALID_REQUEST'],
    ['aspectRatio', '0:9', 'INVALID_REQUEST'],
    ['aspectRatio', `1:${'1'.repeat(23)}`, 'INVALID_REQUEST'],
    ['aspectRatio', `1:${'1'.repeat(22)}`, 'VIDEO_SETTING_NOT_SUPPORTED'],
    ['generateAudio', 'yes', 'INVALID_REQUEST'],
    ['referenceMode', 'style', 'INVALID_REQUEST'],
    ['references', [], 'INVALID_REQUEST'],
    ['references', 'x', 'INVALID_REQUEST'],
    ['seed', 7, 'UNKNOWN_FIELD'],
    ['preset', 'fast', 'UNKNOWN_FIELD'],
  ])('%s of %j is refused as %s before anything is held', async (field, value, code, refused = 400) => {
    await free(async () => {
      const seen = await order({ [field]: value })
      expectRefusal(seen, { status: refused as number, code, param: field }, field)
      expect(seen.body.error.message).toContain(field)
      const persian = await order({ [field]: value }, { 'accept-language': 'fa' })
      expect(persian.body.error.message).toMatch(/[آ-ی]/)
    })
  })

  test('no picture and nine are refused in figures that read well', async () => {
    const refusal = async (count: number) =>
      (await order({ references: Array(count).fill({ dataUrl: '' }) })).body.error.message
    expect(await refusal(0)).toContain('references must have at least one item.')
    expect(await refusal(9)).toContain('references must have at most 8 items.')
  })

  test('a generateAudio that the model forbids is refused', async () => {
    const config = 'audio: never'
    await using silent = await bootVideos({
      rest: `  - id: test/silent
    kind: video
    deployments: [{ provider: fake, model: silent }]
    video: { combinations: [{ resolution: 480p, durations: [4], aspect_ratios: ["16:9"], ${config} }] }
    pricing: { per_second: 0.1 }`,
    })
    const client = await silent.world.key()
    const seen = await order({ model: 'test/silent', generateAudio: true }, {}, client)
    expectRefusal(seen, { status: 400, code: 'VIDEO_SETTING_NOT_SUPPORTED', param: 'generateAudio' })
    const pictures = await order(
      { model: 'test/silent', references: [{ dataUrl: await picture() }] },
      {},
      client,
    )
    expectRefusal(pictures, { status: 400, code: 'VIDEO_SETTING_NOT_SUPPORTED', param: 'references' })
    const taken = await order({ model: 'test/silent', generateAudio: false }, {}, client)
    expect(taken.status).toBe(202)
    await untilMoved(silent.clock, async () => !(await status(pairOf(taken), {}, client)).body.pending)
  })

  test('the edges themselves are taken', async () => {
    for (const prompt of ['ا', 'ا'.repeat(8_000), '😀'.repeat(8_000)]) {
      const pair = await accepted({ prompt })
      await over(pair)
      expect(at.vendor.jobs.at(-1)!.order['prompt']).toBe(prompt)
    }
  })

  test('pictures are counted by mode: three to guide here, and two frames', async () => {
    const one = { dataUrl: await picture() }
    for (const [mode, most] of [
      ['guide', 3],
      ['frames', 2],
    ] as const) {
      const pair = await accepted({ referenceMode: mode, references: Array(most).fill(one) })
      expect((await over(pair)).body.settings.referenceMode).toBe(mode)
      await free(async () => {
        const seen = await order({ referenceMode: mode, references: Array(most + 1).fill(one) })
        expectRefusal(seen, { status: 400, code: 'VIDEO_SETTING_NOT_SUPPORTED', param: 'references' })
      })
    }
    await free(async () => {
      const nine = await order({ references: Array(9).fill(one) })
      expectRefusal(nine, { status: 400, code: 'INVALID_REQUEST', param: 'references' })
    })
  })

  test('a picture has up to 12,000,000 characters', async () => {
    const edge = await pictureOfCharacters(12_000_000)
    await over(await accepted({ references: [{ dataUrl: edge }] }))
    await free(async () => {
      const seen = await order({ references: [{ dataUrl: `${edge}AAAA` }] })
      expectRefusal(seen, { status: 400, code: 'INVALID_REQUEST', param: 'references.0.dataUrl' })
    })
  })

  test.each([
    ['no data URL', 'https://example.com/cat.png'],
    ['another type', 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC'],
    ['bytes of another type', 'data:image/png;base64,aGVsbG8gd29ybGQ='],
    ['no Base64', 'data:image/png;base64,%%%%'],
  ])('a picture that is %s is refused with its place', async (_, dataUrl) => {
    await free(async () => {
      const references = [{ dataUrl: await picture() }, { dataUrl }]
      const seen = await order({ references })
      expectRefusal(seen, { status: 400, code: 'INVALID_MEDIA', param: 'references.1.dataUrl' })
    })
  })

  test('pictures leave upright, within 2,048 pixels and without what a camera wrote', async () => {
    const photo = await sharp({ create: { width: 3_000, height: 1_500, channels: 3, background: 'teal' } })
      .jpeg()
      .withExif({ IFD0: { Artist: 'someone' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const dataUrl = `data:image/jpeg;base64,${photo.toString('base64')}`
    await over(await accepted({ referenceMode: 'frames', references: [{ dataUrl }] }))
    const [frame] = at.vendor.jobs.at(-1)!.order['frame_images'] as { image_url: { url: string } }[]
    const sent = await sharp(Buffer.from(frame!.image_url.url.split(',')[1]!, 'base64')).metadata()
    expect(sent).toMatchObject({ format: 'jpeg', width: 1_024, height: 2_048 })
    expect([sent.exif, sent.orientation]).toEqual([undefined, undefined])
  })

  test('a picture that is cut, or whose pixels are a bomb, is refused', async () => {
    const whole = await sharp(Buffer.alloc(64 * 64 * 3, 'noise'), {
      raw: { width: 64, height: 64, channels: 3 },
    })
      .png({ compressionLevel: 0 })
      .toBuffer()
    const cut = `data:image/png;base64,${whole.subarray(0, whole.length >> 1).toString('base64')}`
    for (const dataUrl of [cut, await picture(8_001, 8_000), await picture(32_768, 1)]) {
      const seen = await order({ references: [{ dataUrl }] })
      expectRefusal(seen, { status: 400, code: 'INVALID_MEDIA', param: 'references.0.dataUrl' })
    }
  })

  test('the body has at most 100 MiB', async () => {
    const text = JSON.stringify({ model: 'test/film', prompt: 'a cat' })
    const padded = (bytes: number) => `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`
    const limit = 100 * 1024 * 1024
    const edge = await key.request('POST', path, padded(limit))
    expect(edge.status, edge.text).toBe(202)
    await over(pairOf(edge))
    const past = await key.request('POST', path, padded(limit + 1))
    expectRefusal(past, { status: 413, code: 'BODY_TOO_LARGE' })
  })
})

describe('whose it is', () => {
  test('another project, another account and another pair find nothing', async () => {
    const pair = await completed()
    const project = await at.world.newProject()
    const others = [await at.world.key({ project }), (await at.world.stranger()).client]
    for (const client of others)
      for (const what of ['status', 'content']) {
        const seen = await client.post(`${path}/${what}`, pair)
        expectRefusal(seen, { status: 404, code: 'NOT_FOUND', param: 'id' })
      }
    for (const wrong of [
      { ...pair, providerJobId: 'pj_another' },
      { ...pair, id: '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f' },
    ])
      for (const what of ['status', 'content']) {
        const seen = await key.post(`${path}/${what}`, wrong)
        expectRefusal(seen, { status: 404, code: 'NOT_FOUND', param: 'id' })
      }
    const colleague = await at.world.key()
    expect((await status(pair, {}, colleague)).body.status).toBe('completed')
  })

  test.each([
    ['id', { id: 'x', providerJobId: 'pj_1' }],
    ['providerJobId', { id: '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f', providerJobId: '' }],
    ['providerJobId', { id: '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f', providerJobId: 'p'.repeat(201) }],
    ['providerJobId', { id: '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f' }],
  ])('a pair with a wrong %s is refused', async (param, pair) => {
    for (const what of ['status', 'content']) {
      const seen = await key.post(`${path}/${what}`, pair)
      expectRefusal(seen, { status: 400, code: 'INVALID_REQUEST', param })
    }
  })

  test('a key without studio:write, of other models or without credits orders nothing', async () => {
    const narrow = await at.world.key({ scopes: ['models:read', 'files:read'] })
    expect((await order({}, {}, narrow)).body.error.code).toBe('INSUFFICIENT_SCOPE')
    const other = await at.world.key({ models: ['test/second'] })
    expectRefusal(await order({}, {}, other), { status: 403, code: 'MODEL_NOT_ALLOWED', param: 'model' })
    const { client } = await at.world.stranger(10)
    expectRefusal(await order({}, {}, client), { status: 402, code: 'INSUFFICIENT_CREDITS' })
  })
})
