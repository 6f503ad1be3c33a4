import { Type } from 'typebox'
import { typedList } from '#platform/lists'
import { nameSchemas, nullable, oneOf, safeInteger, timestamp } from '#platform/schema'

const usd = () =>
  Type.Number({
    minimum: 0,
    description: 'USD per million tokens.',
    'x-description-fa': 'دلار برای هر میلیون توکن.',
  })

const usdEach = (of: { en: string; fa: string }) =>
  Type.Number({ minimum: 0, description: `USD ${of.en}.`, 'x-description-fa': `دلار ${of.fa}.` })
const perImage = () => usdEach({ en: 'of one picture', fa: 'برای هر تصویر' })

const TextPricing = Type.Object({
  currency: Type.Literal('USD'),
  input_per_million: usd(),
  output_per_million: usd(),
  cached_input_per_million: usd(),
  cache_write_per_million: usd(),
  credits_per_usd: Type.Number({ minimum: 0 }),
})

const EmbeddingPricing = Type.Object({
  currency: Type.Literal('USD'),
  input_per_million: usd(),
  credits_per_usd: Type.Number({ minimum: 0 }),
})

const ImagePricing = Type.Object({
  currency: Type.Literal('USD'),
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
  credits_per_usd: Type.Number({ minimum: 0 }),
})

/** Of an image model. */
const StudioSettings = Type.Object({
  aspect_ratios: Type.Array(Type.String(), {
    description: 'Drawn as they are; others are reached by padding or cropping.',
    'x-description-fa': 'همین‌گونه کشیده می‌شوند؛ به نسبت‌های دیگر با حاشیه یا برش می‌رسیم.',
  }),
  sizes: Type.Array(Type.String()),
  qualities: Type.Array(Type.String()),
  backgrounds: Type.Array(Type.String()),
  reference_capacity: Type.Integer({
    ...safeInteger,
    description: 'Pictures that one call can be given to edit.',
    'x-description-fa': 'شمار تصویرهایی که می‌توان برای ویرایش داد.',
  }),
  max_count: Type.Integer(safeInteger),
})

export const ModelCard = Type.Object({
  id: Type.String(),
  aliases: Type.Array(Type.String(), {
    description: 'Other names by which it may be asked for.',
    'x-description-fa': 'نام‌های دیگری که می‌توان با آن‌ها خواستش.',
  }),
  object: Type.Literal('model'),
  type: Type.Literal('model'),
  created: Type.Integer(safeInteger),
  created_at: timestamp(),
  owned_by: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  kind: oneOf('text', 'image', 'audio', 'video', 'embedding'),
  sandbox: Type.Boolean({
    description: 'True for the offline simulators, which are for development and tests.',
    'x-description-fa': 'برای شبیه‌سازهای بدون اینترنت درست است؛ آن‌ها برای توسعه و آزمون‌اند.',
  }),
  default: Type.Boolean({
    description: 'Answers calls that name no model.',
    'x-description-fa': 'درخواست‌های بدون نام مدل را پاسخ می‌دهد.',
  }),
  input_modalities: Type.Array(oneOf('text', 'image', 'audio', 'video', 'file')),
  output_modalities: Type.Array(Type.String()),
  context_length: nullable(Type.Integer(safeInteger)),
  max_output_tokens: nullable(Type.Integer(safeInteger)),
  features: Type.Array(Type.String()),
  reasoning: Type.Object({ supported_efforts: Type.Array(Type.String()) }),
  media_input: nullable(Type.Object({ input_per_million: usd() })),
  pricing: Type.Union([TextPricing, ImagePricing, EmbeddingPricing]),
  studio_settings: nullable(StudioSettings),
  routes: Type.Array(
    Type.String({
      description: 'Paths that serve this model.',
      'x-description-fa': 'مسیرهایی که این مدل را ارائه می‌کنند.',
    }),
  ),
})

export const ModelList = typedList.schema(ModelCard, Type.String())

nameSchemas({ Model: ModelCard, ModelList })
