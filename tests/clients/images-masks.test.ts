/** Masks, and settings that are passed on to the vendor, with the official OpenAI client. */
import OpenAI, { toFile } from 'openai'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colourAt, fieldOf, halves, type ImagesWorld, shareOnImages } from '../media/images-world.ts'
import { explained } from '../text/chat-world.ts'

let at: ImagesWorld
let client: OpenAI
beforeAll(async () => {
  at = await shareOnImages({ credits: 100_000 })
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterAll(() => at[Symbol.asyncDispose]())

const ask = { model: 'test/painter', prompt: 'a cat on a roof' }

/** A mask whose right half is transparent. */
async function maskOf(width: number, height: number): Promise<Buffer> {
  const half = { create: { width: width / 2, height, channels: 4, background: '#fff' } } as const
  const input = await sharp(half).png().toBuffer()
  return sharp({ create: { width, height, channels: 4, background: '#000' } })
    .composite([{ input, left: width / 2, top: 0, blend: 'dest-out' }])
    .png()
    .toBuffer()
}

const fileOf = (bytes: Buffer, name: string) => toFile(bytes, name, { type: 'image/png' })

test('a mask is sent on with its picture and costs nothing of its own', async () => {
  const [picture, mask] = [await halves(64, 64), await maskOf(64, 64)]
  const { request_id: id } = await client.images
    .edit({
      model: 'test/masked',
      prompt: 'a hat',
      image: await fileOf(picture, 'a.png'),
      mask: await fileOf(mask, 'm.png'),
    })
    .withResponse()
  const { bytes, path } = at.upstream.calls.at(-1)!
  const form = bytes.toString('latin1')
  expect(path).toBe('/v1/images/edits')
  expect(form.match(/name="(image|mask)"/g)).toEqual(['name="image"', 'name="mask"'])
  const sent = bytes.subarray(bytes.indexOf('name="mask"'))
  const { data, info } = await sharp(sent.subarray(sent.indexOf('\x89PNG', 0, 'latin1')))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect([info.width, info.height, data[3], data.at(-1)]).toEqual([64, 64, 255, 0])
  const receipt = await explained(at.key, id!)
  expect(receipt).toMatchObject({ state: 'completed', microcredits: '45010000' })
  expect(receipt.details).toMatchObject({ pictures: { action: 'edit', references: 1, mask: true } })
})

test('the sandbox draws where the mask is transparent and leaves the rest of the picture as it is', async () => {
  const picture = await halves(512, 512)
  const { data } = await client.images.edit({
    model: 'sandbox/image',
    prompt: 'گربه‌ای روی بام',
    size: '512x512',
    image: await fileOf(picture, 'a.png'),
    mask: await fileOf(await maskOf(512, 512), 'm.png'),
  })
  const edited = Buffer.from(data?.[0]?.b64_json ?? '', 'base64')
  const [before, after] = await Promise.all(
    [picture, edited].map((bytes) =>
      sharp(bytes).removeAlpha().extract({ left: 0, top: 0, width: 256, height: 512 }).raw().toBuffer(),
    ),
  )
  expect(after!.equals(before!)).toBe(true)
  expect(await colourAt(edited, 507, 256)).not.toBe('#0000ff')
})

test('settings of the vendor are passed on where its wire has them, and named where it has not', async () => {
  const picture = await halves(64, 64)
  const generate = (model: string, more: object) =>
    client.images.generate({ ...ask, model, ...more }).withResponse()
  const edit = async (more: object) =>
    client.images.edit({ ...ask, image: await fileOf(picture, 'a.png'), ...more }).withResponse()
  const ignored = ({ response }: { response: Response }) => response.headers.get('x-ignored-fields')

  expect(ignored(await generate('test/painter', { style: 'natural', moderation: 'low' }))).toBeNull()
  expect(at.upstream.calls.at(-1)!.body).toMatchObject({ style: 'natural', moderation: 'low' })
  expect(ignored(await generate('test/painter', { style: 'vivid', moderation: 'auto' }))).toBeNull()
  expect(Object.keys(at.upstream.calls.at(-1)!.body!)).not.toContain('style')
  expect(Object.keys(at.upstream.calls.at(-1)!.body!)).not.toContain('moderation')
  const small = { size: '128x128', style: 'natural', moderation: 'low', input_fidelity: 'high' }
  expect(ignored(await generate('sandbox/image', small))).toBe('input_fidelity, moderation, style')

  expect(ignored(await edit({ input_fidelity: 'high', moderation: 'low' }))).toBe('moderation')
  const form = at.upstream.calls.at(-1)!
  expect([fieldOf(form, 'input_fidelity'), fieldOf(form, 'moderation')]).toEqual(['high', undefined])
})

test('aspect_ratio is the shape of the picture, whatever the wire', async () => {
  const { data } = await client.images.generate({ ...ask, aspect_ratio: '3:2' } as typeof ask)
  const { width, height } = await sharp(Buffer.from(data?.[0]?.b64_json ?? '', 'base64')).metadata()
  expect([width, height, fieldOf(at.upstream.calls.at(-1)!, 'size')]).toEqual([192, 128, '192x128'])
})
