/** What the picture model of the simulator can be ordered to do, and what its pictures say of themselves. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { cleanSvg, measure } from '#core/media'
import type { ImageResult } from '#core/spec'
import type { ImageOrder } from '#core/turn'
import { sandboxImages } from '#sandbox'
import { patient } from './asking.ts'

const order: ImageOrder = {
  prompt: 'سلام Kherad',
  references: [],
  count: 2,
  size: { width: 128, height: 64 },
}
const draw = (prompt: string, more: Partial<ImageOrder> = {}): Promise<ImageResult> =>
  sandboxImages().draw({
    order: { ...order, prompt, ...more },
    upstreamModel: 'image',
    signal: new AbortController().signal,
    timeouts: { ...patient, totalMs: 2_000 },
    attemptId: 'a-1',
  })

describe('orders', () => {
  test.each([
    ['fault=overloaded', { fault: 'overloaded', executed: false }],
    ['fault=overloaded after=1', { fault: 'overloaded', executed: true }],
    ['fault=reset after=1', { fault: 'reset', executed: true }],
    ['fault=cut', { fault: 'cut', executed: true }],
    ['refuse', { fault: 'content_refused', executed: false }],
    ['first_token_ms=60000', { fault: 'timeout' }],
    ['bytes=other', { fault: 'invalid_request' }],
  ])('%s', async (directive, error) => {
    await expect(draw(`x [[sandbox: ${directive}]]`)).rejects.toMatchObject(error)
  })

  test('a number of pictures other than that of the request', async () => {
    expect((await draw('x')).images).toHaveLength(2)
    expect((await draw('x [[sandbox: pictures=1]]')).images).toHaveLength(1)
    expect((await draw('x [[sandbox: pictures=3]]')).images).toHaveLength(3)
  })

  test('bytes that are no picture, and bytes that end early', async () => {
    for (const bytes of (await draw('x [[sandbox: bytes=wrong]]')).images)
      expect(measure(bytes)).toBeUndefined()
    const [[whole], [cut]] = [(await draw('x')).images, (await draw('x [[sandbox: bytes=cut]]')).images]
    expect(Buffer.from(whole!).subarray(0, cut!.length)).toEqual(Buffer.from(cut!))
    await expect(sharp(cut!, { failOn: 'truncated' }).raw().toBuffer()).rejects.toThrow()
  })
})

test.each(['png', 'jpeg', 'webp'] as const)(
  'a %s says in its metadata that a simulator made it',
  async (format) => {
    const [bytes] = (await draw('x', { format })).images
    const { xmp } = await sharp(bytes!).metadata()
    expect(String(xmp)).toMatch(/CreatorTool="Made by the Kherad sandbox.*algorithmicMedia/)
  },
)

test('SVG has the prompt as text from right to left, says what made it, and is a clean one', async () => {
  const [svg] = (await draw('سلام <Kherad>\nhello', { format: 'svg' })).images
  const text = String(svg)
  expect(text).toMatch(/<text [^>]*direction="rtl"[^>]*>\u2067سلام &lt;Kherad&gt;\u2069<\/text>/)
  expect(text).toMatch(/<text (?![^>]*direction)[^>]*>\u2066hello\u2069<\/text>/)
  expect(text).toContain('font-family="Vazirmatn, Vazir, Tahoma,')
  expect(text).toContain('<desc>Made by the Kherad sandbox')
  const tags = (of: string): string[] => of.match(/<\w+/g)!
  // Its XMP is for whoever makes a raster of it; a clean drawing has none.
  const [xmp = ''] = /<metadata>.*<\/metadata>/s.exec(text)!
  expect(xmp).toContain('digitalsourcetype/algorithmicMedia"')
  expect(tags(cleanSvg(svg!))).toEqual(tags(text.replace(xmp, '')))
})
