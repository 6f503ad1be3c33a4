import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fromHeif as fromHeifFor } from './heif.ts'
import { isHeif, sniff } from './media.ts'

const fromHeif = (bytes: Uint8Array, account = 'one', maxBytes?: number) =>
  fromHeifFor(bytes, account, maxBytes)
const picture = async (bytes: Uint8Array) => (await fromHeif(bytes)) as Uint8Array

const avif = await sharp({ create: { width: 8, height: 4, channels: 3, background: '#ff0000' } })
  .withMetadata({ orientation: 6 })
  .avif({ effort: 0 })
  .toBuffer()

test('an AVIF becomes a JPEG that is upright and has no metadata', async () => {
  expect([isHeif(avif), sniff(avif)]).toEqual([true, undefined])
  const { format, width, height, exif, orientation } = await sharp(await picture(avif)).metadata()
  expect([format, width, height, exif, orientation]).toEqual(['jpeg', 4, 8, undefined, undefined])
})

test('what is cut off, claims to be vast, or is no picture behind its first bytes is not read', async () => {
  expect(await fromHeif(avif.subarray(0, avif.length - 20))).toBe('unreadable')
  const vast = Buffer.from(avif)
  const extent = vast.indexOf('ispe') + 8
  vast.writeUInt32BE(5_000, extent)
  vast.writeUInt32BE(5_000, extent + 4)
  expect(await fromHeif(vast)).toBe('unreadable')
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(64)])
  expect([isHeif(heic), await fromHeif(heic)]).toEqual([true, 'unreadable'])
  const film = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1')
  expect([isHeif(film), sniff(film)]).toEqual([false, 'video/mp4'])
})

test('an account that sends many pictures at once does not keep others from the decoder', async () => {
  const done: string[] = []
  const decode = (account: string) => fromHeif(avif, account).then(() => done.push(account))
  const many = [1, 2, 3, 4, 5].map(() => decode('many'))
  await expect(decode('many')).rejects.toThrow('TOO_MUCH_IN_FLIGHT')
  const few = decode('few')
  await Promise.all([...many, few])
  expect(done.indexOf('few')).toBeLessThan(3)
})

test('a transparent picture that is too large as PNG becomes WebP; one that is too large as that too is refused', async () => {
  const noise = randomBytes(64 * 64 * 4)
  const raw = { width: 64, height: 64, channels: 4 } as const
  const clear = await sharp(noise, { raw }).avif({ effort: 0 }).toBuffer()
  const png = await picture(clear)
  const webp = await fromHeif(clear, 'one', png.length - 1)
  expect([sniff(png), sniff(webp as Uint8Array)]).toEqual(['image/png', 'image/webp'])
  expect(await fromHeif(clear, 'one', 100)).toBe('too_large')
  expect(await fromHeif(avif, 'one', 100)).toBe('too_large')
})
