import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { measure } from './measure.ts'
import { withoutMetadata } from './without-metadata.ts'

const noise = Buffer.from(Array.from({ length: 48 * 32 * 3 }, (_, at) => (at * 97) % 251))
const picture = () => sharp(noise, { raw: { width: 48, height: 32, channels: 3 } })
const exif = {
  IFD0: { Artist: 'someone', Model: 'a phone' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '35/1 41/1 0/1', GPSLongitudeRef: 'E' },
}
const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><note>a secret place</note></x:xmpmeta>'
const taken = (orientation: number) =>
  picture().withExif(exif).withXmp(xmp).withMetadata({ orientation, icc: 'p3' })

const formats = {
  jpeg: (orientation: number) => taken(orientation).jpeg(),
  'progressive jpeg': (orientation: number) => taken(orientation).jpeg({ progressive: true }),
  png: (orientation: number) => taken(orientation).png(),
  webp: (orientation: number) => taken(orientation).webp(),
  'lossless webp': (orientation: number) => taken(orientation).webp({ lossless: true }),
}

const pixelsOf = async (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).raw().toBuffer()
const uprightOf = async (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).autoOrient().raw().toBuffer()

describe.each(Object.entries(formats))('%s', (_, made) => {
  test.each([1, 3, 6, 8])(
    'of orientation %i keeps pixels, colours and turn, and nothing else',
    async (orientation) => {
      const before = await made(orientation).toBuffer()
      expect((await sharp(before).metadata()).exif?.includes('someone')).toBe(true)
      const after = (await withoutMetadata(before))!
      const found = await sharp(after, { failOn: 'warning' }).metadata()
      expect(found.xmp).toBeUndefined()
      expect(found.orientation ?? 1).toBe(orientation)
      expect(found.icc).toEqual((await sharp(before).metadata()).icc)
      expect(found.icc).toBeDefined()
      const text = Buffer.from(after).toString('latin1')
      for (const secret of ['someone', 'a phone', 'secret place', 'GPS']) expect(text).not.toContain(secret)
      if (orientation === 1) expect(found.exif).toBeUndefined()
      expect(await pixelsOf(after)).toEqual(await pixelsOf(before))
      expect(await uprightOf(after)).toEqual(await uprightOf(before))
      expect(measure(after)).toMatchObject({ width: measure(before)!.width, height: measure(before)!.height })
      // A second pass finds nothing to remove.
      expect(Buffer.from((await withoutMetadata(after))!).equals(after)).toBe(true)
    },
  )
})

test('what follows the end of a picture does not leave: previews, films of a phone, text', async () => {
  for (const made of [picture().jpeg(), picture().png(), picture().webp()]) {
    const bytes = await made.toBuffer()
    const trailer = Buffer.concat([
      bytes,
      await picture().withExif(exif).jpeg().toBuffer(),
      Buffer.from('35.68 N'),
    ])
    expect(Buffer.from((await withoutMetadata(trailer))!).equals(bytes)).toBe(true)
  }
})

test('text, times and comments of a png and a jpeg do not leave', async () => {
  const png = await picture().png().toBuffer()
  const chunk = Buffer.concat([Buffer.from([0, 0, 0, 7]), Buffer.from('tEXta\0place'), Buffer.alloc(4)])
  const end = png.length - 12
  const told = Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)])
  expect(Buffer.from((await withoutMetadata(told))!).equals(png)).toBe(true)
  const jpeg = await picture().jpeg().toBuffer()
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 9]), Buffer.from('a place')])
  const commented = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])
  expect(Buffer.from((await withoutMetadata(commented))!).equals(jpeg)).toBe(true)
})

test('an animation keeps its frames', async () => {
  const film = sharp(Buffer.alloc(8 * 16 * 3, 'noise'), {
    raw: { width: 8, height: 16, channels: 3, pageHeight: 8 },
  })
  const bytes = await film
    .webp({ loop: 3, delay: [50, 70] })
    .withExif(exif)
    .toBuffer()
  const after = (await withoutMetadata(bytes))!
  const { pages, delay, loop, exif: left } = await sharp(after, { animated: true }).metadata()
  expect({ pages, delay, loop, left }).toEqual({ pages: 2, delay: [50, 70], loop: 3, left: undefined })
})

test('bytes that are broken anywhere end, and become no longer than an orientation is', async () => {
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % below
  }
  for (const made of Object.values(formats)) {
    const whole = await made(6).toBuffer()
    for (let times = 0; times < 400; times++) {
      const broken = Buffer.from(whole.subarray(0, next(2) ? whole.length : next(whole.length)))
      for (let changes = next(8); changes > 0; changes--) broken[next(broken.length)] = next(256)
      const after = await withoutMetadata(broken)
      expect(after === undefined || after.length <= broken.length + 64).toBe(true)
    }
  }
})

test('more pieces than any program writes are refused', async () => {
  const head = [0xff, 0xd8, 0xff, 0xe0]
  const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(300_000, 0xff)])
  expect(await withoutMetadata(bytes)).toBeUndefined()
})
