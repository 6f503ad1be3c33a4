import sharp from 'sharp'
import { expect, test } from 'vitest'
import { hasAlpha, paintedMask } from './alpha.ts'

const create = (channels: 3 | 4, background: string) =>
  sharp({ create: { width: 4, height: 2, channels, background } })

/** A png of these chunks, without the checks of their sums. */
function pngOf(...chunks: [type: string, bytes: number][]): Buffer {
  const head = Buffer.from(
    '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x04\0\0\0\x02\x08\x03\0\0\0\0\0\0\0',
    'latin1',
  )
  const rest = chunks.flatMap(([type, bytes]) => {
    const chunk = Buffer.alloc(12 + bytes)
    chunk.writeUInt32BE(bytes)
    chunk.write(type, 4)
    return chunk
  })
  return Buffer.concat([head, ...rest])
}

test('a png has an alpha channel by its colour type, or by a chunk before its pixels', async () => {
  expect(hasAlpha(await create(4, '#ff000080').png().toBuffer())).toBe(true)
  expect(hasAlpha(await create(3, '#ff0000').png().toBuffer())).toBe(false)
  expect(hasAlpha(pngOf(['PLTE', 6], ['tRNS', 2], ['IDAT', 9]))).toBe(true)
  expect(hasAlpha(pngOf(['PLTE', 6], ['IDAT', 9], ['tRNS', 2]))).toBe(false)
  expect(hasAlpha(pngOf())).toBe(false)
})

test('a length that is a lie, and a million chunks, are looked at for a moment', () => {
  const long = pngOf(['PLTE', 6])
  long.writeUInt32BE(0xffff_ffff, 33)
  expect(hasAlpha(long)).toBe(false)
  const empty = Buffer.alloc(12)
  empty.write('PLTE', 4)
  const transparency = pngOf(['tRNS', 2]).subarray(pngOf().length)
  // The chunk of transparency behind a million others is not looked for.
  expect(hasAlpha(Buffer.concat([pngOf(), Buffer.alloc(12_000_000, empty), transparency]))).toBe(false)
})

test('a painted mask is white where the mask is transparent', async () => {
  const half = { create: { width: 2, height: 2, channels: 4, background: '#fff' } } as const
  const mask = await create(4, '#00ff00')
    .composite([{ input: await sharp(half).png().toBuffer(), left: 2, top: 0, blend: 'dest-out' }])
    .png()
    .toBuffer()
  const { data, info } = await sharp(await paintedMask(mask))
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect([info.width, info.height]).toEqual([4, 2])
  expect([...data.subarray(0, 4)]).toEqual([0, 0, 255, 255])
})
