/** The simulator's images, checked as a reader would see them. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measure } from '#core/media'
import type { Client } from '../../harness/client.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import { colourAt, halves, inkedColumns, picture, runsOf, withPictures } from '../../media/images-world.ts'
import { pictureIn } from '../../text/responses-image-oracle.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld({ credits: 10_000 })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

async function drawing(input: unknown, tool: Record<string, unknown> = {}): Promise<Buffer> {
  const reply = await picture(key, tool, { model: 'sandbox/image', input })
  return pictureIn(reply.body).bytes
}

/** The widths of what stands in one line on a clear backdrop, from left to right. */
const inkOf = async (prompt: string): Promise<number[]> =>
  runsOf(await inkedColumns(await drawing(prompt, { background: 'transparent' })))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

describe('bytes', () => {
  test.each([
    ['1024x1024', 'png'],
    ['1536x1024', 'jpeg'],
    ['1024x1792', 'webp'],
    ['512x512', 'png'],
    ['64x64', 'webp'],
    ['1000x250', 'jpeg'],
    ['3840x2160', 'jpeg'],
  ])('are a picture of %s in %s that is not blank', async (size, format) => {
    const bytes = await drawing('شهر فیروزه‌ای', { size, output_format: format })
    expect(measure(bytes)?.mediaType).toBe(`image/${format}`)
    const { width, height } = await sharp(bytes).metadata()
    expect(`${width}x${height}`).toBe(size)
    const { channels } = await sharp(bytes).stats()
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(10)
  })

  test('are the same for the same prompt, and others for another', async () => {
    const [one, same, other] = [await drawing('یک'), await drawing('یک'), await drawing('دو')]
    expect(one).toEqual(same)
    expect(one).not.toEqual(other)
    expect(await colourAt(one, 2, 2)).not.toBe(await colourAt(other, 2, 2))
  })

  test('are finer for a better quality', async () => {
    const [low, high] = [await drawing('x', { quality: 'low' }), await drawing('x', { quality: 'high' })]
    expect(high.length).toBeGreaterThan(low.length)
  })

  test('are clear around the card where that is asked for', async () => {
    const bytes = await drawing('گل', { background: 'transparent' })
    expect(await colourAt(bytes, 2, 2)).toBe('clear')
    expect(await colourAt(bytes, 512, 470)).not.toBe('clear')
    expect(await colourAt(await drawing('گل'), 2, 2)).not.toBe('clear')
  })

  test('have the pictures that were given as their backdrop', async () => {
    const [left, right] = [await halves(64, 64), await halves(64, 64)]
    const bytes = await drawing(withPictures(left, right), { size: '1024x1024' })
    const columns = [100, 400, 600, 900].map((x) => colourAt(bytes, x, 5))
    expect(await Promise.all(columns)).toEqual(['#ff0000', '#0000ff', '#ff0000', '#0000ff'])
  })

  test('have a photo that a phone has laid on its side upright', async () => {
    const photo = await sharp(await halves(64, 64))
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer()
    const bytes = await drawing(withPictures(photo), { size: '512x512' })
    expect([await colourAt(bytes, 4, 5), await colourAt(bytes, 4, 507)]).toEqual(['#ff0000', '#0000ff'])
  })
})

describe('letters', () => {
  test('of Persian join: a word is one stroke where its letters apart are several, and is narrower', async () => {
    const joined = await inkOf('بپتثنیسش')
    const apart = await inkOf([...'بپتثنیسش'].join('\u200c'))
    expect(joined).toHaveLength(1)
    expect(apart.length).toBeGreaterThan(4)
    expect(sum(joined)).toBeLessThan(sum(apart))
  })

  test('of Persian are the shapes that the font has for their places in the word', async () => {
    // The presentation forms of سلام: initial, medial ligature, isolated.
    expect(await inkOf('سبب ببس')).toEqual(await inkOf('ﺳﺒﺐ ﺑﺒﺲ'))
  })

  test('part at a half space, without a gap', async () => {
    const [half, none] = [await inkOf('می‌خواهم'), await inkOf('میخواهم')]
    expect(sum(half)).toBeGreaterThan(sum(none))
  })

  test('run from right to left, and Latin words among them from left to right', async () => {
    // A stroke, then a word: in a Persian line the stroke stands at the right.
    const persian = await inkOf('ا MMMM')
    expect(persian.at(-1)).toBeLessThan(persian[0]! / 2)
    const latin = await inkOf('I MMMM ا')
    expect(latin[0]).toBeLessThan(latin[1]! / 2)
    expect(latin.at(-1)).toBeLessThan(latin[1]! / 2)
  })

  test('of signs that have a meaning in markup are drawn, not obeyed', async () => {
    const [escaped, plain] = [await inkOf('<b>&amp;</b>'), await inkOf('b')]
    expect(escaped.length).toBeGreaterThan(plain.length + 5)
  })
})

describe('a text', () => {
  const paragraph =
    'در گذرگاه زمان خیمه‌شب‌بازی دهر با همهٔ تلخی و شیرینی خود می‌گذرد. The quick brown fox ۱۲۳۴۵. '

  /** Ink within the clear margin of a card. */
  async function spills(bytes: Buffer): Promise<boolean> {
    const columns = await inkedColumns(bytes, 200)
    const margin = Math.floor(columns.length * 0.06)
    return columns.slice(0, margin).some(Boolean) || columns.slice(-margin).some(Boolean)
  }

  /** The middle of the card, above its mark. */
  async function isWritten(bytes: Buffer): Promise<boolean> {
    const { width = 0, height = 0 } = await sharp(bytes).metadata()
    const middle = { left: 0, top: Math.round(height * 0.35), width, height: Math.round(height * 0.2) }
    return (await inkedColumns(await sharp(bytes).extract(middle).toBuffer(), 200)).some(Boolean)
  }

  test.each([
    ['of 8,000 characters', paragraph.repeat(100).slice(0, 8_000)],
    ['of 30,000 characters', paragraph.repeat(400).slice(0, 30_000)],
    ['of one long word', 'کشتی'.repeat(500)],
    ['of one long Latin word', 'w'.repeat(4_000)],
    ['of many lines', 'خط\n'.repeat(300)],
    ['of one letter', 'آ'],
    ['with controls, halves of pairs and marks alone', 'a\u0001b \ud800 \u202eabc\u2069 \u0651 x'],
    ['of signs that the font does not have', '漢字 😀 ᚠ'],
  ])('%s stays on its card', async (_, text) => {
    const bytes = await drawing(text, { background: 'transparent', size: '512x512' })
    expect(await spills(bytes)).toBe(false)
    expect(await isWritten(bytes)).toBe(true)
  })

  test('stands on the smallest picture and on the longest strip', async () => {
    for (const tool of [{ size: '64x64' }, { size: '2048x256', fit: 'crop' }]) {
      expect(await isWritten(await drawing('سلام', { ...tool, background: 'transparent' }))).toBe(true)
    }
  })
})

test('a picture is drawn beside the event loop', async () => {
  const text = 'در گذرگاه زمان '.repeat(500)
  await drawing(text)
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  await drawing(text, { size: '3840x2160' })
  clearInterval(counting)
  // While it is drawn the loop goes on turning; a renderer in its way would leave it a handful of turns.
  expect(turns).toBeGreaterThan(20)
})
