/** Models that draw pictures, at a price for each or by tokens. */
import { Type } from 'typebox'
import type { ImageCall, ImageProvider } from '#core/spec'
import type { ImageQuality, PixelSize } from '#core/turn'
import { oneOf, safeInteger } from '#platform/schema'
import { missingDialectOf } from '../dialects.ts'
import { modelKind, withoutTokens } from '../kind.ts'
import { creditsPerUsd, currency, usdEach, usdPerMillion } from '../pricing.ts'
import {
  aspectRatiosOf,
  type ImageModel,
  type ImagePricing,
  requestableFormats,
  sizeName,
} from './image-model.ts'
import { imageLines, imageWorstCase } from './price.ts'
import { type ImageEntry, ImageEntrySchema, readImageEntry } from './settings.ts'
import { imageDialects, imageOptionsOf, unableImage } from './wires.ts'

declare module '../kind.ts' {
  interface OrderProviders {
    image: ImageProvider
  }
}

const perImage = () => usdEach({ en: 'of one picture', fa: 'برای هر تصویر' })

const rowKey = { quality: Type.Optional(Type.String()), size: Type.Optional(Type.String()) }

const Pricing = Type.Object({
  currency: currency(),
  unit: oneOf('image', 'tokens'),
  per_image: Type.Optional(perImage()),
  rows: Type.Optional(
    Type.Array(Type.Object({ ...rowKey, per_image: perImage() }), {
      description: 'The first row that fits has the price, else `per_image`.',
      'x-description-fa': 'بها از نخستین سطری است که بخواند، وگرنه `per_image`.',
    }),
  ),
  per_reference: Type.Optional(
    usdEach({ en: 'of each picture given along', fa: 'برای هر تصویری که همراه درخواست بیاید' }),
  ),
  per_partial: Type.Optional(
    usdEach({ en: 'of each unfinished picture that is sent', fa: 'برای هر تصویر ناتمامی که فرستاده شود' }),
  ),
  input_per_million: Type.Optional(usdPerMillion()),
  media_input_per_million: Type.Optional(usdPerMillion()),
  output_per_million: Type.Optional(usdPerMillion()),
  output_tokens: Type.Optional(
    Type.Array(Type.Object({ ...rowKey, tokens: Type.Integer(safeInteger) }), {
      description:
        'With `unit: tokens`, what a picture is expected to have: the first row that fits, else the most of all rows. What the upstream counts is charged.',
      'x-description-fa':
        'با `unit: tokens`، توکن‌هایی که از هر تصویر انتظار می‌رود: نخستین سطری که بخواند، وگرنه بیشترینِ سطرها. آنچه بالادست بشمارد حساب می‌شود.',
    }),
  ),
  reference_tokens: Type.Optional(Type.Integer(safeInteger)),
  partial_tokens: Type.Optional(Type.Integer(safeInteger)),
  margin: Type.Optional(
    Type.Number({
      description: 'So many times the expected tokens are held before the order.',
      'x-description-fa': 'پیش از سفارش، این چند برابرِ توکن‌های مورد انتظار کنار گذاشته می‌شود.',
    }),
  ),
  credits_per_usd: creditsPerUsd(),
})

const StudioSettings = Type.Object({
  aspect_ratios: Type.Array(Type.String(), {
    description: 'Drawn as they are; others are reached by padding or cropping.',
    'x-description-fa': 'همین‌گونه کشیده می‌شوند؛ به نسبت‌های دیگر با حاشیه یا برش می‌رسیم.',
  }),
  sizes: Type.Array(Type.String()),
  qualities: Type.Array(Type.String()),
  formats: Type.Array(Type.String(), {
    description:
      'Formats of the answer, whatever the upstream writes; the first where Studio is told none. svg can be named on `/v1/images` only.',
    'x-description-fa':
      'قالب‌های پاسخ، هر چه بالادست بنویسد؛ اگر در استودیو نامی نیاید، نخستین آن‌ها. svg را فقط در `/v1/images` می‌توان نام برد.',
  }),
  backgrounds: Type.Array(Type.String()),
  reference_capacity: Type.Integer({
    ...safeInteger,
    description: 'Pictures that one call can be given to edit.',
    'x-description-fa': 'شمار تصویرهایی که می‌توان برای ویرایش داد.',
  }),
  max_count: Type.Integer(safeInteger),
  masks: Type.Boolean({
    description: 'Beside a picture to edit it takes a `mask`.',
    'x-description-fa': 'کنار تصویری که ویرایش می‌شود `mask` می‌پذیرد.',
  }),
  seed: Type.Boolean({
    description: 'It draws by a `seed`: the same one, the same picture.',
    'x-description-fa': 'با `seed` می‌کشد: همان عدد، همان تصویر.',
  }),
  partial_images: Type.Integer({
    ...safeInteger,
    description: 'Unfinished pictures that a streamed answer can have.',
    'x-description-fa': 'شمار تصویرهای ناتمامی که پاسخ جریانی می‌تواند داشته باشد.',
  }),
})

const keyOf = ({ quality, size }: { quality?: ImageQuality; size?: PixelSize }) => ({
  ...(quality && { quality }),
  ...(size && { size: sizeName(size) }),
})

function pricesOf(pricing: ImagePricing): Record<string, unknown> {
  if (pricing.unit === 'image')
    return {
      unit: 'image',
      per_image: pricing.perImage,
      rows: pricing.rows.map((row) => ({ ...keyOf(row), per_image: row.perImage })),
      per_reference: pricing.perReference,
      per_partial: pricing.perPartial,
    }
  const { expected } = pricing
  return {
    unit: 'tokens',
    input_per_million: pricing.inputPerMillion,
    media_input_per_million: pricing.mediaInputPerMillion,
    output_per_million: pricing.outputPerMillion,
    output_tokens: expected.output.map((row) => ({ ...keyOf(row), tokens: row.tokens })),
    reference_tokens: expected.perReference,
    partial_tokens: expected.perPartial,
    margin: expected.margin,
  }
}

const pricesIn = (pricing: ImagePricing): number[] =>
  pricing.unit === 'image'
    ? [
        pricing.perImage,
        ...pricing.rows.map(({ perImage }) => perImage),
        pricing.perReference,
        pricing.perPartial,
      ]
    : [pricing.inputPerMillion, pricing.mediaInputPerMillion, pricing.outputPerMillion]

export const image = modelKind({
  kind: 'image',
  entry: ImageEntrySchema,
  readEntry: readImageEntry,
  dialects: imageDialects,
  missingDialect: missingDialectOf(imageDialects, { en: 'draws no pictures', fa: 'گویش تصویر ندارد' }),
  unsupported: (entry: ImageEntry, dialects) => unableImage(entry, dialects),
  modelOf: (entry: ImageEntry, { named, providers }): ImageModel => ({
    ...named,
    kind: 'image',
    inputModalities: entry.image.maxReferences > 0 ? ['text', 'image'] : ['text'],
    image: entry.image,
    options: imageOptionsOf(entry, providers),
    pricing: entry.pricing,
  }),
  pricing: Pricing,
  studioSettings: StudioSettings,
  card: ({ image: settings, pricing }) => ({
    output_modalities: ['image'],
    ...withoutTokens,
    pricing: pricesOf(pricing),
    studio_settings: {
      aspect_ratios: aspectRatiosOf(settings.sizes),
      sizes: settings.sizes.map(sizeName),
      qualities: settings.qualities,
      formats: requestableFormats(settings.formats),
      backgrounds: settings.backgrounds,
      reference_capacity: settings.maxReferences,
      max_count: settings.maxCount,
      masks: settings.takesMasks,
      seed: settings.takesSeed,
      partial_images: settings.maxPartials,
    },
  }),
  figures: ({ image: settings, pricing }) => ({
    ...(pricing.unit === 'image'
      ? { perImage: pricing.perImage }
      : { inputPerMillion: pricing.inputPerMillion, outputPerMillion: pricing.outputPerMillion }),
    abilities: settings.sizes.map(sizeName),
  }),
  details: ({ image: settings, pricing }) => ({
    sizes: settings.sizes.map(sizeName),
    qualities: settings.qualities,
    max_references: settings.maxReferences,
    /** Prices in USD. */
    pricing: pricesOf(pricing),
  }),
  prices: ({ pricing }) => pricesIn(pricing),
  operation: 'generate_content',
  attributes: { 'gen_ai.output.type': 'image' },
  callProvider: (provider: ImageProvider, call: ImageCall) => provider.draw(call),
  mayRepeat: ({ executed }) => !executed,
  // A broken connection or a 500 does not prove that nothing was executed.
  mayReleaseClaim: ({ executed, status }) =>
    !executed || (status !== undefined && status >= 400 && status < 500),
  lines: imageLines,
  worstCase: imageWorstCase,
  presets: { en: 'the id of a model of the kind image', fa: 'شناسه‌ی یک مدل تصویر' },
})
