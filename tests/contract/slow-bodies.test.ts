/** An order has the whole time that its upstream is given, however slowly the body came that asks for it. */
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../harness/upstream.ts'
import { boot, MovableClock } from '../harness/world.ts'
import { halves } from '../media/images-world.ts'

test('a body that came for longer than an order may take leaves its order all of its time', async () => {
  await using upstream = await fakeUpstream()
  upstream.reply(json(200, { data: [{ b64_json: (await halves(64, 64)).toString('base64') }] }))
  const clock = new MovableClock(Date.UTC(2026, 10, 25))
  await using world = await boot({
    clock,
    config: `
providers:
  - { id: slow, base_url: ${upstream.url}, api_key: secret, dialects: [images], timeouts: { total_ms: 60000 } }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: slow, model: painter }]
    image: { sizes: [64x64] }
    pricing: { per_image: 0.04 }
`,
  })
  const key = await world.key()
  const body = JSON.stringify({ model: 'test/painter', prompt: 'a cat' })
  const reply = await new Promise<number>((resolve, reject) => {
    const sending = request(`${world.url}/v1/studio/image`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key.secret}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    })
    sending.on('error', reject)
    sending.on('response', (message) => {
      message.resume()
      resolve(message.statusCode!)
    })
    // The server has begun with the request.
    sending.on('continue', () => {
      clock.moveMs(120_000)
      sending.end(body)
    })
    sending.flushHeaders()
  })
  expect(reply).toBe(200)
  await world.settled()
  expect(await world.balance()).toMatchObject({ held: 0n })
})
