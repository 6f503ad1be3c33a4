import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { openSvgs, originXmp } from '#core/media'
import { UpstreamError } from '#core/spec'
import type { DrawnFormat } from '#core/turn'
import { openLog } from '#platform/log'
import { finishPicture } from './finish.ts'
import type { Picture } from './images.ts'
import type { ImagePlan } from './plan.ts'
import { shrinkToLimit } from './within-bound.ts'

const planOf = (more: Partial<ImagePlan> = {}): ImagePlan => ({
  order: { prompt: 'x', references: [], count: 1, size: { width: 60, height: 30 } },
  action: 'generate',
  quality: undefined,
  background: undefined,
  format: 'png',
  frame: undefined,
  fit: 'pad',
  source: 'settings',
  ...more,
})
const square = { width: 60, height: 60 }
const red = '#ff0000'
const plain = (width: number, height: number, colour = red) =>
  sharp({ create: { width, height, channels: 3, background: colour } })
const picture = (width = 60, height = 30): Promise<Buffer> => plain(width, height).png().toBuffer()
const pixelAt = async (bytes: Uint8Array, x: number, y: number): Promise<number[]> => [
  ...(await sharp(bytes).extract({ left: x, top: y, width: 1, height: 1 }).ensureAlpha().raw().toBuffer()),
]
const noise = (width: number, height: number): Promise<Buffer> =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()

describe('size', () => {
  test.each([
    ['native', 'pad', undefined, 60, 30],
    ['native', 'crop', { width: 60, height: 30 }, 60, 30],
    ['native', 'crop', { width: 120, height: 60 }, 120, 60],
    ['native', 'pad', { width: 121, height: 61 }, 121, 61],
    ['pad', 'pad', square, 60, 60],
    ['crop', 'crop', { width: 30, height: 60 }, 30, 60],
  ] as const)('is told as %s where %s is asked for in %o', async (reportedFit, fit, frame, width, height) => {
    const finished = await finishPicture(await picture(), planOf({ frame, fit }))
    expect(finished).toMatchObject({
      width,
      height,
      sizing: { source: 'settings', fit: reportedFit, sourceWidth: 60, sourceHeight: 30 },
    })
    expect(await sharp(finished.bytes).metadata()).toMatchObject({ width, height })
  })

  test.each([
    ['native', 'pad', 3 / 2, 60, 40, 60, 40],
    ['native', 'pad', 4 / 5, 896, 1152, 896, 1152],
    ['native', 'crop', 21 / 9, 1536, 672, 1536, 672],
    ['native', 'pad', 16 / 9, 1344, 768, 1344, 768],
    ['pad', 'pad', 1, 1024, 1000, 1024, 1024],
    ['pad', 'pad', 3 / 2, 128, 128, 192, 128],
    ['crop', 'crop', 3 / 2, 120, 120, 120, 80],
    ['pad', 'pad', 1, 192, 128, 192, 192],
    ['crop', 'crop', 1, 192, 128, 128, 128],
    ['pad', 'pad', 8, 4096, 4096, 4096, 512],
  ] as const)(
    'is %s where %s and the ratio %f are asked for and %dx%d is drawn',
    async (reportedFit, fit, ratio, w, h, width, height) => {
      const finished = await finishPicture(await picture(w, h), planOf({ ratio, fit }))
      expect(finished).toMatchObject({
        width,
        height,
        sizing: { source: 'settings', fit: reportedFit, sourceWidth: w, sourceHeight: h },
      })
      expect(await sharp(finished.bytes).metadata()).toMatchObject({ width, height })
    },
  )

  test('is that of a picture as people see it, which is cropped in its middle', async () => {
    const bands = await sharp(
      await plain(90, 30)
        .composite([{ input: await plain(30, 30, '#0000ff').png().toBuffer(), left: 30, top: 0 }])
        .png()
        .toBuffer(),
    )
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer()
    const whole = await finishPicture(bands, planOf({ format: 'jpeg' }))
    expect(whole).toMatchObject({ width: 30, height: 90, sizing: { sourceWidth: 30, sourceHeight: 90 } })
    expect((await sharp(whole.bytes).metadata()).orientation).toBeUndefined()
    const frame = { width: 30, height: 30 }
    const middle = await finishPicture(bands, planOf({ frame, fit: 'crop' }))
    expect((await pixelAt(middle.bytes, 15, 2))[2]).toBeGreaterThan(240)
    expect((await pixelAt(middle.bytes, 15, 27))[2]).toBeGreaterThan(240)
  })

  test('beyond what is decoded is refused by the header', async () => {
    const bytes = await picture(1, 1)
    bytes.writeUInt32BE(30_000, 16)
    bytes.writeUInt32BE(30_000, 20)
    await expect(finishPicture(bytes, planOf())).rejects.toMatchObject({
      fault: 'malformed',
      detail: 'a picture of too many pixels',
    })
  })
})

describe('padding', () => {
  const padded = async (bytes: Buffer, more: Partial<ImagePlan> = {}): Promise<number[]> =>
    pixelAt((await finishPicture(bytes, planOf({ frame: square, ...more }))).bytes, 1, 1)

  test('has the colour of the edge that it stands at, in every format', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const [r = 0, g = 255, b = 255] = await padded(await picture(), { format })
      expect([r > 245, g < 10, b < 10], format).toEqual([true, true, true])
    }
    const grey = await plain(60, 30, '#777777').toColourspace('b-w').png().toBuffer()
    expect(await padded(grey)).toEqual([0x77, 0x77, 0x77, 255])
  })

  test('is white at an edge of many colours, and at one that is transparent', async () => {
    expect(await padded(await noise(60, 30))).toEqual([255, 255, 255, 255])
    const clear = await sharp({ create: { width: 60, height: 30, channels: 4, background: '#f000' } })
      .png()
      .toBuffer()
    expect(await padded(clear)).toEqual([255, 255, 255, 255])
  })

  test('is nothing where transparency is asked for', async () => {
    for (const format of ['png', 'webp'] as const)
      expect((await padded(await picture(), { background: 'transparent', format })).at(3)).toBe(0)
  })
})

describe('quality', () => {
  const written = async (bytes: Buffer, format: DrawnFormat, compression?: number) =>
    (await finishPicture(bytes, planOf({ format, ...(compression && { compression }) }))).bytes

  test.each(['jpeg', 'webp'] as const)(
    'of 100 is the best %s there is, not the usual one',
    async (format) => {
      const bytes = await noise(64, 64)
      const best = await written(bytes, format, 100)
      const usual = await sharp(bytes).toFormat(format, { quality: 100 }).toBuffer()
      // The note of origin is no part of the picture, so only pixels are compared.
      expect(await sharp(best).raw().toBuffer()).toEqual(await sharp(usual).raw().toBuffer())
      expect(best.length).toBeGreaterThan((await written(bytes, format)).length)
    },
  )

  test('of 100 is no reason to write a picture anew, any other is', async () => {
    const bytes = await plain(60, 30).jpeg().toBuffer()
    expect(await written(bytes, 'jpeg', 100)).toBe(bytes)
    expect(await written(bytes, 'jpeg', 99)).not.toEqual(bytes)
  })
})

describe('metadata', () => {
  const withExif = (format: 'png' | 'jpeg') =>
    plain(60, 30)
      .withExif({ IFD0: { Artist: 'someone' } })
      .toFormat(format)
      .toBuffer()

  test('stays with a picture that needs no change, and with no other', async () => {
    const bytes = await withExif('jpeg')
    expect((await finishPicture(bytes, planOf({ format: 'jpeg' }))).bytes).toBe(bytes)
    for (const more of [{ format: 'png' }, { format: 'jpeg', frame: square }] as const) {
      const { exif, icc } = await sharp((await finishPicture(bytes, planOf(more))).bytes).metadata()
      expect([exif, icc]).toEqual([undefined, undefined])
    }
  })

  const noteOf = async (bytes: Uint8Array): Promise<string> => (await sharp(bytes).metadata()).xmpAsString!

  test('of a picture that is written anew says that a model made it, in every format', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const { bytes } = await finishPicture(await picture(), planOf({ format, frame: square }))
      expect(await noteOf(bytes), format).toContain('digitalsourcetype/trainedAlgorithmicMedia"')
    }
  })

  test('of who made it is kept, and nothing else that stood beside it', async () => {
    const words = (tool: string, type: string) =>
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmp:CreatorTool="${tool}" dc:source="a prompt" e:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/${type}"/></rdf:RDF></x:xmpmeta>`
    const bytes = await plain(60, 30).withXmp(words('Some Painter', 'algorithmicMedia')).png().toBuffer()
    const note = await noteOf((await finishPicture(bytes, planOf({ frame: square }))).bytes)
    expect(note).toContain('xmp:CreatorTool="Some Painter"')
    expect(note).toContain('digitalsourcetype/algorithmicMedia"')
    expect(note).not.toContain('prompt')
    const hostile = await plain(60, 30).withXmp(words('&lt;script&gt;', '../../x')).png().toBuffer()
    const clean = await noteOf((await finishPicture(hostile, planOf({ frame: square }))).bytes)
    expect(clean).toContain('trainedAlgorithmicMedia')
    expect(clean).not.toContain('CreatorTool')
  })

  test('of colours is made sRGB', async () => {
    const wide = await plain(60, 30).withIccProfile('p3').png().toBuffer()
    expect(await pixelAt(wide, 0, 0)).toEqual([255, 0, 0, 255])
    const { bytes } = await finishPicture(wide, planOf())
    expect((await sharp(bytes).metadata()).hasProfile).toBe(false)
    expect(await pixelAt(bytes, 0, 0)).toEqual([255, 0, 0, 255])
  })
})

test.each([
  ['text', 'no picture'],
  ['a page', '<!DOCTYPE html><html/>'],
  [
    'SVG, which libvips would draw in this process',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  ],
  ['the head of a PNG', '\x89PNG\r\n\x1a\n'],
])('%s is a malformed answer of the upstream', async (_, text) => {
  const refused = await finishPicture(Buffer.from(text, 'latin1'), planOf()).catch((error) => error)
  expect(refused).toBeInstanceOf(UpstreamError)
  expect(refused.fault).toBe('malformed')
})

describe('SVG', () => {
  const svgs = openSvgs(openLog('silent'))
  const drawings = { svgs, requester: { accountId: 'a', signal: new AbortController().signal } }
  const svg = (content: string): Buffer =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30">${content}</svg>`)
  const rect = '<rect width="60" height="30" fill="#f00"/>'
  const finish = (content: string, format: DrawnFormat, more: Partial<ImagePlan> = {}) =>
    finishPicture(svg(content), planOf({ format, ...more }), drawings)

  test('is answered clean where nothing else is named', async () => {
    const finished = await finish(`<script>x</script>${rect}`, 'svg')
    expect(finished).toMatchObject({
      mediaType: 'image/svg+xml',
      width: 60,
      height: 30,
      sizing: { fit: 'native', sourceWidth: 60, sourceHeight: 30 },
    })
    expect(finished.bytes).toEqual(svg(rect))
  })

  test('is framed without distortion', async () => {
    for (const [fit, aspect] of [
      ['pad', 'meet'],
      ['crop', 'slice'],
    ] as const) {
      const { bytes, ...finished } = await finish(rect, 'svg', { frame: square, fit })
      expect(finished).toMatchObject({ width: 60, height: 60, sizing: { fit, sourceHeight: 30 } })
      expect(String(bytes)).toContain(
        `viewBox="0 0 60 30" width="60" height="60" preserveAspectRatio="xMidYMid ${aspect}">`,
      )
    }
    const { sizing } = await finish(rect, 'svg', { frame: { width: 600, height: 300 } })
    expect(sizing.fit).toBe('native')
  })

  test('is framed in the ratio that settings bind it to', async () => {
    const { bytes, ...finished } = await finish(rect, 'svg', { ratio: 1, fit: 'pad' })
    expect(finished).toMatchObject({ width: 60, height: 60, sizing: { fit: 'pad', sourceHeight: 30 } })
    expect(String(bytes)).toContain('viewBox="0 0 60 30" width="60" height="60"')
    const raster = await finish(rect, 'png', { ratio: 1, fit: 'crop' })
    expect(raster).toMatchObject({ width: 30, height: 30, sizing: { fit: 'crop', sourceWidth: 60 } })
  })

  test('becomes the raster that is named, as sharp as its size', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const frame = { width: 1_200, height: 1_200 }
      const { bytes, ...finished } = await finish(rect, format, { frame })
      expect(finished).toMatchObject({
        mediaType: `image/${format}`,
        ...frame,
        sizing: { fit: 'pad', sourceWidth: 60, sourceHeight: 30 },
      })
      const edge = [await pixelAt(bytes, 600, 296), await pixelAt(bytes, 600, 304)]
      expect(edge.map(([r = 0]) => r > 240)).toEqual([true, true])
    }
    expect(await finish(rect, 'png')).toMatchObject({ width: 60, height: 30, sizing: { fit: 'native' } })
  })

  test('says as a raster who made it', async () => {
    const xmp = originXmp({ type: 'algorithmicMedia', tool: 'Some simulator' })
    for (const [content, type] of [
      [rect, 'trainedAlgorithmicMedia'],
      [`<metadata>${xmp}</metadata>${rect}`, 'algorithmicMedia'],
    ] as const) {
      const { bytes } = await finish(content, 'png')
      expect((await sharp(bytes).metadata()).xmpAsString).toContain(`digitalsourcetype/${type}"`)
    }
  })

  test.each([
    ['empty', ''],
    ['syntax', '<g>'],
    ['expansion', '<g id="a"><use href="#a"/></g>'],
  ])('that is refused as %s is a malformed answer', async (fault, content) => {
    await expect(finish(content, 'svg')).rejects.toMatchObject({
      fault: 'malformed',
      executed: true,
      detail: `The SVG was refused: ${fault}.`,
    })
  })
})

describe('the bound of an answer', () => {
  const finished = async (bytes: Uint8Array): Promise<Picture> => finishPicture(bytes, planOf())

  test('leaves a picture as it is that keeps it', async () => {
    const whole = await finished(await noise(200, 200))
    expect(await shrinkToLimit(whole)).toBe(whole)
  })

  test('makes any other WebP, smaller where that is not enough', async () => {
    const whole = await finished(await noise(200, 200))
    for (const [max, side] of [
      [60_000, 200],
      [4_000, 50],
    ] as const) {
      const { bytes, ...rest } = await shrinkToLimit(whole, max)
      expect(Buffer.from(bytes).toString('base64').length).toBeLessThanOrEqual(max)
      expect(rest).toEqual({ mediaType: 'image/webp', width: side, height: side, sizing: whole.sizing })
    }
    await expect(shrinkToLimit(whole, 16)).rejects.toThrow(RangeError)
  })
})
