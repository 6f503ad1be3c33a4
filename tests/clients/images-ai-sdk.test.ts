/** generateImage of the Vercel AI SDK, with its OpenAI provider and with the one for compatible servers. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateImage } from 'ai'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { colourAt, fieldOf, halves, type ImagesWorld, shareOnImages } from '../media/images-world.ts'

let at: ImagesWorld
beforeAll(async () => {
  at = await shareOnImages({ credits: 10_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

const providers = {
  openai: () => createOpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret }),
  compatible: () =>
    createOpenAICompatible({ name: 'kherad', baseURL: `${at.world.url}/v1`, apiKey: at.key.secret }),
}

describe.each(['openai', 'compatible'] as const)('%s', (name) => {
  const model = () => providers[name]().imageModel('test/painter')

  test('draws as many pictures of a text as are asked for', async () => {
    const { images, warnings } = await generateImage({
      model: model(),
      prompt: 'a cat',
      n: 2,
      size: '100x80',
    })
    expect(warnings).toEqual([])
    expect(images).toHaveLength(2)
    for (const { uint8Array } of images)
      expect(await sharp(uint8Array).metadata()).toMatchObject({ width: 100, height: 80, format: 'png' })
  })

  test('draws by one picture and by several', async () => {
    const [one, other] = await Promise.all([halves(64, 64), halves(32, 64)])
    for (const pictures of [[one], [one, other]]) {
      const { images } = await generateImage({
        model: model(),
        prompt: { text: 'make it blue', images: pictures },
        size: '128x128',
      })
      expect(await sharp(images[0]!.uint8Array).metadata()).toMatchObject({ width: 128, height: 128 })
      const order = at.upstream.calls.at(-1)!
      expect(order.path).toBe('/v1/images/edits')
      expect(fieldOf(order, 'prompt')).toBe('make it blue')
      for (const picture of pictures) expect(order.bytes.indexOf(picture)).toBeGreaterThan(0)
    }
  })

  test('draws with the sandbox, offline, of a text and of a picture', async () => {
    const sandbox = providers[name]().imageModel('sandbox/image')
    const drawn = await generateImage({ model: sandbox, prompt: 'گربه‌ای روی بام', n: 2, size: '512x512' })
    expect(drawn.warnings).toEqual([])
    expect(drawn.images).toHaveLength(2)
    const changed = await generateImage({
      model: sandbox,
      prompt: { text: 'آبی‌اش کن', images: [await halves(512, 512)] },
      size: '512x512',
    })
    for (const { uint8Array, mediaType } of [...drawn.images, ...changed.images]) {
      expect(mediaType).toBe('image/png')
      const seen = await sharp(uint8Array).metadata()
      expect(seen).toMatchObject({ width: 512, height: 512, format: 'png' })
    }
    const backdrop = Buffer.from(changed.images[0]!.uint8Array)
    expect([await colourAt(backdrop, 4, 4), await colourAt(backdrop, 507, 4)]).toEqual(['#ff0000', '#0000ff'])
  })

  test('sends a mask to a model that takes one, and hears that another takes none', async () => {
    const picture = await halves(64, 64)
    const masked = (id: string) =>
      generateImage({
        model: providers[name]().imageModel(id),
        prompt: { text: 'make it blue', images: [picture], mask: picture },
        maxRetries: 0,
      })
    expect((await masked('test/masked')).images).toHaveLength(1)
    expect(at.upstream.calls.at(-1)!.bytes.toString('latin1')).toContain('name="mask"')
    await expect(masked('test/painter')).rejects.toThrow(/takes no mask; choose one/)
  })
})
