import { expect, test } from 'vitest'
import { pruneHtml } from './prune-html.ts'

const pruned = (html: string) => pruneHtml(html).html

test('a page of usual size keeps every letter, and every tag but its frame, which a page may leave out', () => {
  const inside = '<p>سلام<br>a < b & c<ul><li>x<li>y</ul><img alt="1 > 0">'
  const page = `<!doctype html><HTML lang=fa><head></head><body class="a">${inside}</body></html>`
  expect(pruneHtml(page)).toMatchObject({ html: inside, cut: false })
  expect(pruneHtml(inside)).toMatchObject({ html: inside, cut: false })
})

test('scripts, styles, drawings and comments go with what they hold; data for machines stays', () => {
  expect(
    pruned(
      'a<script>if (1 < 2) "</p>"</script >b<STYLE>x</style>c<svg><text>t</text></svg>d<!-- <p>x</p> -->e',
    ),
  ).toBe('abcde')
  const data = '<script type="application/ld+json">{"datePublished":"2026-11-19"}</script>'
  expect(pruned(data)).toBe(data)
})

test('what never ends takes the rest of the page with it', () => {
  expect(pruned('a<script>b')).toBe('a')
  expect(pruned('a<!-- b')).toBe('a')
})

test('tags below 200 levels go, their text stays', () => {
  const deep = (levels: number) => `${'<div>'.repeat(levels)}x${'</div>'.repeat(levels)}`
  expect(pruned(deep(200))).toBe(deep(200))
  expect(pruned(deep(201)).match(/<div>/g)).toHaveLength(200)
  expect(pruned(deep(5_000))).toContain('x')
})

test('elements whose end is left out are no levels', () => {
  const list = `<ul>${'<li>x'.repeat(1_000)}</ul><p>y${'<p>z'.repeat(1_000)}`
  expect(pruned(list)).toBe(list)
})

test('past 50,000 elements or 6,000,000 characters the page is cut, and says so', () => {
  expect(pruneHtml('<i>x</i>'.repeat(50_000)).cut).toBe(false)
  expect(pruneHtml(`${'<i>x</i>'.repeat(50_001)}y`).cut).toBe(true)
  expect(pruneHtml('x'.repeat(6_000_000)).cut).toBe(false)
  const long = pruneHtml('x'.repeat(6_000_001))
  expect(long.cut).toBe(true)
  expect(long.html).toHaveLength(6_000_000)
})
