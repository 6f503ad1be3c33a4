/** POST /v1/studio/image: settings, bounds, orders, and what becomes of pictures that were paid. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteOrphanedBytes, uploadWaitingFiles } from '#core/files'
import type { Client, Seen } from '../harness/client.ts'
import { fakeS3 } from '../harness/fake-s3.ts'
import { until } from '../harness/until.ts'
import { json } from '../harness/upstream.ts'
import { boot, MovableClock } from '../harness/world.ts'
import { explained, requestIdOf } from '../text/chat-world.ts'
import { bootOnImages, colourAt, fieldOf, halves, type ImagesWorld, lossOf } from './images-world.ts'

const draw = (key: Client, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  key.post('/v1/studio/image', { model: 'test/painter', prompt: 'a cat', ...body }, headers)

const bytesOf = (reply: Seen, index = 0): Buffer => {
  expect(reply.status, reply.text).toBe(200)
  return Buffer.from(reply.body.outputs[index].data, 'base64')
}

const refusedAt = (reply: Seen, param: string, code = 'INVALID_REQUEST') => {
  expect(reply.status, reply.text).toBe(400)
  expect(reply.body.error).toMatchObject({ code, param })
}

const filesOf = (reply: Seen): string[] => reply.headers.get('x-file-ids')!.split(', ')

const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`

async function stored(key: Client, id: string): Promise<{ status: number; bytes: Buffer; headers: Headers }> {
  const reply = await key.raw('GET', `/v1/files/${id}`)
  return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()), headers: reply.headers }
}

let at: ImagesWorld
beforeAll(async () => {
  at = await bootOnImages({ credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

/** A data URL of exactly so many characters: a png with bytes after its end, which readers skip. */
async function pictureOfCharacters(characters: number): Promise<string> {
  const head = 'data:image/png;base64,'
  const small = await halves(64, 64)
  const bytes = Buffer.alloc((Math.floor((characters - head.length) / 4) * 4 * 3) / 4)
  small.copy(bytes)
  const url = dataUrl(bytes)
  expect(url.length).toBeLessThanOrEqual(characters)
  return url
}

describe('one picture', () => {
  test('of the sandbox says in its metadata that a simulator made it, drawn so or written anew', async () => {
    for (const more of [{}, { size: '800x400' }, { size: '800x400', outputFormat: 'webp' }]) {
      const reply = await draw(at.key, { model: 'sandbox/image', ...more })
      const { xmpAsString } = await sharp(bytesOf(reply)).metadata()
      expect(xmpAsString).toContain('CreatorTool="Made by the Kherad sandbox, a simulator without a model."')
      expect(xmpAsString).toContain('digitalsourcetype/algorithmicMedia"')
      const file = await stored(at.key, reply.headers.get('x-file-ids')!)
      expect((await sharp(file.bytes).metadata()).xmpAsString).toBe(xmpAsString)
    }
  })

  test('of a model that is written anew says that a model made it; one that is not stays as it came', async () => {
    const made = await sharp(bytesOf(await draw(at.key, { size: '256x128' }))).metadata()
    expect(made.xmpAsString).toContain('digitalsourcetype/trainedAlgorithmicMedia"')
    expect((await sharp(bytesOf(await draw(at.key))).metadata()).xmpAsString).toBeUndefined()
  })

  test('comes with its size, who drew it and its cost; it is a file of the project, named on the receipt', async () => {
    const reply = await draw(at.key, { prompt: 'گربه‌ای روی بام' })
    const bytes = bytesOf(reply)
    expect((await sharp(bytes).metadata()).format).toBe('png')
    expect(reply.body).toEqual({
      outputs: [
        {
          data: expect.any(String),
          mediaType: 'image/png',
          width: 128,
          height: 128,
          sizing: { source: 'default', fit: 'native', sourceWidth: 128, sourceHeight: 128 },
        },
      ],
      execution: {
        requestId: requestIdOf(reply),
        model: 'test/painter',
        inputTokens: 0,
        outputTokens: 0,
        totalTokens: 0,
        costUsd: 0.042,
      },
    })
    const [file] = filesOf(reply)
    const receipt = await explained(at.key, requestIdOf(reply))
    expect(receipt).toMatchObject({
      state: 'completed',
      microcredits: '42000000',
      details: { files: [file] },
    })
    expect(reply.headers.get('x-microcredits')).toBe('42000000')

    const kept = await stored(at.key, file!)
    expect(kept.bytes).toEqual(bytes)
    expect(kept.headers.get('content-type')).toBe('image/png')
    const [listed] = (await at.key.get('/v1/files?limit=1')).body.data
    expect(listed).toMatchObject({
      id: file,
      source: 'image',
      media_type: 'image/png',
      receipt_id: requestIdOf(reply),
    })
    const days = (Date.parse(listed.expires_at) - Date.parse(listed.created_at)) / 86_400_000
    expect(days).toBe(30)
    expect(at.upstream.calls.at(-1)!.body).toMatchObject({
      prompt: 'گربه‌ای روی بام',
      quality: 'medium',
      n: 1,
    })
  })

  test.each<[string, Record<string, unknown>, [number, number], object]>([
    ['an exact size, padded', { size: '200x100' }, [200, 100], { source: 'settings', fit: 'pad' }],
    [
      'an exact size, cropped',
      { size: '200x100', fit: 'crop' },
      [200, 100],
      { source: 'settings', fit: 'crop' },
    ],
    ['a ratio of the model', { aspectRatio: '3:2' }, [192, 128], { source: 'settings', fit: 'native' }],
    [
      'a ratio it does not draw',
      { aspectRatio: '2:1', fit: 'crop' },
      [192, 96],
      { source: 'settings', fit: 'crop' },
    ],
    [
      'auto, named by the prompt',
      { aspectRatio: 'auto', prompt: 'نمایی ۲:۳ از یک گربه' },
      [128, 192],
      { source: 'prompt', fit: 'native' },
    ],
    [
      'a prompt alone does not change the square',
      { prompt: 'a cat in 2:3' },
      [128, 128],
      { source: 'default', fit: 'native' },
    ],
  ])('%s', async (_, body, [width, height], sizing) => {
    const reply = await draw(at.key, body)
    const info = await sharp(bytesOf(reply)).metadata()
    expect([info.width, info.height]).toEqual([width, height])
    expect(reply.body.outputs[0]).toMatchObject({ width, height, sizing })
  })

  test.each<[string, Record<string, unknown>, [number, number], [number, number], object]>([
    [
      'a ratio of the model',
      { aspectRatio: '3:2' },
      [128, 128],
      [192, 128],
      { source: 'settings', fit: 'pad' },
    ],
    [
      'a ratio of the model, cropped',
      { aspectRatio: '3:2', fit: 'crop' },
      [120, 120],
      [120, 80],
      { source: 'settings', fit: 'crop' },
    ],
    ['the square of no ratio', {}, [192, 128], [192, 192], { source: 'default', fit: 'pad' }],
    ['no ratio that binds', { aspectRatio: 'auto' }, [192, 128], [192, 128], { fit: 'native' }],
  ])(
    '%s is reached whatever is drawn',
    async (_, body, [drawnWidth, drawnHeight], [width, height], sizing) => {
      const bytes = await halves(drawnWidth, drawnHeight)
      at.upstream.replyOnce(json(200, { data: [{ b64_json: bytes.toString('base64') }] }))
      const reply = await draw(at.key, body)
      expect(await sharp(bytesOf(reply)).metadata()).toMatchObject({ width, height })
      expect(reply.body.outputs[0]).toMatchObject({
        width,
        height,
        sizing: { ...sizing, sourceWidth: drawnWidth, sourceHeight: drawnHeight },
      })
    },
  )

  test('padding keeps all of the picture and cropping its middle, neither distorts it', async () => {
    const padded = bytesOf(await draw(at.key, { size: '256x128' }))
    // 128 columns of picture stand in the middle; their halves are red and blue.
    expect(await colourAt(padded, 70, 64)).toBe('#ff0000')
    expect(await colourAt(padded, 186, 64)).toBe('#0000ff')
    expect(['#ff0000', '#0000ff']).not.toContain(await colourAt(padded, 5, 64))
    const cropped = bytesOf(await draw(at.key, { size: '256x128', fit: 'crop' }))
    expect(await colourAt(cropped, 5, 64)).toBe('#ff0000')
    expect(await colourAt(cropped, 250, 64)).toBe('#0000ff')
  })

  test.each(['png', 'jpeg', 'webp'])('as %s, whatever the upstream draws', async (outputFormat) => {
    const reply = await draw(at.key, { outputFormat, model: 'test/plain' })
    expect((await sharp(bytesOf(reply)).metadata()).format).toBe(outputFormat)
    expect(reply.body.outputs[0].mediaType).toBe(`image/${outputFormat}`)
  })

  test('references are sent in their order, one or several, and cost what the card says', async () => {
    const [first, second] = await Promise.all([halves(64, 64), halves(32, 64)])
    const one = await draw(at.key, { reference: { dataUrl: dataUrl(first) } })
    expect(one.headers.get('x-microcredits')).toBe('45010000')
    const two = await draw(at.key, {
      references: [{ dataUrl: dataUrl(first) }, { dataUrl: dataUrl(second) }],
    })
    expect(two.status, two.text).toBe(200)
    const sent = at.upstream.calls.at(-1)!.bytes
    expect(sent.indexOf(first)).toBeGreaterThan(0)
    expect(sent.indexOf(second)).toBeGreaterThan(sent.indexOf(first))
  })
})

describe('bounds, each at its edge and past it', () => {
  const asked = () => at.upstream.calls.length
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['prompt', { prompt: 'x'.repeat(3) }, { prompt: 'xx' }, 'prompt'],
    ['long prompt', { prompt: 'گ'.repeat(8_000) }, { prompt: 'گ'.repeat(8_001) }, 'prompt'],
    ['aspectRatio', { aspectRatio: '8:1' }, { aspectRatio: `1:${'1'.repeat(30)}` }, 'aspectRatio'],
    [
      'aspectRatio of 24 characters',
      { aspectRatio: '160000000000:90000000000' },
      { aspectRatio: '160000000000:900000000000' },
      'aspectRatio',
    ],
    ['aspectRatio', { aspectRatio: '1:8' }, { aspectRatio: '0:8' }, 'aspectRatio'],
    ['size', { size: '64x64' }, { size: '64' }, 'size'],
    ['count', { count: 4, model: 'test/free' }, { count: 5 }, 'count'],
    ['no count', { count: 1 }, { count: 0 }, 'count'],
    ['preset', { preset: 'quality' }, { preset: 'best' }, 'preset'],
    ['quality', { quality: 'low' }, { quality: 'best' }, 'quality'],
    ['outputFormat', { outputFormat: 'webp' }, { outputFormat: 'svg' }, 'outputFormat'],
    ['fit', { fit: 'crop' }, { fit: 'stretch' }, 'fit'],
  ])('%s', async (_, inside, beyond, param) => {
    expect((await draw(at.key, inside)).status).toBe(200)
    const calls = asked()
    refusedAt(await draw(at.key, beyond), param)
    expect(at.upstream.calls.length).toBe(calls)
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['a ratio', { aspectRatio: '8:1' }, { aspectRatio: '8.1:1' }, 'INVALID_REQUEST'],
    ['a ratio', { aspectRatio: '8:1' }, { aspectRatio: '81:10' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['a width', { size: '64x64' }, { size: '63x64' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['a height', { size: '64x64' }, { size: '64x63' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['a width', { size: '4096x64' }, { size: '4097x64' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['a height', { size: '64x4096' }, { size: '64x4097' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['8,294,400 pixels', { size: '4096x2025' }, { size: '4096x2026' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
    ['8,294,400 pixels', { size: '3840x2160' }, { size: '3840x2161' }, 'IMAGE_SETTING_NOT_SUPPORTED'],
  ])('%s: %o is drawn, %o is not', async (_, inside, beyond, code) => {
    const reply = await draw(at.key, { ...inside, outputFormat: 'webp' })
    const { width, height } = await sharp(bytesOf(reply)).metadata()
    if (inside['size']) expect(`${width}x${height}`).toBe(inside['size'])
    const calls = asked()
    refusedAt(await draw(at.key, beyond), Object.keys(beyond)[0]!, code)
    expect(asked()).toBe(calls)
  })

  test('a data URL of 12,000,000 characters is taken, one of more is not', async () => {
    const inside = await pictureOfCharacters(12_000_000)
    expect((await draw(at.key, { reference: { dataUrl: inside } })).status).toBe(200)
    refusedAt(
      await draw(at.key, { reference: { dataUrl: `${inside}${'A'.repeat(12)}` } }),
      'reference.dataUrl',
    )
  })

  test('a picture is what its bytes are, whatever its data URL calls it', async () => {
    const jpeg = await sharp(await halves(8, 8))
      .jpeg()
      .toBuffer()
    for (const type of [
      'image/jpg',
      'image/png',
      'IMAGE/JPEG',
      'image/jpeg;charset=binary',
      'application/octet-stream',
    ])
      expect([type, (await draw(at.key, { reference: { dataUrl: dataUrl(jpeg, type) } })).status]).toEqual([
        type,
        200,
      ])
  })

  test('what no model can do is refused with its field, before anything is held', async () => {
    const small = dataUrl(await halves(8, 8))
    const calls = asked()
    const balance = await at.world.balance()
    refusedAt(
      await draw(at.key, { reference: { dataUrl: small }, references: [{ dataUrl: small }] }),
      'reference',
    )
    refusedAt(await draw(at.key, { references: Array(9).fill({ dataUrl: small }) }), 'references')
    refusedAt(
      await draw(at.key, { references: Array(3).fill({ dataUrl: small }) }),
      'references',
      'IMAGE_SETTING_NOT_SUPPORTED',
    )
    refusedAt(
      await draw(at.key, { reference: { dataUrl: 'https://example.org/a.png' } }),
      'reference.dataUrl',
      'INVALID_MEDIA',
    )
    refusedAt(
      await draw(at.key, { reference: { dataUrl: dataUrl(Buffer.from('<svg/>'), 'image/png') } }),
      'reference.dataUrl',
      'INVALID_MEDIA',
    )
    refusedAt(
      await draw(at.key, { transparent: true, outputFormat: 'jpeg' }),
      'transparent',
      'IMAGE_SETTING_NOT_SUPPORTED',
    )
    refusedAt(
      await draw(at.key, { transparent: true, model: 'test/plain' }),
      'transparent',
      'IMAGE_SETTING_NOT_SUPPORTED',
    )
    refusedAt(
      await draw(at.key, { quality: 'high', model: 'test/plain' }),
      'quality',
      'IMAGE_SETTING_NOT_SUPPORTED',
    )
    refusedAt(await draw(at.key, { size: '5000x5000' }), 'size', 'IMAGE_SETTING_NOT_SUPPORTED')
    refusedAt(
      await draw(at.key, { size: '200x100', aspectRatio: '1:1' }),
      'aspectRatio',
      'IMAGE_SIZE_CONFLICT',
    )
    for (const prompt of ['   ', '\u200c\u200b\u200f']) refusedAt(await draw(at.key, { prompt }), 'prompt')
    refusedAt(await draw(at.key, { seed: 1 }), 'seed', 'UNKNOWN_FIELD')
    refusedAt(await draw(at.key, { model: 'sandbox/fast' }), 'model', 'MODEL_KIND_MISMATCH')
    expect(at.upstream.calls.length).toBe(calls)
    expect(await at.world.balance()).toEqual(balance)
  })
})

describe('a photo to draw by', () => {
  const taken = async () =>
    sharp(await halves(64, 32))
      .withExif({
        IFD0: { Artist: 'someone', Model: 'a phone' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '35/1 41/1 0/1' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()

  test.each<[string, (photo: string) => Promise<Seen>]>([
    ['Studio', (photo) => draw(at.key, { reference: { dataUrl: photo } })],
    [
      'OpenRouter’s route',
      (photo) => {
        const input_references = [{ type: 'image_url', image_url: { url: photo } }]
        return at.key.post('/v1/images', { model: 'test/painter', prompt: 'a cat', input_references })
      },
    ],
    [
      'Responses',
      (photo) => {
        const content = [
          { type: 'input_text', text: 'make it blue' },
          { type: 'input_image', image_url: photo },
        ]
        return at.key.post('/v1/responses', { model: 'test/painter', input: [{ role: 'user', content }] })
      },
    ],
    [
      'the form for edits',
      async (photo) => {
        const form = new FormData()
        form.append('model', 'test/painter')
        form.append('prompt', 'make it blue')
        form.append('image', await (await fetch(photo)).blob(), 'a.jpg')
        const encoded = new Response(form)
        const type = encoded.headers.get('content-type')!
        const bytes = new Uint8Array(await encoded.arrayBuffer())
        return at.key.request('POST', '/v1/images/edits', bytes, { 'content-type': type })
      },
    ],
  ])('leaves by %s without place and device, with its pixels as they are, and its turn', async (_, send) => {
    const photo = await taken()
    const reply = await send(dataUrl(photo, 'image/jpeg'))
    expect(reply.status, reply.text).toBe(200)
    const { bytes } = at.upstream.calls.at(-1)!
    const from = bytes.indexOf(Buffer.from([0xff, 0xd8, 0xff]))
    const sent = bytes.subarray(from, bytes.indexOf(Buffer.from([0xff, 0xd9]), from) + 2)
    for (const secret of ['someone', 'a phone']) expect(bytes.includes(secret)).toBe(false)
    const { orientation, width, exif } = await sharp(sent).metadata()
    expect([orientation, width, exif!.length]).toEqual([6, 64, 32])
    const pixels = (of: Buffer) => sharp(of).raw().toBuffer()
    expect(await pixels(sent)).toEqual(await pixels(photo))
  })
})

describe('a model that draws vectors', () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" onload="alert(1)">
    <script>alert(1)</script><image href="https://example.org/a.png" width="9" height="9"/>
    <rect width="128" height="128" fill="#00ff00"/></svg>`
  const asSvg = () => json(200, { data: [{ b64_json: Buffer.from(svg).toString('base64') }] })

  test('answers clean SVG where no format is named, and keeps that', async () => {
    at.upstream.replyOnce(asSvg())
    const reply = await draw(at.key, { model: 'test/vector' })
    const clean = bytesOf(reply).toString('utf8')
    expect(reply.body.outputs[0]).toMatchObject({ mediaType: 'image/svg+xml', width: 128, height: 128 })
    expect(clean).toContain('#00ff00')
    expect(clean).not.toMatch(/script|onload|https:\/\/example/)
    const kept = await stored(at.key, filesOf(reply)[0]!)
    expect(kept.bytes.toString('utf8')).toBe(clean)
    expect(kept.headers.get('content-security-policy')).toContain('sandbox')
    expect(kept.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('is there offline too', async () => {
    const reply = await draw(at.key, { model: 'sandbox/vector', prompt: 'سلام خرد' })
    expect(bytesOf(reply).toString('utf8')).toMatch(/^<svg.*سلام/s)
    expect(reply.body.outputs[0].mediaType).toBe('image/svg+xml')
  })

  test('answers a raster where one is named', async () => {
    at.upstream.replyOnce(asSvg())
    const reply = await draw(at.key, { model: 'test/vector', outputFormat: 'png', size: '64x64' })
    const bytes = bytesOf(reply)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 64, height: 64 })
    expect(await colourAt(bytes, 32, 32)).toBe('#00ff00')
  })

  test('is not paid for a drawing that is none', async () => {
    at.upstream.replyOnce(
      json(200, { data: [{ b64_json: Buffer.from('<svg>&bomb;</svg>').toString('base64') }] }),
    )
    expect((await draw(at.key, { model: 'test/vector' })).status).toBe(502)
  })
})

describe('several pictures', () => {
  test('four of a model that draws one at a time are four orders, each sent once, with different ids', async () => {
    const calls = at.upstream.calls.length
    const reply = await draw(at.key, { count: 4, model: 'test/painter' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.outputs).toHaveLength(4)
    expect(reply.headers.get('x-microcredits')).toBe(String(4 * 42_000_000))
    expect(new Set(filesOf(reply)).size).toBe(4)
    const orders = at.upstream.calls.slice(calls)
    expect(orders.map((one) => fieldOf(one, 'n'))).toEqual(['1', '1', '1', '1'])
    expect(new Set(orders.map(({ headers }) => headers['idempotency-key'])).size).toBe(4)
  })

  test('those that came are delivered and charged; the one that did not is free, told, and not ordered again', async () => {
    const calls = at.upstream.calls.length
    const [before, lost] = [await at.world.balance(), await lossOf(at.world)]
    at.upstream.replyOnce(json(500, 'oops'))
    const reply = await draw(at.key, { count: 4 })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.outputs).toHaveLength(3)
    expect(reply.headers.get('x-missing-outputs')).toBe('1')
    expect(reply.headers.get('x-microcredits')).toBe(String(3 * 42_000_000))
    expect(reply.body.execution.costUsd).toBe(0.126)
    expect(at.upstream.calls.length - calls).toBe(4)
    const receipt = (await at.key.get(`/v1/requests/${requestIdOf(reply)}`)).body
    expect(receipt.details.pictures).toMatchObject({ asked: 4, delivered: 3 })
    expect(receipt.details.files).toHaveLength(3)
    await at.world.settled()
    expect(before.available - (await at.world.balance()).available).toBe(3n * 42_000_000n)
    expect((await lossOf(at.world)) - lost).toBe(42_000_000n)
  })

  test('where none came the first failure is the answer, and nothing is charged or kept', async () => {
    const before = await at.world.balance()
    const files = (await at.key.get('/v1/files?limit=100')).body.data.length
    at.upstream.replyOnce(json(500, 'a'), json(500, 'b'))
    const reply = await draw(at.key, { count: 2 })
    expect(reply.status).toBe(502)
    await at.world.settled()
    expect(await at.world.balance()).toEqual(before)
    expect((await at.key.get('/v1/files?limit=100')).body.data).toHaveLength(files)
  })
})

test('where the store fails there is no answer, no charge and no file; room and credits are free again', async () => {
  await using own = await bootOnImages()
  const { storage } = own.world.app
  const { put } = storage
  storage.put = () => Promise.reject(new Error('no space left'))
  const reply = await draw(own.key)
  expect(reply.status).toBe(503)
  expect(reply.body.error.code).toBe('RESULT_NOT_STORED')
  storage.put = put
  await own.world.settled()
  expect(await own.world.balance()).toEqual({ available: 1_000_000_000n, held: 0n })
  expect(await lossOf(own.world)).toBe(42_000_000n)
  const usage = await own.world.app.db.query(
    { text: 'select creations, creation_bytes from files.usage' },
    [],
  )
  expect(usage).toEqual([{ creations: 0n, creation_bytes: 0n }])
  expect((await draw(own.key)).status).toBe(200)
})

/** Nothing is stored again in the background, where it would take the faults that are meant for a test. */
const unhurried = { storeWaitingMs: 3_600_000 }

test('while an S3 store fails, a paid picture waits in the data folder, is read from there, and moves when it is back', async () => {
  await using s3 = await fakeS3()
  await using world = await boot({ config: s3.config, timing: unhurried })
  const key = await world.key()
  s3.failNext(...Array(12).fill(503))
  const reply = await draw(key, { model: 'sandbox/image' })
  const [id] = filesOf(reply)
  expect(s3.objects.size).toBe(0)
  const waiting = await stored(key, id!)
  expect(waiting.bytes).toEqual(bytesOf(reply))
  s3.failNext()
  await until(async () => {
    await uploadWaitingFiles(world.app, new AbortController().signal).catch(() => undefined)
    return s3.objects.size === 1
  })
  expect((await stored(key, id!)).bytes).toEqual(bytesOf(reply))
  expect(s3.calls.at(-1)).toMatch(/^GET /)
})

test('bytes in the data folder whose file was deleted, or never came to be, go after an hour', async () => {
  await using s3 = await fakeS3()
  const clock = new MovableClock()
  await using world = await boot({ config: s3.config, clock, timing: unhurried })
  const key = await world.key()
  s3.failNext(...Array(24).fill(503))
  const [deleted, kept] = [
    await draw(key, { model: 'sandbox/image' }),
    await draw(key, { model: 'sandbox/image' }),
  ].map((reply) => filesOf(reply)[0]!)
  const { waiting } = world.app
  const keysIn = async (): Promise<string[]> => Array.fromAsync(waiting!.keysBefore(Number.POSITIVE_INFINITY))
  expect(await keysIn()).toHaveLength(2)
  expect((await key.raw('DELETE', `/v1/files/${deleted}`)).status).toBe(200)
  await waiting!.storage.put('files/nobody/unwritten', Buffer.from('x'))
  const forget = () => deleteOrphanedBytes(world.app, new AbortController().signal)
  await forget()
  expect(await keysIn(), 'young ones may still get their rows').toHaveLength(3)
  clock.moveMs(61 * 60 * 1_000)
  await forget()
  expect(await keysIn()).toEqual([expect.stringContaining(kept!)])
})

test('a paid result that is missing in the data folder holds up no other', async () => {
  await using s3 = await fakeS3()
  await using world = await boot({ config: s3.config, timing: unhurried })
  const key = await world.key()
  s3.failNext(...Array(24).fill(503))
  const [lost] = filesOf(await draw(key, { model: 'sandbox/image' }))
  const [whole] = filesOf(await draw(key, { model: 'sandbox/image' }))
  const { waiting } = world.app
  const keys = await Array.fromAsync(waiting!.keysBefore(Number.POSITIVE_INFINITY))
  await waiting!.storage.delete(keys.filter((one) => one.includes(lost!)))
  s3.failNext()
  await until(async () => {
    await uploadWaitingFiles(world.app, new AbortController().signal).catch(() => undefined)
    return s3.objects.size === 1
  })
  expect([...s3.objects.keys()].join()).toContain(whole)
})

describe('what is kept', () => {
  test('a repeat that is too large to be told again is 409 and names the files', async () => {
    await using own = await bootOnImages()
    const noise = await sharp({
      create: {
        width: 640,
        height: 640,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 90 },
      },
    })
      .png()
      .toBuffer()
    own.upstream.reply(json(200, { data: [{ b64_json: noise.toString('base64') }] }))
    const claim = { 'idempotency-key': 'large' }
    const first = await draw(own.key, { model: 'test/free' }, claim)
    expect(bytesOf(first)).toEqual(noise)
    const again = await draw(own.key, { model: 'test/free' }, claim)
    expect(again.status).toBe(409)
    expect(again.body.error).toMatchObject({
      code: 'REQUEST_ALREADY_ACCEPTED',
      details: { files: filesOf(first) },
    })
    expect((await stored(own.key, filesOf(first)[0]!)).bytes).toEqual(noise)
    expect(own.upstream.calls).toHaveLength(1)
  })

  test('after its days a creation is gone, from lists at once and from the store with the next tidying', async () => {
    const clock = new MovableClock()
    // Only the test tidies up.
    const roles = { api: true, worker: false }
    await using world = await boot({ clock, roles, config: 'studio: { keep_days: 2 }' })
    const key = await world.key()
    const [id] = filesOf(await draw(key, { model: 'sandbox/image' }))
    clock.moveMs(2 * 86_400_000 - 60_000)
    expect((await stored(key, id!)).status).toBe(200)
    clock.moveMs(120_000)
    expect((await stored(key, id!)).status).toBe(404)
    expect((await key.get('/v1/files')).body.data).toEqual([])
    const { deleteExpired, deleteUnowned } = await import('#core/files')
    await deleteExpired(world.app, new AbortController().signal)
    await deleteUnowned(world.app, new AbortController().signal)
    expect(await world.app.storage.get(`files/${world.account}/${id}`)).toBeUndefined()
    expect(
      await world.app.db.query({ text: 'select creations, creation_bytes from files.usage' }, []),
    ).toEqual([{ creations: 0n, creation_bytes: 0n }])
  })

  test('with keep_days 0 of key or project a creation is unlisted and kept for a day', async () => {
    const clock = new MovableClock()
    await using world = await boot({ clock })
    const key = await world.key()
    await world.app.db.query({ text: 'update auth.keys set keep_days = 0 where key_id = $1' }, [key.keyId])
    const own = await world.key()
    await world.app.db.query({ text: 'update auth.projects set keep_days = 0' }, [])
    await world.app.db.query({ text: 'update auth.keys set keep_days = 5 where key_id = $1' }, [own.keyId])
    await until(async () => (await draw(own, { model: 'sandbox/image' })).status === 200)
    const listed = (await own.get('/v1/files')).body.data.length
    const [id] = filesOf(await draw(key, { model: 'sandbox/image' }))
    expect((await own.get('/v1/files')).body.data).toHaveLength(listed)
    expect((await stored(key, id!)).status).toBe(200)
    clock.moveMs(86_400_000 + 1_000)
    expect((await stored(key, id!)).status).toBe(404)
  })

  test('a full store is refused before the order: nothing is drawn, held or charged', async () => {
    await using own = await bootOnImages()
    await own.world.app.db.query(
      {
        text: `insert into files.usage (account_id, project_id, files, bytes, creations, creation_bytes)
          select account_id, project_id, 0, 0, 1, $1 from auth.keys where key_id = $2`,
      },
      [5 * 1024 ** 3 - 65_535, own.key.keyId],
    )
    const reply = await draw(own.key, { model: 'test/painter' })
    expect(reply.status).toBe(403)
    expect(reply.body.error).toMatchObject({ code: 'FILES_QUOTA_EXCEEDED', execution_started: false })
    expect(own.upstream.calls).toHaveLength(0)
    expect(await own.world.balance()).toEqual({ available: 1_000_000_000n, held: 0n })
  })

  test('a refused hold gives the reserved room back', async () => {
    await using own = await bootOnImages({ credits: 0.001 })
    expect((await draw(own.key)).status).toBe(402)
    expect(
      await own.world.app.db.query({ text: 'select creations, creation_bytes from files.usage' }, []),
    ).toEqual([{ creations: 0n, creation_bytes: 0n }])
  })

  test('a deleted creation frees its room', async () => {
    await using world = await boot()
    const key = await world.key()
    const [id] = filesOf(await draw(key, { model: 'sandbox/image' }))
    expect((await key.request('DELETE', `/v1/files/${id}`)).status).toBe(200)
    expect((await stored(key, id!)).status).toBe(404)
    expect(
      await world.app.db.query({ text: 'select creations, creation_bytes, files from files.usage' }, []),
    ).toEqual([{ creations: 0n, creation_bytes: 0n, files: 0n }])
  })
})

describe('presets', () => {
  test('choose the model where none is named, and cards say which they serve', async () => {
    await using own = await bootOnImages({ presets: 'image: { fast: test/plain, quality: test/painter }' })
    const models = async (body: object) =>
      (await draw(own.key, { model: undefined, ...body })).body.execution.model
    expect(await models({ preset: 'fast' })).toBe('test/plain')
    expect(await models({ preset: 'quality' })).toBe('test/painter')
    expect(await models({})).toBe('test/plain')
    const cards = (await own.key.get('/v1/models')).body.data as { id: string; presets: string[] }[]
    expect(cards.find(({ id }) => id === 'test/plain')!.presets).toEqual(['fast', 'balanced'])
    expect(cards.find(({ id }) => id === 'test/painter')!.presets).toEqual(['quality'])
  })
})
