import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fromHeif } from './heif.ts'
import { isHeif, sniff } from './media.ts'

const avif = await sharp({ create: { width: 8, height: 4, channels: 3, background: '#ff0000' } })
  .withMetadata({ orientation: 6 })
  .avif({ effort: 0 })
  .toBuffer()

test('an AVIF becomes a JPEG that is upright and has no metadata', async () => {
  expect([isHeif(avif), sniff(avif)]).toEqual([true, undefined])
  const { format, width, height, exif, orientation } = await sharp((await fromHeif(avif))!).metadata()
  expect([format, width, height, exif, orientation]).toEqual(['jpeg', 4, 8, undefined, undefined])
})

test('what is cut off, claims to be vast, or is no picture behind its first bytes is not read', async () => {
  expect(await fromHeif(avif.subarray(0, avif.length - 20))).toBeUndefined()
  const vast = Buffer.from(avif)
  const extent = vast.indexOf('ispe') + 8
  vast.writeUInt32BE(5_000, extent)
  vast.writeUInt32BE(5_000, extent + 4)
  expect(await fromHeif(vast)).toBeUndefined()
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(64)])
  expect([isHeif(heic), await fromHeif(heic)]).toEqual([true, undefined])
  const film = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1')
  expect([isHeif(film), sniff(film)]).toEqual([false, 'video/mp4'])
})
