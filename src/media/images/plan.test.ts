import { expect, test } from 'vitest'
import type { ImageModel } from '#core/models'
import type { DrawnFormat } from '#core/turn'
import type { ImageSpec } from './images.ts'
import { planFor } from './plan.ts'

const formatsOf = (
  formats: readonly DrawnFormat[],
  format: ImageSpec['format'],
  more: Partial<ImageSpec> = {},
) => {
  const sizes = [{ width: 64, height: 64 }]
  const image = { sizes, qualities: [], formats, backgrounds: ['transparent'], maxCount: 1, maxReferences: 0 }
  const spec: ImageSpec = {
    prompt: 'x',
    references: [],
    action: 'auto',
    count: 1,
    fit: 'pad',
    format,
    where: (at) => at,
    ...more,
  }
  const plan = planFor({ id: 'a/b', image } as unknown as ImageModel, spec)
  return [plan.order.format, plan.format]
}

test.each<[string, DrawnFormat[], ImageSpec['format'], DrawnFormat | undefined, DrawnFormat]>([
  ['a vector model answers SVG where no format is named', ['svg'], 'auto', 'svg', 'svg'],
  ['its SVG becomes the raster that is named', ['svg'], 'png', 'svg', 'png'],
  ['any other model answers PNG', ['webp', 'png'], 'auto', 'png', 'png'],
  ['one that draws both answers PNG', ['svg', 'png'], 'auto', 'png', 'png'],
  ['one whose formats are not known is not told any', [], 'auto', undefined, 'png'],
  ['JPEG is made of what loses nothing', ['webp', 'png'], 'jpeg', 'png', 'jpeg'],
])('%s', (_, formats, format, asked, answered) => {
  expect(formatsOf(formats, format)).toEqual([asked, answered])
})

test('a transparent picture is never asked for as JPEG', () => {
  expect(formatsOf(['jpeg'], 'png', { background: 'transparent' })).toEqual([undefined, 'png'])
  expect(formatsOf(['jpeg'], 'png')).toEqual(['jpeg', 'png'])
})
