import sharp from 'sharp'
import { expect, test } from 'vitest'
import { measureImage } from '#core/media'
import { openLog } from '#platform/log'
import { type Chart, openDocuments } from '#work/documents'
import { hostile } from './sample.ts'

const documents = openDocuments(openLog('silent'))
const names = ['تهران', 'مشهد', 'تبریز (Tabriz)']
const series = [
  { name: 'فروش (BEV)', values: [2_000_000, 1_000_000, null] },
  { name: 'هیبرید', values: [1, 2, 3] },
]

/** Texts of a drawing with where they stand. */
const textsOf = (svg: string) =>
  [...svg.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].map(([, attributes, text]) => {
    const [, shift] = /transform="(?:translate|matrix)\(([^)]*)\)"/.exec(attributes!) ?? []
    const own = Number(/ x="([-\d.]+)"/.exec(attributes!)?.[1] ?? 0)
    const moved = shift?.split(/[ ,]+/).map(Number) ?? [0, 0]
    return { text: text!.replaceAll(/[\u202b\u202c]/g, ''), x: own + moved.at(-2)! }
  })
const placeOf = (svg: string, text: string) => textsOf(svg).find((one) => one.text === text)!.x

const charts: Record<string, Chart> = {
  bar: { type: 'bar', language: 'fa', title: 'فروش', categories: names, series },
  stacked: { type: 'bar', language: 'fa', stacked: true, horizontal: true, categories: names, series },
  line: { type: 'line', language: 'fa', categories: ['1403', '1404', '1405'], series },
  area: { type: 'area', language: 'en', stacked: true, categories: ['a', 'b', 'c'], series },
  pie: { type: 'pie', language: 'fa', slices: names.map((name, place) => ({ name, value: place + 1 })) },
  scatter: {
    type: 'scatter',
    language: 'en',
    series: [
      {
        name: 'x',
        points: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
  },
  empty: { type: 'bar', language: 'fa', title: 'هیچ', categories: [], series: [] },
}

test.each(Object.entries(charts))(
  'a %s chart is drawn: as SVG of its own, and as PNG at twice the size',
  async (_, chart) => {
    const { svg, png } = await documents.drawChart({ ...chart, width: 600, height: 300 })
    expect(measureImage(png)).toEqual({ width: 1200, height: 600 })
    expect(svg).toMatch(/^<svg [^>]*role="img">/)
    expect(svg).not.toMatch(/<script|<foreignObject|<image|<use|\son\w+=|javascript:|@import/i)
    expect([...svg.matchAll(/url\((?!#|data:font\/woff2;)/g)]).toEqual([])
    expect([...svg.matchAll(/href=/g)]).toEqual([])
    const { entropy } = await sharp(png).stats()
    expect(entropy).toBeGreaterThan(0.05)
  },
)

test('a Persian chart begins on the right, with Persian digits', async () => {
  const { svg } = await documents.drawChart(charts['bar']!)
  expect(placeOf(svg, 'تهران')).toBeGreaterThan(placeOf(svg, 'مشهد'))
  expect(placeOf(svg, 'مشهد')).toBeGreaterThan(placeOf(svg, 'تبریز (Tabriz)'))
  expect(placeOf(svg, 'فروش (BEV)')).toBeGreaterThan(placeOf(svg, 'هیبرید'))
  expect(textsOf(svg).map(({ text }) => text)).toContain('۲\u00a0میلیون')
  expect(textsOf(svg).every(({ text }) => !/\d/.test(text))).toBe(true)
  expect(textsOf((await documents.drawChart(charts['line']!)).svg).map(({ text }) => text)).toContain('۱۴۰۵')
})

test('an English chart begins on the left', async () => {
  const { svg } = await documents.drawChart({ ...charts['bar']!, language: 'en' } as Chart)
  expect(placeOf(svg, 'مشهد')).toBeGreaterThan(placeOf(svg, 'تهران'))
})

test('without numbers it says so', async () => {
  const { svg } = await documents.drawChart(charts['empty']!)
  expect(textsOf(svg).map(({ text }) => text)).toEqual(
    expect.arrayContaining(['هیچ', 'داده‌ای برای نمایش نیست']),
  )
})

test('labels are text, whatever they look like', async () => {
  const { svg } = await documents.drawChart({
    type: 'bar',
    language: 'en',
    title: hostile[9]!,
    categories: hostile.slice(0, 6),
    series: [
      { name: '{b} {c} <img src=x onerror=alert(1)>', values: [1, 2, 3, 4, 5, 6] },
      { name: 'x', values: [1] },
    ],
  })
  expect(svg).not.toMatch(/<script|<img|<w:/)
  expect(svg).toContain('&lt;img src=x')
  expect(svg).toContain(`<title>&lt;/w:t&gt;`)
})

test('the same chart is the same drawing', async () => {
  const [first, second] = await Promise.all([
    documents.drawChart(charts['pie']!),
    documents.drawChart(charts['pie']!),
  ])
  expect(first.svg).toBe(second.svg)
  expect(Buffer.from(first.png).equals(second.png)).toBe(true)
})

test('more than an eye can read is refused', async () => {
  const slices = Array.from({ length: 41 }, (_, place) => ({ name: String(place), value: 1 }))
  await expect(documents.drawChart({ type: 'pie', language: 'fa', slices })).rejects.toThrow(RangeError)
})
