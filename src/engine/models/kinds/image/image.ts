/** Models that draw pictures: a price for each, and nothing else to be known before. */
import { Type } from 'typebox'
import { safeInteger } from '#platform/schema'
import type { ImageCall, ImageProvider } from '#providers/spec'
import { modelKind } from '../kind.ts'
import { creditsPerUsd, currency, usdEach } from '../pricing.ts'
import {
  answeredFormats,
  aspectRatiosOf,
  type ImageModel,
  type ImagePricing,
  sizeName,
} from './image-model.ts'
import { imageCost } from './price.ts'
import { type ImageEntry, ImageEntrySchema, readImageEntry } from './settings.ts'

declare module '../kind.ts' {
  interface OrderProviders {
    image: ImageProvider
  }
}

const perImage = () => usdEach({ en: 'of one picture', fa: 'برای هر تصویر' })

const Pricing = Type.Object({
  currency: currency(),
  per_image: perImage(),
  rows: Type.Array(
    Type.Object({
      quality: Type.Optional(Type.String()),
      size: Type.Optional(Type.String()),
      per_image: perImage(),
    }),
    {
      description: 'The first row that fits has the price, else `per_image`.',
      'x-description-fa': 'بها از نخستین سطری است که بخواند، وگرنه `per_image`.',
    },
  ),
  per_reference: usdEach({ en: 'of each picture given along', fa: 'برای هر تصویری که همراه درخواست بیاید' }),
  per_partial: usdEach({
    en: 'of each unfinished picture that is sent',
    fa: 'برای هر تصویر ناتمامی که فرستاده شود',
  }),
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

const rowsOf = ({ rows }: ImagePricing) =>
  rows.map(({ quality, size, perImage: each }) => ({
    ...(quality && { quality }),
    ...(size && { size: sizeName(size) }),
    per_image: each,
  }))

export const image = modelKind({
  kind: 'image',
  entry: ImageEntrySchema,
  readEntry: readImageEntry,
  dialects: ['images', 'openrouter', 'gemini', 'fal', 'modalities'],
  lacking: {
    en: 'draws no pictures: add images, openrouter, gemini, fal or modalities to its dialects',
    fa: 'گویش تصویر ندارد: images یا openrouter یا gemini یا fal یا modalities را به dialects آن بیفزایید',
  },
  modelOf: (entry: ImageEntry, { named }): ImageModel => ({
    ...named,
    kind: 'image',
    inputModalities: entry.image.maxReferences > 0 ? ['text', 'image'] : ['text'],
    image: entry.image,
    pricing: entry.pricing,
  }),
  routes: ['/v1/studio/image', '/v1/responses', '/v1/images/generations', '/v1/images/edits', '/v1/images'],
  pricing: Pricing,
  studioSettings: StudioSettings,
  card: ({ image: settings, pricing }) => ({
    output_modalities: ['image'],
    context_length: null,
    max_output_tokens: null,
    features: [],
    reasoning: { supported_efforts: [] },
    media_input: null,
    pricing: {
      per_image: pricing.perImage,
      rows: rowsOf(pricing),
      per_reference: pricing.perReference,
      per_partial: pricing.perPartial,
    },
    studio_settings: {
      aspect_ratios: aspectRatiosOf(settings.sizes),
      sizes: settings.sizes.map(sizeName),
      qualities: settings.qualities,
      formats: answeredFormats(settings.formats),
      backgrounds: settings.backgrounds,
      reference_capacity: settings.maxReferences,
      max_count: settings.maxCount,
      seed: settings.takesSeed,
      partial_images: settings.maxPartials,
    },
  }),
  figures: ({ image: settings, pricing }) => ({
    perImage: pricing.perImage,
    abilities: settings.sizes.map(sizeName),
  }),
  details: ({ image: settings, pricing }) => ({
    sizes: settings.sizes.map(sizeName),
    qualities: settings.qualities,
    max_references: settings.maxReferences,
    /** USD. */
    pricing: {
      per_image: pricing.perImage,
      rows: rowsOf(pricing),
      per_reference: pricing.perReference,
      per_partial: pricing.perPartial,
    },
  }),
  operation: 'generate_content',
  attributes: { 'gen_ai.output.type': 'image' },
  ask: (provider: ImageProvider, call: ImageCall) => provider.draw(call),
  mayRepeat: ({ executed }) => !executed,
  // A broken line or a 500 proves nothing.
  mayReleaseClaim: ({ executed, status }) =>
    !executed || (status !== undefined && status >= 400 && status < 500),
  price: imageCost,
  worstCase: imageCost,
})
