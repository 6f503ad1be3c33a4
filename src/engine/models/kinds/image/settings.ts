import { type Static, Type } from 'typebox'
import type { PixelSize } from '#engine/turn'
import { type ConfigNode, integerIn, reading, refusals, refuse, type Sentence, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { fallbacks, type NamedEntry, named, namedOf } from '../named.ts'
import { type ImagePricing, type ImageSettings, isSameSize, sizeName } from './image-model.ts'

export interface ImageEntry extends NamedEntry {
  kind: 'image'
  image: ImageSettings
  pricing: ImagePricing
}

/** Of a picture's side, in pixels. */
const longestSide = 16_384
const dearestUsd = 10_000

const sizeExpected: Sentence = {
  en: `a size in pixels, <width>x<height>, each at most ${longestSide}`,
  fa: `اندازه‌ای به پیکسل به شکل <پهنا>x<بلندا> که هر کدام حداکثر ${longestSide} باشد`,
}

const size = Type.Unsafe<PixelSize>({
  type: 'string',
  pattern: '^[1-9]\\d{0,4}x[1-9]\\d{0,4}$',
  ...reading({ expected: sizeExpected, convert: readSize }),
})

function readSize(text: string, node: ConfigNode): PixelSize {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return width <= longestSide && height <= longestSide ? { width, height } : node.wrong(sizeExpected)
}

function refuseTwice(sizes: PixelSize[], node: ConfigNode): void {
  for (const [index, one] of sizes.entries())
    if (sizes.slice(0, index).some((other) => isSameSize(other, one)))
      refuse(refusals.duplicate(node.find(index)!.where(), sizeName(one)))
}

const someOf = <const Values extends string[]>(...values: Values) =>
  Type.Array(oneOf(...values), { uniqueItems: true, default: [] })

const Settings = Type.Object({
  sizes: Type.Array(size, {
    minItems: 1,
    description: 'The sizes that the upstream draws; the first is drawn where nothing says otherwise.',
    ...reading({
      missing: {
        en: 'write the sizes that the upstream draws, for example [1024x1024, 1536x1024]',
        fa: 'اندازه‌هایی را که بالادست می‌کشد بنویسید، برای نمونه [1024x1024, 1536x1024]',
      },
      expected: sizeExpected,
      check: refuseTwice,
    }),
  }),
  qualities: someOf('low', 'medium', 'high'),
  formats: someOf('png', 'jpeg', 'webp', 'svg'),
  backgrounds: someOf('opaque', 'transparent'),
  max_count: integerIn(1, 10, { default: 1, description: 'Pictures of one call.' }),
  max_references: integerIn(0, 16, {
    default: 0,
    description: 'Pictures that one call can be given to edit; 0: it edits none.',
  }),
  partial_images: integerIn(0, 3, {
    default: 0,
    description: 'Unfinished pictures that the upstream streams of one picture when it is asked to; 0: none.',
  }),
  seed: Type.Boolean({
    default: false,
    description: 'The upstream takes a seed, by which it draws the same picture again.',
  }),
  response_format: Type.Optional(oneOf('b64_json', 'url')),
})

const perImage = {
  missing: {
    en: 'write { per_image } in USD, 0 for free',
    fa: '{ per_image } را به دلار بنویسید، ۰ یعنی رایگان',
  },
}

const Row = Type.Object({
  quality: Type.Optional(
    // Which there are is said beside it, so that it is read when all of the entry is.
    Type.Unsafe<ConfigNode>({
      description: 'One of the qualities of the model.',
      ...reading({ convert: (_, node) => node }),
    }),
  ),
  size: Type.Optional(size),
  per_image: usd(dearestUsd, reading(perImage)),
})

const Pricing = Type.Object(
  {
    per_image: usd(dearestUsd, reading(perImage)),
    rows: Type.Array(Row, { default: [], description: 'The first row that fits has the price.' }),
    per_reference: usd(dearestUsd, { default: 0, description: 'USD of each picture given along.' }),
    per_partial: usd(dearestUsd, { default: 0, description: 'USD of each unfinished picture that is sent.' }),
  },
  reading(perImage),
)

export const ImageEntrySchema = Type.Object({
  ...named,
  fallbacks,
  image: Type.Object(
    Settings.properties,
    reading({
      missing: {
        en: 'write what the upstream can be asked for, at least { sizes: [1024x1024] }',
        fa: 'بنویسید از بالادست چه می‌توان خواست، دست‌کم { sizes: [1024x1024] }',
      },
    }),
  ),
  pricing: Pricing,
})

type Typed = Static<typeof ImageEntrySchema>

export function readImageEntry(typed: Typed, node: ConfigNode): ImageEntry {
  const { image, pricing } = typed
  const settings: ImageSettings = {
    sizes: image.sizes,
    qualities: image.qualities,
    formats: image.formats,
    backgrounds: image.backgrounds,
    maxCount: image.max_count,
    maxReferences: image.max_references,
    maxPartials: image.partial_images,
    takesSeed: image.seed,
    ...(image.response_format && { responseFormat: image.response_format }),
  }
  return {
    ...namedOf(typed, node),
    kind: 'image',
    image: settings,
    pricing: {
      perImage: pricing.per_image,
      rows: pricing.rows.map((row, index) => rowOf(row, settings, node.find('pricing', 'rows', index)!)),
      perReference: pricing.per_reference,
      perPartial: pricing.per_partial,
    },
  }
}

/** Rows may only name what the model has: one that can never fit is a slip that would sell below cost. */
function rowOf(
  row: Typed['pricing']['rows'][number],
  image: ImageSettings,
  node: ConfigNode,
): ImagePricing['rows'][number] {
  const quality = row.quality?.oneOf(image.qualities)
  const { size } = row
  if (size && !image.sizes.some((known) => isSameSize(known, size))) {
    const known = image.sizes.map(sizeName)
    node.find('size')!.wrong({ en: `one of ${known.join(', ')}`, fa: `یکی از ${known.join('، ')}` })
  }
  return { ...(quality && { quality }), ...(size && { size }), perImage: row.per_image }
}
