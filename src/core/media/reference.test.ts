import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Media } from '#core/turn'
import { referencePicture, uprightPicture } from './reference.ts'

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })

const clean = async (data: Buffer, mediaType: string): Promise<Media> =>
  (await referencePicture({ data, mediaType, param: 'references.0.dataUrl' }))!

test('what a camera writes beside the pixels does not leave, and the picture stands upright', async () => {
  const photo = await blank(60, 40)
    .jpeg()
    .withExif({ IFD0: { Artist: 'someone' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const picture = await clean(photo, 'image/jpeg')
  const { exif, icc, xmp, orientation, format } = await sharp(picture.data).metadata()
  expect([exif, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined])
  expect(format).toBe('jpeg')
  expect(picture).toMatchObject({
    width: 40,
    height: 60,
    mediaType: 'image/jpeg',
    param: 'references.0.dataUrl',
  })
})

test('a picture beside a mask is turned as its camera says and stays as large; one that says nothing stays as it is', async () => {
  const photo = (orientation?: number) =>
    blank(3_000, 40)
      .jpeg()
      .withMetadata(orientation === undefined ? {} : { orientation })
      .toBuffer()
  const turned = await uprightPicture({
    data: await photo(6),
    mediaType: 'image/jpeg',
    width: 40,
    height: 3_000,
  })
  const { width, height, orientation } = await sharp(turned.data).metadata()
  expect([width, height, orientation]).toEqual([40, 3_000, undefined])
  for (const data of [await photo(), await photo(1), Buffer.from('no picture')]) {
    const picture: Media = { data, mediaType: 'image/jpeg' }
    expect(await uprightPicture(picture)).toBe(picture)
  }
})

test('sides are at most 2,048 pixels, and smaller pictures are not enlarged', async () => {
  const large = await clean(await blank(4_096, 1_024).png().toBuffer(), 'image/png')
  expect(large).toMatchObject({ width: 2_048, height: 512, mediaType: 'image/png' })
  const edge = await clean(await blank(2_048, 2).png().toBuffer(), 'image/png')
  expect(edge).toMatchObject({ width: 2_048, height: 2 })
  expect(await clean(await blank(3, 2).png().toBuffer(), 'image/png')).toMatchObject({ width: 3, height: 2 })
})

test('webp becomes png with its transparency; of an animation the first picture is left', async () => {
  const clear = sharp({
    create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
  const picture = await clean(await clear.webp().toBuffer(), 'image/webp')
  expect(picture.mediaType).toBe('image/png')
  expect((await sharp(picture.data).metadata()).hasAlpha).toBe(true)
  const frames = await sharp(Buffer.alloc(8 * 16 * 3, 90), {
    raw: { width: 8, height: 16, channels: 3, pageHeight: 8 },
  })
    .webp({ loop: 0, delay: [50, 50] })
    .toBuffer()
  expect(await clean(frames, 'image/webp')).toMatchObject({ width: 8, height: 8 })
})

test('a picture that is cut, or has too many pixels, is none', async () => {
  const noise = Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, index) => (index * 97) % 251))
  const whole = await sharp(noise, { raw: { width: 64, height: 64, channels: 3 } })
    .png()
    .toBuffer()
  expect(await referencePicture({ data: whole.subarray(0, whole.length / 2), mediaType: 'image/png' })).toBe(
    undefined,
  )
  const vast = await blank(8_001, 8_000).png({ palette: true }).toBuffer()
  expect(await referencePicture({ data: vast, mediaType: 'image/png' })).toBe(undefined)
})
