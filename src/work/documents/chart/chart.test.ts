import { expect, test } from 'vitest'
import { checkChart, isEmpty, sizeOf } from './chart.ts'
import { cleanSvg } from './clean-svg.ts'
import { labelOf, numberWriter, widthOf, wrappedLabel } from './labels.ts'

test.each([
  ['a script', '<svg><script>alert(1)</script><g/></svg>', '<svg><g/></svg>'],
  ['a script in a script', '<svg><script><script></script>x</script><g/></svg>', '<svg><g/></svg>'],
  [
    'foreign content with drawings in it',
    '<svg><foreignObject><svg><path d="M0"/></svg></foreignObject></svg>',
    '<svg></svg>',
  ],
  [
    'handlers',
    '<svg onload="alert(1)" width="1"><g onclick="x" fill="red"/></svg>',
    '<svg width="1"><g fill="red"/></svg>',
  ],
  [
    'links and pictures',
    '<svg><a href="javascript:x"><g/></a><image href="file:///etc/passwd"/><use xlink:href="#a"/></svg>',
    '<svg></svg>',
  ],
  [
    'references that lead out',
    '<svg><g fill="url(http://x.ir/a)" stroke="url(#b)"/></svg>',
    '<svg><g stroke="url(#b)"/></svg>',
  ],
  [
    'styles',
    '<svg><style>@import url(x)</style><g style="fill:red;background:url(x);x:expression(1)"/></svg>',
    '<svg><g fill="red"/></svg>',
  ],
  ['motion', '<svg><animate attributeName="href"/><set/></svg>', '<svg></svg>'],
  [
    'comments, definitions and instructions',
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg><!-- <script> --></svg>',
    /^[^<]*<svg><\/svg>$/,
  ],
  ['broken tags', '<svg><g fill="a" <script>x</script></svg>', /^(?!.*<script)/],
])('%s is taken out', (_, svg, clean) => {
  if (typeof clean === 'string') expect(cleanSvg(svg)).toBe(clean)
  else expect(cleanSvg(svg)).toMatch(clean)
})

test('a drawing stays', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="5" viewBox="0 0 10 5"><text x="1" text-anchor="end" style="font-size:12px;font-family:Vazirmatn" fill="#000">سلام &amp; &lt;b&gt;</text><path d="M0 0L1 1" stroke="red"/></svg>'
  expect(cleanSvg(svg)).toBe(
    svg.replace(
      'style="font-size:12px;font-family:Vazirmatn" fill',
      'font-size="12px" font-family="Vazirmatn" fill',
    ),
  )
})

test('labels have the digits, the marks and the length of a label', () => {
  expect(labelOf('1405', 'fa')).toBe('\u202b۱۴۰۵\u202c')
  expect(labelOf('1405', 'en')).toBe('1405')
  expect(labelOf('فروش (BEV) 2026', 'en')).toBe('\u202bفروش (BEV) 2026\u202c')
  expect(labelOf('x'.repeat(80), 'en', 10)).toBe(`${'x'.repeat(9)}…`)
  expect(wrappedLabel('چهارمحال و بختیاری', 'fa', 75, 13)).toBe('\u202bچهارمحال و\u202c\n\u202bبختیاری\u202c')
  expect(widthOf('\u202bاب\u200c\u202c', 10)).toBe(widthOf('اب', 10))
})

test('numbers of an axis are short and in the digits of the language', () => {
  expect(numberWriter('fa', 12_500_000)(12_500_000)).toBe('\u202b۱۲٫۵\u00a0میلیون\u202c')
  expect(numberWriter('fa', 500)(1_250)).toBe('\u202b۱٬۲۵۰\u202c')
  expect(numberWriter('en', 0.5)(0.25)).toBe('0.25')
})

test('a chart without numbers is empty, one with too many is refused, and no side is absurd', () => {
  expect(isEmpty({ type: 'pie', language: 'fa', slices: [{ name: 'a', value: 0 }] })).toBe(true)
  expect(
    isEmpty({ type: 'bar', language: 'fa', categories: ['a'], series: [{ name: '', values: [null] }] }),
  ).toBe(true)
  expect(isEmpty({ type: 'scatter', language: 'fa', series: [{ name: '', points: [[1, 2]] }] })).toBe(false)
  const values = Array<number>(5_001).fill(1)
  expect(() =>
    checkChart({ type: 'line', language: 'fa', categories: [], series: [{ name: '', values }] }),
  ).toThrow(RangeError)
  expect(sizeOf({ type: 'pie', language: 'fa', slices: [], width: 1e9, height: 0 })).toEqual({
    width: 4_000,
    height: 160,
  })
})
