/** Mixed Persian and Latin on the simulator's pictures, beside a browser's rendering of the same paragraph in the same font. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxImages } from '#sandbox'
import { patient } from './asking.ts'

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (browserPath === undefined)
  console.warn('Pictures are not compared with those of a browser: there is no Chromium on this machine.')

interface Drawn {
  fontSize: number
  /** Without marks, in their order. */
  lines: string[]
  /** Ink by column, for each line. */
  profiles: number[][]
}

const size = { width: 1_024, height: 1_024 }
/** With which the simulator draws. */
const fontFile = fileURLToPath(import.meta.resolve('vazirmatn/fonts/ttf/Vazirmatn-Regular.ttf'))

async function draw(prompt: string, format: 'svg' | 'png'): Promise<Uint8Array> {
  const { images } = await sandboxImages().draw({
    order: { prompt, size, count: 1, references: [], quality: 'low', background: 'transparent', format },
    upstreamModel: 'image',
    signal: new AbortController().signal,
    timeouts: { ...patient, totalMs: 60_000 },
    attemptId: 'a-1',
  })
  return images[0]!
}

async function drawn(prompt: string): Promise<Drawn> {
  const svg = Buffer.from(await draw(prompt, 'svg')).toString()
  const fontSize = Number(/<g font-family="[^"]*" font-size="([\d.]+)"/.exec(svg)![1])
  // The last is the mark of the simulator.
  const found = [...svg.matchAll(/<text x="[^"]*" y="([\d.]+)"[^>]*>([^<]*)<\/text>/g)].slice(0, -1)
  const png = await draw(prompt, 'png')
  const profiles = found.map(([, y]) =>
    profileOf(png, 0, Number(y) - fontSize * 0.95, size.width, fontSize * 1.35),
  )
  return {
    fontSize,
    lines: found.map(([, , text]) => text!.replace(/[\u061c\u200e\u200f\u2066-\u2069]/g, '')),
    profiles: await Promise.all(profiles),
  }
}

/** Dark ink of each column from the first to the last that has any. */
async function profileOf(
  png: Uint8Array,
  left: number,
  top: number,
  width: number,
  height: number,
): Promise<number[]> {
  const box = {
    left: Math.round(left),
    top: Math.round(top),
    width: Math.round(width),
    height: Math.round(height),
  }
  const { data, info } = await sharp(png)
    .flatten({ background: '#fff' })
    .extract(box)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const columns = Array.from({ length: info.width }, (_, x) => {
    let ink = 0
    for (let y = 0; y < info.height; y++)
      ink += Math.max(0, 190 - data[(y * info.width + x) * info.channels]!)
    return ink
  })
  const first = columns.findIndex((ink) => ink > 60)
  return columns.slice(first, columns.findLastIndex((ink) => ink > 60) + 1)
}

/** Of two profiles, brought to one length. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const length = 200
  const [a, b] = [one, other].map((profile) =>
    Array.from({ length }, (_, at) => {
      const [from, to] = [at, at + 1].map((edge) => Math.round((edge * profile.length) / length))
      const part = profile.slice(from, Math.max(to!, from! + 1))
      return part.reduce((sum, ink) => sum + ink, 0) / part.length
    }),
  ) as [number[], number[]]
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / length
  const [meanA, meanB] = [mean(a), mean(b)]
  const product = (x: number[], y: number[], mx: number, my: number): number =>
    x.reduce((sum, value, at) => sum + (value - mx) * (y[at]! - my), 0)
  return product(a, b, meanA, meanB) / Math.sqrt(product(a, a, meanA, meanA) * product(b, b, meanB, meanB))
}

describe.skipIf(browserPath === undefined)('beside a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    const args = ['--no-sandbox', '--font-render-hinting=none']
    browser = await chromium.launch({ executablePath: browserPath as string, args })
  })
  afterAll(() => browser?.close())

  /** One paragraph of the browser, broken where ours is. */
  async function referenceOf({ lines, fontSize }: Drawn): Promise<number[][]> {
    const page = await browser.newPage({ viewport: { width: 2_300, height: 1_800 } })
    const font = readFileSync(fontFile).toString('base64')
    const escaped = lines.map((line) => line.replace(/&/g, '&amp;').replace(/</g, '&lt;'))
    await page.setContent(`<style>@font-face{font-family:V;src:url(data:font/ttf;base64,${font})}
      body{margin:40px;background:#fff} p{font:${fontSize}px/1.5 V;width:30px;margin:0 1100px;color:#172033} span{white-space:nowrap}</style>
      <p dir="auto">${escaped.map((line) => `<span>${line}</span>`).join(' ')}</p>`)
    await page.evaluate('document.fonts.ready')
    const png = await page.screenshot()
    const boxes = (await page.evaluate(
      `[...document.querySelectorAll('span')].map((one) => { const { y, height } = one.getBoundingClientRect(); return [y, height] })`,
    )) as [number, number][]
    await page.close()
    return Promise.all(
      boxes.map(([y, height]) => profileOf(png, 0, y + height / 2 - fontSize * 0.7, 2_300, fontSize * 1.35)),
    )
  }

  test.each([
    ['one line', 'سلام Kherad ۱۲۳ (نسخهٔ 2.0) است.'],
    ['digits and signs', 'تاریخ 1403-05-12 و بازهٔ 1-2 تا ۳٫۵ درصد، شمارهٔ +98 (021) 1234.'],
    ['a paragraph of Persian', persian()],
    [
      'a paragraph of English',
      'The word «سلام دنیا» (hello, world) is 4-3 letters; بازهٔ 10-20 of report.pdf. '.repeat(4),
    ],
  ])('%s is ordered as there', async (_, prompt) => {
    const ours = await drawn(prompt)
    const reference = await referenceOf(ours)
    expect(reference).toHaveLength(ours.profiles.length)
    for (const [at, profile] of ours.profiles.entries()) {
      const line = ours.lines[at]!
      expect(Math.abs(profile.length - reference[at]!.length), line).toBeLessThan(4)
      expect(correlation(profile, reference[at]!), line).toBeGreaterThan(0.9)
    }
  })
})

/** Of words such that lines begin and end within runs of Latin, digits and signs. */
function persian(): string {
  const words =
    'قیمت Kherad 2.0 (beta) از 1-2 تا 12/05/1403 است؛ نشانی https://x.ir/a?b=c و کد ABC-123 (نسخهٔ 4-5) را در report.pdf - v2! ببینید.'
  return `${words} ${words} و ${words} یا باز ${words}`
}
