/** One Kherad that orders its videos of another, by the wire of OpenRouter. */
import { expect, test } from 'vitest'
import { videoFixture } from '../../harness/video-upstream.ts'
import { boot } from '../../harness/world.ts'
import { bootVideos, price, untilMoved } from './video-world.ts'

const configOf = (url: string, secret: string) => `
providers:
  - { id: behind, base_url: ${url}/v1, api_key: ${secret}, dialects: [openrouter] }
models:
  - id: house/film
    kind: video
    deployments: [{ provider: behind, model: test/film }]
    video:
      combinations: [{ resolution: 720p, durations: [4], aspect_ratios: ["16:9"], audio: optional }]
      references: { frames: 2 }
    pricing: { per_second: 0.5, trust_cost: usd }
defaults: { credits_per_usd: 1000, markup: 2.0 }
`

test('a video passes through both, ordered once of the vendor, and what the one behind charged is the cost in front', async () => {
  await using behind = await bootVideos()
  const keyBehind = await behind.world.key()
  await using front = await boot({
    config: configOf(behind.world.url, keyBehind.secret),
    credits: 10_000,
    clock: behind.clock,
    timing: { dueTickMs: 20 },
  })
  const key = await front.key()
  const over = async (order: Record<string, unknown>) => {
    const reply = await key.post('/v1/studio/video', { model: 'house/film', prompt: 'گربه', ...order })
    expect(reply.status, reply.text).toBe(202)
    const { id, providerJobId } = reply.body
    const pair = { id, providerJobId }
    const last = await untilMoved(behind.clock, async () => {
      const { body } = await key.post('/v1/studio/video/status', pair)
      return body.pending ? undefined : body
    })
    return { pair, last }
  }

  const { pair, last } = await over({ generateAudio: true })
  // 0.4 USD behind, at the markup of the one in front.
  expect(last).toMatchObject({ status: 'completed', credits: 800, video: { hasAudio: true } })
  const content = await key.raw('POST', '/v1/studio/video/content', JSON.stringify(pair))
  expect(Buffer.from(await content.arrayBuffer()).equals(videoFixture('720p-4s-sound'))).toBe(true)
  expect(behind.vendor.jobs).toHaveLength(1)
  expect(behind.vendor.jobs[0]!.order).toMatchObject({ prompt: 'گربه', duration: 4, generate_audio: true })
  expect((await behind.world.balance()).available).toBe(10_000n * 1_000_000n - price)

  behind.vendor.plan({ states: ['processing', 'refused'] })
  expect((await over({})).last).toMatchObject({ status: 'failed', error: { code: 'CONTENT_REFUSED' } })
  behind.vendor.fail('submit', 403)
  expect((await over({})).last).toMatchObject({ status: 'failed' })
  expect((await front.balance()).available).toBe(10_000n * 1_000_000n - 2n * price)
})
