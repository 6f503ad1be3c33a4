import { expect, test } from 'vitest'
import { cleanSvg } from './clean-svg.ts'
import { withIsolates } from './right-to-left.ts'

const root = '<svg xmlns="http://www.w3.org/2000/svg">'
const drawnAs = (content: string): string =>
  withIsolates(cleanSvg(Buffer.from(`${root}${content}</svg>`)))
    .slice(root.length, -'</svg>'.length)
    .replaceAll('\u2067', '›')
    .replaceAll('\u2069', '‹')

test.each([
  ['a text', '<text direction="rtl">سلام</text>', '<text direction="rtl" text-anchor="end">›سلام‹</text>'],
  [
    'one that ends at its place',
    '<text direction="rtl" text-anchor="end">سلام</text>',
    '<text direction="rtl" text-anchor="start">›سلام‹</text>',
  ],
  [
    'the direction and the anchor of a group',
    '<g style="direction:rtl;text-anchor:middle"><text>سلام</text></g>',
    '<g direction="rtl" text-anchor="middle"><text text-anchor="middle">›سلام‹</text></g>',
  ],
  [
    'parts of one line, which are ordered as one',
    '<text direction="rtl">از <tspan fill="red">Kherad</tspan> تا</text>',
    '<text direction="rtl" text-anchor="end">›از <tspan fill="red">Kherad</tspan> تا‹</text>',
  ],
  [
    'lines, each by itself',
    '<text direction="rtl"> <tspan x="9" text-anchor="end">یک <tspan>دو</tspan></tspan> <tspan x="9" dy="9">سه</tspan></text>',
    '<text direction="rtl" text-anchor="end"> <tspan x="9" text-anchor="start">›یک <tspan>دو‹</tspan></tspan> <tspan x="9" dy="9">›سه‹</tspan></text>',
  ],
  [
    'nothing of a text from left to right',
    '<text direction="rtl">ا</text><text text-anchor="end">a</text>',
    '<text direction="rtl" text-anchor="end">›ا‹</text><text text-anchor="end">a</text>',
  ],
])('%s', (_, content, drawn) => {
  expect(drawnAs(content)).toBe(drawn)
})
