/** Drawings made to exhaust or to leave: each is refused or cleaned within the bounds of its process, and the next one works. */
import { describe, expect, test } from 'vitest'
import { openSvgs } from '#core/media'
import { openLog } from '#platform/log'
import { expectNoHold } from '../../cost/cost.ts'

const svgs = openSvgs(openLog('silent'))
const requester = { accountId: 'a', signal: new AbortController().signal }
const drawing = (content: string, attributes = 'viewBox="0 0 100 50"', before = ''): Buffer =>
  Buffer.from(`${before}<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`)
const rect = '<rect width="90" height="40"/>'
const filtered = (primitive: string, region = ''): Buffer =>
  drawing(`<filter id="f" ${region}>${primitive}</filter><rect filter="url(#f)" width="90" height="40"/>`)
const prove = (bytes: Buffer): Promise<string> => svgs.provenSvg(bytes, requester).then(({ svg }) => svg)
const verdictOf = (bytes: Buffer): Promise<string> =>
  prove(bytes).then(
    () => 'clean',
    (error) => error.fault,
  )

/** As a group that takes part in the drawing, so that nothing is left out unread. */
const uses = (levels: number, each: number): string =>
  `<g id="i0">${rect}</g>${Array.from({ length: levels }, (_, level) => `<g id="i${level + 1}">${`<use href="#i${level}"/>`.repeat(each)}</g>`).join('')}`

describe('within its bounds', () => {
  test.each<[string, string, () => Buffer]>([
    ['size', 'a million elements', () => drawing('<g/>'.repeat(1_000_000))],
    ['size', 'a million elements that are drawn', () => drawing('<path d="M0 0h9v9z"/>'.repeat(1_000_000))],
    ['size', '300 elements in each other', () => drawing('<g>'.repeat(300) + '</g>'.repeat(300))],
    ['expansion', 'ten to the ninth by use', () => drawing(uses(9, 10))],
    ['clean', 'ten thousand by use', () => drawing(uses(4, 10))],
    ['clean', 'a path of 100,000 commands', () => drawing(`<path d="M0 0${'l9 4-9-3'.repeat(50_000)}z"/>`)],
    ['empty', 'a path of more than a million characters, which is left out', () => drawing(`<path d="M0 0${'l9 4-9-3'.repeat(130_000)}"/>`)],
    ['clean', 'sides of 40,000 px', () => drawing(rect, 'width="40000" height="40000"')],
    ['size', 'a text of a megabyte', () => drawing(`<text y="9">${'سلام '.repeat(110_000)}</text>`)],
    ['declaration', 'an entity bomb', () => drawing('<text>&b;</text>', '', `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(99)}">${'<!ENTITY b "&a;&a;&a;&a;">'.repeat(9)}]>`)],
    ['declaration', 'an entity of a file', () => drawing('<text>&a;</text>', '', '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>')],
    ['empty', 'a pattern of nothing', () => drawing('<pattern id="p" width="1e-9" height="1e-9"><g/></pattern><rect fill="url(#p)" width="9" height="9"/>')],
    ['time', 'noise of a billion octaves', () => filtered('<feTurbulence numOctaves="1000000000"/>')],
  ])('%s: %s', async (verdict, _, bytes) => {
    expect(await verdictOf(bytes())).toBe(verdict)
    expect(await verdictOf(drawing(rect))).toBe('clean')
  })

  // What a renderer does with these differs by its version: refused or drawn, it must end and take nothing with it.
  test.each<[string, () => Buffer]>([
    ['a filter of a region beyond all pixels', () => filtered('<feGaussianBlur stdDeviation="1e9"/>', 'x="-1e9" y="-1e9" width="1e12" height="1e12"')],
    ['a dilation by 100,000 px', () => filtered('<feMorphology operator="dilate" radius="100000"/>', 'x="-1e5" y="-1e5" width="1e9" height="1e9"')],
    ['a line of countless dashes', () => drawing('<path stroke="#000" stroke-dasharray="1e-7" d="M0 9L100 50"/>')],
    ['200 layers in each other', () => drawing('<g opacity=".9">'.repeat(200) + rect + '</g>'.repeat(200))],
  ])('%s', async (_, bytes) => {
    expect(['clean', 'empty', 'size', 'time', 'broken']).toContain(await verdictOf(bytes()))
    expect(await verdictOf(drawing(rect))).toBe('clean')
  })
}) // biome-ignore format: a table

// Elsewhere the system does not bound what native code takes.
test.skipIf(process.platform !== 'linux')('gigabytes of layers end their process alone', async () => {
  const layers = drawing('<g opacity=".9">'.repeat(200) + rect + '</g>'.repeat(200))
  const drawn = svgs.rasterOfSvg(layers, { width: 4_096, height: 4_096, covers: false }, requester)
  await expect(drawn).rejects.toMatchObject({ fault: 'broken' })
  expect(await verdictOf(drawing(rect))).toBe('clean')
})

test('nothing of what leads out or runs is left, wherever it stands', async () => {
  const outside = [
    '<style>@import "https://x.ir/a.css"; @font-face{font-family:f;src:url(https://x.ir/f)} rect{fill:url(https://x.ir/#a)}</style>',
    '<script>alert(1)</script><script href="https://x.ir/a.js"/>',
    '<rect width="9" height="9" style="fill:url(https://x.ir/#b)" fill="url(//x.ir/#c)" onload="alert(1)" onclick="alert(1)"/>',
    '<image href="https://x.ir/a.png" width="9" height="9"/><use href="https://x.ir/a.svg#b"/><feImage href="https://x.ir/a"/>',
    '<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="https://x.ir"/></body></foreignObject>',
    '<a href="javascript:alert(1)"><rect width="9" height="9"/></a><a href="data:text/html,x"><rect width="9" height="9"/></a>',
    '<rect id="r" width="9" height="9"><set attributeName="href" to="javascript:alert(1)"/><animate attributeName="xlink:href" values="https://x.ir"/></rect>',
    '<image href="data:image/svg+xml;base64,PHN2Zy8+" width="9" height="9"/>',
  ]
  const svg = await prove(drawing(outside.join('')))
  expect(svg).not.toMatch(
    /x\.ir|script|alert|style|import|font-face|foreign|iframe|image|<a|set|animate|data:| on\w+=/i,
  )
  expect(svg.match(/<rect/g)).toHaveLength(4)
})

test('the event loop of the server is never held', async () => {
  const largest = drawing(`<path d="M0 0${'l9 4-9-3'.repeat(110_000)}"/>${rect.repeat(20_000)}`)
  await expectNoHold('proving a drawing of 1.5 MB', () => prove(largest))
  const box = { width: 2_048, height: 2_048, covers: false }
  await expectNoHold('drawing one as a raster', () =>
    svgs.rasterOfSvg(drawing(rect, 'viewBox="0 0 9 9"'), box, requester),
  )
})

test('a drawing is given up with its request', async () => {
  const leaving = new AbortController()
  const given = svgs.provenSvg(filtered('<feTurbulence numOctaves="1000000000"/>'), {
    accountId: 'a',
    signal: leaving.signal,
  })
  setTimeout(() => leaving.abort(new Error('gone')), 200)
  await expect(given).rejects.toThrow('gone')
})
