import { type Static, Type } from 'typebox'
import type { ImageQuality, PixelSize } from '#core/turn'
import {
  type ConfigNode,
  integerIn,
  readingRules,
  refusals,
  refuseConfig,
  type Sentence,
  usd,
  variantsOf,
} from '#platform/config'
import { oneOf } from '#platform/schema'
import { commonFields, fallbacks, type NamedEntry, readNamedEntry } from '../named.ts'
import { type ImagePricing, type ImageSettings, isSameSize, sizeName } from './image-model.ts'

export interface ImageEntry extends NamedEntry {
  kind: 'image'
  image: ImageSettings
  pricing: ImagePricing
}

/** The longest side of a picture, in pixels. */
const maxSide = 16_384
const dearestUsd = 10_000
/** The highest price in USD, of a million tokens. */
const dearestPerMillion = 1_000_000
/** The most tokens of one picture. */
const maxTokens = 1_000_000

const sizeExpected: Sentence = {
  en: `a size in pixels, <width>x<height>, each at most ${maxSide}`,
  fa: `اندازه‌ای به پیکسل به شکل <پهنا>x<بلندا> که هر کدام حداکثر ${maxSide} باشد`,
}

const size = Type.Unsafe<PixelSize>({
  type: 'string',
  pattern: '^[1-9]\\d{0,4}x[1-9]\\d{0,4}$',
  ...readingRules({ expected: sizeExpected, convert: readSize }),
})

function readSize(text: string, node: ConfigNode): PixelSize {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return width <= maxSide && height <= maxSide ? { width, height } : node.refuseValue(sizeExpected)
}

function refuseTwice(sizes: PixelSize[], node: ConfigNode): void {
  for (const [index, one] of sizes.entries())
    if (sizes.slice(0, index).some((other) => isSameSize(other, one)))
      refuseConfig(refusals.duplicate(node.find(index)!.sourcePosition(), sizeName(one)))
}

const masksExpected: Sentence = {
  en: 'false, or true beside a max_references of 1 or more: a mask is sent with a picture',
  fa: 'false، یا true کنار max_references از ۱ به بالا: mask همراه یک تصویر فرستاده می‌شود',
}

const someOf = <const Values extends string[]>(...values: Values) =>
  Type.Array(oneOf(...values), { uniqueItems: true, default: [] })

const Settings = Type.Object({
  sizes: Type.Array(size, {
    minItems: 1,
    description: 'The sizes that the upstream draws; the first is drawn where nothing says otherwise.',
    ...readingRules({
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
  masks: Type.Boolean({
    default: false,
    description:
      'Beside pictures to edit the upstream takes a mask: it changes only what is transparent there.',
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

/** The members that say which pictures a row is for. */
const rowKey = {
  quality: Type.Optional(
    // The entry lists the qualities of the model in another member, so this one is read after all of the entry.
    Type.Unsafe<ConfigNode>({
      description: 'One of the qualities of the model.',
      ...readingRules({ convert: (_, node) => node }),
    }),
  ),
  size: Type.Optional(size),
}

const Row = Type.Object({ ...rowKey, per_image: usd(dearestUsd, readingRules(perImage)) })

const PerImage = Type.Object(
  {
    unit: Type.Optional(oneOf('image')),
    per_image: usd(dearestUsd, readingRules(perImage)),
    rows: Type.Array(Row, { default: [], description: 'The first row that fits has the price.' }),
    per_reference: usd(dearestUsd, { default: 0, description: 'USD of each picture given along.' }),
    per_partial: usd(dearestUsd, { default: 0, description: 'USD of each unfinished picture that is sent.' }),
  },
  readingRules(perImage),
)

const perMillion = (which: { en: string; fa: string }) =>
  readingRules({
    missing: {
      en: `write the USD per million tokens of ${which.en}, 0 for free`,
      fa: `بهای یک میلیون توکن ${which.fa} را به دلار بنویسید، ۰ یعنی رایگان`,
    },
  })

const rowsMissing = {
  en: 'write how many tokens a picture has, for example [{ quality: low, tokens: 196 }, { tokens: 1756 }]',
  fa: 'بنویسید هر تصویر چند توکن دارد، برای نمونه [{ quality: low, tokens: 196 }, { tokens: 1756 }]',
}

const TokenRow = Type.Object({
  ...rowKey,
  tokens: Type.Integer({ minimum: 1, maximum: maxTokens, ...readingRules({ missing: rowsMissing }) }),
})

const PerToken = Type.Object({
  unit: oneOf('tokens'),
  input_per_million: usd(dearestPerMillion, perMillion({ en: 'the prompt', fa: 'متن درخواست' })),
  media_input_per_million: Type.Optional(
    usd(dearestPerMillion, { description: 'Of pictures given along; absent: as the prompt.' }),
  ),
  output_per_million: usd(dearestPerMillion, perMillion({ en: 'pictures', fa: 'تصویر' })),
  output_tokens: Type.Array(TokenRow, {
    minItems: 1,
    description: 'Tokens of a picture: the first row that fits, else the most of all rows.',
    ...readingRules({ missing: rowsMissing, expected: rowsMissing }),
  }),
  reference_tokens: integerIn(0, maxTokens, {
    default: 4_096,
    description: 'Tokens of each picture given along, at most.',
  }),
  partial_tokens: integerIn(0, maxTokens, {
    default: 0,
    description: 'Tokens of each unfinished picture that is sent.',
  }),
  margin: Type.Number({
    minimum: 1,
    maximum: 10,
    default: 1.5,
    description: 'So many times the expected tokens are held.',
  }),
})

type TypedPricing = Static<typeof PerImage> | Static<typeof PerToken>

const Pricing = variantsOf<TypedPricing>(
  'unit',
  'image',
  { image: PerImage, tokens: PerToken },
  readingRules(perImage),
)

export const ImageEntrySchema = Type.Object({
  ...commonFields,
  fallbacks,
  image: Type.Object(
    Settings.properties,
    readingRules({
      missing: {
        en: 'write what the upstream can be asked for, at least { sizes: [1024x1024] }',
        fa: 'بنویسید از بالادست چه می‌توان خواست، دست‌کم { sizes: [1024x1024] }',
      },
    }),
  ),
  pricing: Pricing,
})

type ImageEntryInput = Static<typeof ImageEntrySchema>

export function readImageEntry(typed: ImageEntryInput, node: ConfigNode): ImageEntry {
  const { image, pricing } = typed
  if (image.masks && image.max_references === 0) node.find('image', 'masks')!.refuseValue(masksExpected)
  const settings: ImageSettings = {
    sizes: image.sizes,
    qualities: image.qualities,
    formats: image.formats,
    backgrounds: image.backgrounds,
    maxCount: image.max_count,
    maxReferences: image.max_references,
    takesMasks: image.masks,
    maxPartials: image.partial_images,
    takesSeed: image.seed,
    ...(image.response_format && { responseFormat: image.response_format }),
  }
  return {
    ...readNamedEntry(typed, node),
    kind: 'image',
    image: settings,
    pricing: pricingOf(pricing, settings, node.find('pricing')!),
  }
}

function pricingOf(pricing: TypedPricing, image: ImageSettings, node: ConfigNode): ImagePricing {
  if (pricing.unit !== 'tokens')
    return {
      unit: 'image',
      perImage: pricing.per_image,
      rows: pricing.rows.map((row, index) => ({
        ...rowKeyOf(row, image, node.find('rows', index)!),
        perImage: row.per_image,
      })),
      perReference: pricing.per_reference,
      perPartial: pricing.per_partial,
    }
  const { input_per_million: inputPerMillion } = pricing
  return {
    unit: 'tokens',
    inputPerMillion,
    mediaInputPerMillion: pricing.media_input_per_million ?? inputPerMillion,
    outputPerMillion: pricing.output_per_million,
    expected: {
      output: pricing.output_tokens.map((row, index) => ({
        ...rowKeyOf(row, image, node.find('output_tokens', index)!),
        tokens: row.tokens,
      })),
      perReference: pricing.reference_tokens,
      perPartial: pricing.partial_tokens,
      margin: pricing.margin,
    },
  }
}

/** Rows may only name what the model has: a row that can never fit is a mistake that would sell below cost. */
function rowKeyOf(
  row: { quality?: ConfigNode; size?: PixelSize },
  image: ImageSettings,
  node: ConfigNode,
): { quality?: ImageQuality; size?: PixelSize } {
  const quality = row.quality?.oneOf(image.qualities)
  const { size } = row
  if (size && !image.sizes.some((known) => isSameSize(known, size))) {
    const known = image.sizes.map(sizeName)
    node.find('size')!.refuseValue({ en: `one of ${known.join(', ')}`, fa: `یکی از ${known.join('، ')}` })
  }
  return { ...(quality && { quality }), ...(size && { size }) }
}
