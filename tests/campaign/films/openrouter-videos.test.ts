/** /v1/videos: orders in the shape of OpenRouter, with its official client and the AI SDK, against a vendor and the sandbox. */

import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { OpenRouter } from '@openrouter/sdk'
import { experimental_generateVideo as generateVideo } from 'ai'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { measure } from '#core/media'
import { expectRefusal, uuidPattern } from '../../contract/refusal.ts'
import type { Client, Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { videoFixture } from '../../harness/video-upstream.ts'
import { bootVideos, untilMoved, type VideoWorld } from '../../media/videos/video-world.ts'

let at: VideoWorld
let key: Client
beforeAll(async () => {
  at = await bootVideos({ credits: 1_000_000 })
  key = await at.world.key()
})
afterAll(() => at[Symbol.asyncDispose]())
beforeEach(() => at.vendor.plan({}))

const prompt = 'گربه‌ای روی بام'

const order = (more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  key.post('/v1/videos', { model: 'test/film', prompt, ...more }, headers)

const over = (id: string): Promise<Seen> =>
  untilMoved(at.clock, async () => {
    const seen = await key.get(`/v1/videos/${id}`)
    expect(seen.status, seen.text).toBe(200)
    return ['pending', 'in_progress'].includes(seen.body.status) ? undefined : seen
  })

const made = async (more: Record<string, unknown> = {}) => {
  const reply = await order(more)
  expect(reply.status, reply.text).toBe(202)
  return (await over(reply.body.id)).body
}

/** Lets the time of the world pass while somebody waits who cannot move it; it stands while bytes are fetched, which takes time of the machine. */
async function whileTimePasses<Value>(work: Promise<Value>): Promise<Value> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  const fetching = { text: `select from videos.jobs where status = 'fetching'` }
  await until(async () => {
    const isFetching = (await at.world.app.db.query(fetching, [])).length > 0
    if (!isOver && !isFetching) at.clock.moveMs(1_000)
    return isOver
  }, 150_000)
  return work
}

const dataUrl = async (width = 16, height = 9) =>
  `data:image/png;base64,${(
    await sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .png()
      .toBuffer()
  ).toString('base64')}`

const frame = async (frame_type: string) => ({
  type: 'image_url',
  image_url: { url: await dataUrl() },
  frame_type,
})

describe('an order in the shape of OpenRouter', () => {
  test('is answered with where to ask, then with links that need no key and the cost in USD', async () => {
    at.vendor.plan({ states: ['processing', 'completed'] })
    const reply = await order({
      duration: 8,
      resolution: '720p',
      aspect_ratio: '9:16',
      generate_audio: false,
    })
    expect(reply.status, reply.text).toBe(202)
    const alike = {
      id: expect.stringMatching(uuidPattern),
      generation_id: reply.headers.get('x-request-id'),
      polling_url: `${at.world.url}/v1/videos/${reply.body.id}`,
      object: 'video',
      model: 'test/film',
      created_at: Math.floor(at.clock.nowMs() / 1_000),
      resolution: '720p',
      aspect_ratio: '9:16',
      generate_audio: false,
      request_id: reply.headers.get('x-request-id'),
    }
    expect(reply.body).toEqual({ ...alike, status: 'pending', seconds: '8', size: '720x1280' })
    const { body } = await over(reply.body.id)
    const { unsigned_urls: links, seconds, ...rest } = body
    expect(rest).toEqual({
      ...alike,
      status: 'completed',
      completed_at: expect.any(Number),
      expires_at: expect.any(Number),
      progress: 100,
      size: '720x1280',
      file_id: expect.stringMatching(uuidPattern),
      usage: { cost: 0.4, is_byok: false, credits: 400, microcredits: '400000000' },
    })
    expect(Number(seconds)).toBeCloseTo(4, 0)
    expect(links).toHaveLength(1)
    const video = videoFixture('720p-upright-4s-sound')
    const linked = await fetch(links[0])
    expect([linked.status, linked.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect(Buffer.from(await linked.arrayBuffer()).equals(video)).toBe(true)
    const content = await key.raw('GET', `/v1/videos/${body.id}/content?index=0`, undefined, {
      range: 'bytes=0-99',
    })
    expect(content.status).toBe(206)
    expect(Buffer.from(await content.arrayBuffer()).equals(video.subarray(0, 100))).toBe(true)
    const head = await key.raw('HEAD', `/v1/videos/${body.id}/content`)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(video.length)])
    // The same job for the pair of Studio.
    const { id } = body
    expectRefusal(await key.post('/v1/studio/video/status', { id, providerJobId: 'pj_x' }), {
      status: 404,
      code: 'NOT_FOUND',
      param: 'id',
    })
  })

  test('that fails says why as a string, in the language of the caller, and costs nothing', async () => {
    at.vendor.plan({ states: ['refused'] })
    const { body } = await over((await order()).body.id)
    expect(body).toMatchObject({ status: 'failed', error_code: 'CONTENT_REFUSED', usage: { cost: 0 } })
    expect(body.error).toMatch(/^The model refused/)
    expect(body.unsigned_urls).toBeUndefined()
    const persian = await key.get(`/v1/videos/${body.id}`, { 'accept-language': 'fa' })
    expect(persian.body.error).toMatch(/^مدل از ساختن/)
    expectRefusal(await key.get(`/v1/videos/${body.id}/content`), { status: 409, code: 'VIDEO_FAILED' })
  })

  test('whose file is gone is expired', async () => {
    const { id, file_id } = await made()
    expect((await key.request('DELETE', `/v1/files/${file_id}`)).status).toBe(200)
    const { body } = await key.get(`/v1/videos/${id}`)
    expect(body).toMatchObject({ status: 'expired', error_code: 'EXPIRED' })
    expect(body.unsigned_urls).toBeUndefined()
    expectRefusal(await key.get(`/v1/videos/${id}/content`), { status: 410, code: 'VIDEO_EXPIRED' })
  })

  test.each([
    ['1280x720', '720p', '16:9'],
    ['720x1280', '720p', '9:16'],
    ['1280×720', '720p', '16:9'],
    ['1248x720', '720p', '16:9'],
  ])('of the size %s is one of %s and %s', async (size, resolution, aspect_ratio) => {
    expect(await made({ size })).toMatchObject({ status: 'completed', resolution, aspect_ratio })
    expect(at.vendor.jobs.at(-1)!.order).toMatchObject({ resolution, aspect_ratio })
  })

  test('takes seconds as the clients of OpenAI send them, a seed, and null for what is left out', async () => {
    const job = await made({ seconds: '8', seed: 7, resolution: null, duration: null, callback_url: null })
    expect(job.status).toBe('completed')
    expect(at.vendor.jobs.at(-1)!.order).toMatchObject({ duration: 8, seed: 7 })
  })

  test('sends frames in their order, whichever came first, and leaves references aside then', async () => {
    const frames = [await frame('last_frame'), await frame('first_frame')]
    const reference = { type: 'image_url', image_url: { url: await dataUrl() } }
    const reply = await order({ frame_images: frames, input_references: [reference] })
    expect([reply.status, reply.headers.get('x-ignored-fields')]).toEqual([202, 'input_references'])
    await over(reply.body.id)
    const sent = at.vendor.jobs.at(-1)!.order
    expect(sent['frame_images']).toMatchObject([{ frame_type: 'first_frame' }, { frame_type: 'last_frame' }])
    expect(sent['input_references']).toBeUndefined()
    await made({ input_references: [reference, reference] })
    expect(at.vendor.jobs.at(-1)!.order['input_references']).toHaveLength(2)
  })

  test('names what has no effect, and refuses what would make another video', async () => {
    const reply = await order({ user: 'u1', session_id: 's1', provider: { sort: 'price' } })
    expect(reply.status, reply.text).toBe(202)
    expect(reply.headers.get('x-ignored-fields')).toBe('user, session_id, provider')
    await over(reply.body.id)
  })

  test.each([
    [{ prompt: '' }, 'prompt'],
    [{ prompt: 'ا'.repeat(8_001) }, 'prompt'],
    [{ duration: 31 }, 'duration'],
    [{ duration: 5 }, 'duration', 'VIDEO_SETTING_NOT_SUPPORTED'],
    [{ seconds: '5' }, 'seconds', 'VIDEO_SETTING_NOT_SUPPORTED'],
    [{ seconds: '31' }, 'seconds'],
    [{ seconds: '4', duration: 8 }, 'seconds'],
    [{ size: 'large' }, 'size'],
    [{ size: '1920x1080' }, 'size'],
    [{ size: '1000x720' }, 'size'],
    [{ size: '1280x720', resolution: '480p' }, 'resolution'],
    [{ size: '1280x720', aspect_ratio: '1:1' }, 'aspect_ratio'],
    [{ resolution: '4K' }, 'resolution'],
    [{ aspect_ratio: '1:1' }, 'aspect_ratio', 'VIDEO_SETTING_NOT_SUPPORTED'],
    [{ generate_audio: 1 }, 'generate_audio'],
    [{ seed: -1 }, 'seed'],
    [{ seed: 2 ** 31 }, 'seed'],
    [{ callback_url: 'x'.repeat(2_049) }, 'callback_url'],
    [{ callback_url: 'http://example.com/x' }, 'callback_url'],
    [{ callback_url: 'https://127.0.0.1/x' }, 'callback_url'],
    [{ previous_job_id: 'x' }, 'previous_job_id'],
    [{ upscale_factor: 2 }, 'upscale_factor'],
    [{ creativity: 1 }, 'creativity'],
    [{ provider: { options: { google: { negativePrompt: 'x' } } } }, 'provider.options'],
    [{ input_references: [{ type: 'video_url', video_url: { url: 'x' } }] }, 'input_references.0.type'],
  ])('with %j is refused at %s before anything is held', async (more, param, code = 'INVALID_REQUEST') => {
    const before = await at.world.balance()
    expectRefusal(await order(more), { status: 400, code, param })
    const persian = await order(more, { 'accept-language': 'fa' })
    expect(persian.body.error.message).toMatch(/[آ-ی]/)
    expect(await at.world.balance()).toEqual(before)
  })

  test('with a last frame alone, two first ones or three is refused', async () => {
    const [first, last] = [await frame('first_frame'), await frame('last_frame')]
    for (const [frames, param] of [
      [[last], 'frame_images.0.frame_type'],
      [[first, first], 'frame_images.1.frame_type'],
      [[first, last, last], 'frame_images'],
    ] as const)
      expectRefusal(await order({ frame_images: frames }), { status: 400, code: 'INVALID_REQUEST', param })
    const link = {
      type: 'image_url',
      image_url: { url: 'https://example.com/a.png' },
      frame_type: 'first_frame',
    }
    expectRefusal(await order({ frame_images: [link] }), {
      status: 400,
      code: 'INVALID_MEDIA',
      param: 'frame_images.0.image_url.url',
    })
  })

  test('is repeated by its idempotency key, whatever has become of it', async () => {
    const headers = { 'idempotency-key': 'aisdk_vid_1' }
    const first = await order({}, headers)
    await over(first.body.id)
    const jobs = at.vendor.jobs.length
    const again = await order({}, headers)
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(at.vendor.jobs).toHaveLength(jobs)
  })

  test('is found by its own project alone', async () => {
    const { id } = await made()
    const others = [
      await at.world.key({ project: await at.world.newProject() }),
      (await at.world.stranger()).client,
    ]
    for (const path of [`/v1/videos/${id}`, `/v1/videos/${id}/content`]) {
      for (const client of others)
        expectRefusal(await client.get(path), { status: 404, code: 'NOT_FOUND', param: 'id' })
      expectRefusal(await key.get(path.replace(id, 'x')), { status: 404, code: 'NOT_FOUND', param: 'id' })
    }
    expectRefusal(await key.get(`/v1/videos/${id}/content?index=1`), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'index',
    })
  })
})

test('the models say what they make and what that costs, to keys that may use them', async () => {
  const { body } = await key.get('/v1/videos/models')
  const film = body.data.find(({ id }: { id: string }) => id === 'test/film')
  expect(film).toMatchObject({
    canonical_slug: 'test/film',
    supported_resolutions: ['720p'],
    supported_aspect_ratios: ['16:9', '9:16'],
    supported_sizes: ['1280x720', '720x1280'],
    supported_durations: [4, 8],
    supported_frame_images: ['first_frame', 'last_frame'],
    generate_audio: true,
    seed: true,
    pricing_skus: { duration_seconds_with_audio: '0.1', duration_seconds_without_audio: '0.05' },
  })
  const narrow = await at.world.key({ models: ['test/second'], scopes: ['models:read'] })
  const seen = await narrow.get('/v1/videos/models')
  expect(seen.body.data.map(({ id }: { id: string }) => id)).toEqual(['test/second'])
})

describe.each([
  ['test/film', 4],
  ['sandbox/video', 3],
])('%s by the official client of OpenRouter', (model, seconds) => {
  test('is ordered, waited for and fetched', async () => {
    const client = new OpenRouter({ serverURL: `${at.world.url}/v1`, apiKey: key.secret })
    const { data } = await client.videoGeneration.listVideosModels()
    expect(data.map(({ id }) => id)).toContain(model)
    const request = { model, prompt, duration: seconds, resolution: '720p' as const }
    let job = await client.videoGeneration.generate({ videoGenerationRequest: request })
    expect(job.status).toBe('pending')
    const { id } = job
    job = await untilMoved(at.clock, async () => {
      const now = await client.videoGeneration.getGeneration({ jobId: id })
      return ['pending', 'in_progress'].includes(now.status) ? undefined : now
    })
    expect(job, JSON.stringify(job)).toMatchObject({
      status: 'completed',
      unsignedUrls: [expect.any(String)],
    })
    expect(job.usage?.cost).toBeGreaterThan(0)
    const stream = await client.videoGeneration.getVideoContent({ jobId: id })
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
    const video = measure(bytes)!
    expect(video).toMatchObject({ mediaType: 'video/mp4', width: 1280, height: 720 })
    expect(video.durationSeconds).toBeCloseTo(seconds, 0)
  })
})

describe.each([
  ['test/film', 4],
  ['sandbox/video', 2],
])('%s by the AI SDK', (model, duration) => {
  test('is generated with a size, a length and a first frame, and downloaded from its own link', async () => {
    const openrouter = createOpenRouter({ baseURL: `${at.world.url}/v1`, apiKey: key.secret })
    const { video, providerMetadata } = await whileTimePasses(
      generateVideo({
        model: openrouter.videoModel(model, { pollIntervalMs: 100, generateAudio: true }),
        prompt: { image: await dataUrl(), text: prompt },
        aspectRatio: '16:9',
        resolution: '1280x720',
        duration,
        // The SDK downloads from no address of this machine by itself.
        download: async ({ url }) => {
          const reply = await fetch(url)
          expect(reply.status).toBe(200)
          return { data: new Uint8Array(await reply.arrayBuffer()), mediaType: undefined }
        },
      }),
    )
    expect(video.mediaType).toBe('video/mp4')
    expect(measure(video.uint8Array)).toMatchObject({ mediaType: 'video/mp4', width: 1280, height: 720 })
    expect(JSON.stringify(providerMetadata)).toContain('"cost":')
  })
})

test('the AI SDK is told why a video was refused', async () => {
  at.vendor.plan({ states: ['refused'] })
  const openrouter = createOpenRouter({ baseURL: `${at.world.url}/v1`, apiKey: key.secret })
  const asked = generateVideo({
    model: openrouter.videoModel('test/film', { pollIntervalMs: 50 }),
    prompt,
    maxRetries: 0,
  })
  await expect(whileTimePasses(asked)).rejects.toThrow(/The model refused to make this video/)
})
