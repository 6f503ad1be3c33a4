import { Type } from 'typebox'
import { anyObject, nullable, oneOf, safeInteger, timestamp } from '#platform/schema'

const usd = () =>
  Type.Number({
    minimum: 0,
    description: 'USD per million tokens.',
    'x-description-fa': 'دلار برای هر میلیون توکن.',
  })

export const ModelCard = Type.Object({
  id: Type.String(),
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
  context_length: Type.Integer(safeInteger),
  max_output_tokens: Type.Integer(safeInteger),
  features: Type.Array(Type.String()),
  reasoning: Type.Object({ supported_efforts: Type.Array(Type.String()) }),
  media_input: nullable(Type.Object({ input_per_million: usd() })),
  pricing: Type.Object({
    currency: Type.Literal('USD'),
    input_per_million: usd(),
    output_per_million: usd(),
    cached_input_per_million: usd(),
    cache_write_per_million: usd(),
    credits_per_usd: Type.Number({ minimum: 0 }),
  }),
  studio_settings: nullable(anyObject()),
  routes: Type.Array(
    Type.String({
      description: 'Paths that serve this model.',
      'x-description-fa': 'مسیرهایی که این مدل را ارائه می‌کنند.',
    }),
  ),
})

export const ModelList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ModelCard),
  has_more: Type.Boolean(),
  first_id: nullable(Type.String()),
  last_id: nullable(Type.String()),
})
