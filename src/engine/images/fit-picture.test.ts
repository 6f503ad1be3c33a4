import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fitPicture, withinCharacters } from './fit-picture.ts'

const red = { r: 255, g: 0, b: 0 }
const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: red } })
    .png()
    .toBuffer()
const corner = async (bytes: Uint8Array): Promise<number[]> => [
  ...(await sharp(bytes).ensureAlpha().raw().toBuffer()).subarray(0, 4),
]

test.each([
  ['none', undefined, 'pad', 60, 30],
  ['none', { width: 60, height: 30 }, 'crop', 60, 30],
  ['resized', { width: 120, height: 60 }, 'crop', 120, 60],
  ['padded', { width: 60, height: 60 }, 'pad', 60, 60],
  ['cropped', { width: 30, height: 60 }, 'crop', 30, 60],
] as const)('the picture says that it was %s', async (how, size, fit, width, height) => {
  const { sizing, bytes } = await fitPicture(await picture(60, 30), {
    ...(size && { size }),
    fit,
    format: 'png',
  })
  expect(sizing).toMatchObject({ how, native: { width: 60, height: 30 }, delivered: { width, height } })
  expect(await sharp(bytes).metadata()).toMatchObject({ width, height })
})

test('padding has the colour of the edge, or is transparent where the format can be', async () => {
  const options = { size: { width: 60, height: 60 }, fit: 'pad' } as const
  const bytes = await picture(60, 30)
  expect(await corner((await fitPicture(bytes, { ...options, format: 'png' })).bytes)).toEqual([
    255, 0, 0, 255,
  ])
  const clear = await fitPicture(bytes, { ...options, format: 'png', transparent: true })
  expect((await corner(clear.bytes)).at(3)).toBe(0)
  const noise = await sharp(randomBytes(60 * 30 * 3), { raw: { width: 60, height: 30, channels: 3 } })
    .png()
    .toBuffer()
  expect(await corner((await fitPicture(noise, { ...options, format: 'png' })).bytes)).toEqual([
    255, 255, 255, 255,
  ])
})

test('a header that claims too many pixels is refused before anything is decoded', async () => {
  const bytes = await picture(1, 1)
  bytes.writeUInt32BE(30_000, 16)
  bytes.writeUInt32BE(30_000, 20)
  await expect(fitPicture(bytes, { fit: 'pad', format: 'png' })).rejects.toThrow(RangeError)
})

test('a picture is written smaller only when its base64 is beyond the bound', async () => {
  const raw = { width: 200, height: 200, channels: 3 } as const
  const noise = await sharp(randomBytes(200 * 200 * 3), { raw })
    .png()
    .toBuffer()
  expect(await withinCharacters(noise)).toEqual({ bytes: noise, recompressed: false })
  const { bytes, recompressed } = await withinCharacters(noise, 20_000)
  expect(recompressed).toBe(true)
  expect(Buffer.from(bytes).toString('base64').length).toBeLessThanOrEqual(20_000)
  await expect(withinCharacters(noise, 16)).rejects.toThrow(RangeError)
})
