import sharp from 'sharp'
import { expect, test } from 'vitest'
import { qrCodeOf } from './qr-code.ts'

test('the path draws the modules of a QR code inside its margin', async () => {
  const { size, path } = await qrCodeOf('otpauth://totp/x:y?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=x')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size}" height="${size}"
    shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
  const { data } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true })
  const isDark = (x: number, y: number) => data[y * size + x]! < 128
  const finder = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######']
  const drawn = (left: number, top: number) =>
    finder.map((row, y) => [...row].map((_, x) => (isDark(left + x, top + y) ? '#' : '.')).join(''))
  for (const corner of [drawn(4, 4), drawn(size - 11, 4), drawn(4, size - 11)]) expect(corner).toEqual(finder)
  const margin = Array.from({ length: size }, (_, at) => [isDark(at, 3), isDark(3, at)]).flat()
  expect(margin).not.toContain(true)
})
