import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { SiteCompressor } from './compress.ts'

const compressor = new SiteCompressor({ atOnce: 2 })
afterAll(() => compressor[Symbol.asyncDispose]())

const text = (bytes: number): Buffer => Buffer.alloc(bytes, 'سلام بر همه، این یک صفحه است. ')
const html = 'text/html; charset=utf-8'

test('texts of a thousand bytes and more become smaller, and come back as they were', async () => {
  for (const [content, together] of [
    [text(1_000), 1_000],
    [text(300_000), 10_000_000],
  ] as const) {
    const { brotli, gzip } = await compressor.compress(content, html, together)
    expect(brotli!.length).toBeLessThan(content.length * 0.95)
    expect(brotliDecompressSync(brotli!)).toEqual(content)
    expect(gunzipSync(gzip!)).toEqual(content)
  }
  expect(await compressor.compress(text(999), html, 999)).toEqual({})
})

test('the content itself is left as it is, a part of a larger buffer too', async () => {
  const all = text(50_000)
  const part = all.subarray(10_000, 30_000)
  const before = Buffer.from(part)
  const { brotli } = await compressor.compress(part, html, 50_000)
  expect(brotliDecompressSync(brotli!)).toEqual(before)
  expect(part).toEqual(before)
  expect(all).toHaveLength(50_000)
})

test.each(['image/png', 'video/mp4', 'font/woff2', 'application/zip', 'application/octet-stream'])(
  '%s is compressed already',
  async (mediaType) => {
    expect(await compressor.compress(text(5_000), mediaType, 5_000)).toEqual({})
  },
)

test.each([
  'text/css; charset=utf-8',
  'text/javascript; charset=utf-8',
  'application/json',
  'application/manifest+json',
  'application/rss+xml',
  'application/wasm',
  'image/svg+xml',
  'font/ttf',
])('%s is worth it', async (mediaType) => {
  expect(Object.keys(await compressor.compress(text(5_000), mediaType, 5_000))).toEqual(['brotli', 'gzip'])
})

test('what does not become smaller by a twentieth is left', async () => {
  expect(await compressor.compress(randomBytes(20_000), 'text/plain', 20_000)).toEqual({})
})
