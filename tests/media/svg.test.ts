import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { cleanSvg, openSvgs } from '#core/media'
import { openLog } from '#platform/log'

const svgs = openSvgs(openLog('silent'))
const requester = { accountId: 'a', signal: new AbortController().signal }
const drawing = (content: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 50">${content}</svg>`,
  )
const proven = (content: string): Promise<string> =>
  svgs.provenSvg(drawing(content), requester).then(({ svg }) => svg)

test('a drawing that shows something is given back clean', async () => {
  expect(await proven('<script>x</script><rect width="9" height="9"/>')).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"><rect width="9" height="9"/></svg>',
  )
  expect(await proven('<text x="90" y="40" direction="rtl">سلام</text>')).toContain('>سلام</text>')
})

test.each([
  ['empty', ''],
  ['empty', '<script>x</script>'],
  ['empty', '<rect width="0" height="9"/>'],
  ['empty', '<use href="#none"/>'],
  // From right to left it begins at the left edge and leaves the drawing, in browsers too.
  ['empty', '<text y="40" direction="rtl">سلام</text>'],
  ['syntax', '<g>'],
])('a drawing is refused as %s: %s', async (fault, content) => {
  await expect(proven(content)).rejects.toMatchObject({ fault })
})

test('a side of nothing and one of everything are refused', async () => {
  for (const size of ['width="1" height="1000000"', 'width="0" height="0"', 'viewBox="0 0 1e-9 1e9"']) {
    const svg = Buffer.from(`<svg ${size}><rect width="1e9" height="1e9"/></svg>`)
    await expect(svgs.provenSvg(svg, requester)).rejects.toMatchObject({
      name: 'Error',
      fault: expect.any(String),
    })
  }
})

test('a raster lies in its box or covers it, and the drawing says how large it is itself', async () => {
  const svg = drawing('<rect width="50" height="50" fill="#f00"/>')
  for (const [covers, width, height] of [
    [false, 200, 100],
    [true, 600, 300],
  ] as const) {
    const drawn = await svgs.rasterOfSvg(svg, { width: 200, height: 300, covers }, requester)
    expect(drawn).toMatchObject({ raster: { width, height }, width: 100, height: 50 })
    const { data, info } = await sharp(drawn.png).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([width, height])
    expect([...data.subarray(0, 4)]).toEqual([255, 0, 0, 255])
    expect(data.at(-1)).toBe(0)
  }
})

test('a vast raster is bounded, whatever the drawing says of itself', async () => {
  const svg = Buffer.from('<svg width="40000" height="30000"><rect width="40000" height="30000"/></svg>')
  const drawn = await svgs.rasterOfSvg(svg, { width: 90_000, height: 90_000, covers: true }, requester)
  expect(drawn).toMatchObject({ raster: { width: 4_096, height: 3_072 }, width: 40_000, height: 30_000 })
})

test('megabytes of styles are cleaned within the bounds of a process', async () => {
  const style = `<style>.a{${'fill:red;'.repeat(40_000)}}</style>`
  const content = `${style}<path d="M0 0h9v9z"/>${'<g class="a" style="fill:red"/>'.repeat(40_000)}`
  const text = await proven(content)
  expect(text).not.toContain('style')
})

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (browserPath === undefined)
  console.warn('Drawings are not looked at in a browser: there is no Chromium on this machine.')

const hostile = (origin: string): Buffer =>
  drawing(`<script>document.title = 'ran'; fetch('${origin}/script')</script><script href="${origin}/script.js"/>
  <style>@import "${origin}/import"; .a{fill:url(${origin}/fill#a)} @font-face{font-family:f;src:url(${origin}/font)}</style>
  <g onload="document.title='ran'" onclick="document.title='ran'" xml:base="${origin}/base/"><image href="${origin}/image.png" width="9" height="9"/>
  <image xlink:href="other.png" width="9" height="9"/><use href="${origin}/use.svg#a"/></g>
  <foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${origin}/frame"/></foreignObject>
  <a xlink:href="javascript:document.title='ran'"><rect id="r" class="a" width="50" height="50" style="fill:#0a0;filter:url(${origin}/f#x)"/></a>
  <set attributeName="fill" to="red"/><text font-family="f" y="20" direction="rtl">سلام</text>`)

describe.skipIf(browserPath === undefined)('in a browser', () => {
  /** Paths that a page of this drawing asks for, and its title after a click. */
  async function look(svgOf: (origin: string) => string): Promise<{ paths: string[]; title: string }> {
    const paths: string[] = []
    let svg = ''
    const server = createServer((request, reply) => {
      if (request.url !== '/favicon.ico') paths.push(request.url!)
      if (request.url === '/drawing.svg') reply.setHeader('content-type', 'image/svg+xml').end(svg)
      else reply.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    svg = svgOf(origin)
    const browser = await chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      await page.goto(`${origin}/drawing.svg`, { waitUntil: 'networkidle' })
      await page.mouse.click(30, 30)
      await page.waitForLoadState('networkidle')
      return { paths, title: await page.title() }
    } finally {
      await browser.close()
      server.close()
    }
  }

  test('a cleaned drawing asks for nothing and runs nothing, where the same as it came does both', async () => {
    const before = await look((origin) => hostile(origin).toString())
    expect(before.paths.length).toBeGreaterThan(3)
    expect(before.title).toBe('ran')
    const after = await look((origin) => cleanSvg(hostile(origin)))
    expect(after).toEqual({ paths: ['/drawing.svg'], title: '' })
  })
})
