import { type TObject, type TSchema, Type } from 'typebox'
import { type Kinds, openKinds, usdPerMillion } from '#core/models'
import { typedList } from '#platform/lists'
import { nameSchemas, nullable, oneOf, safeInteger, timestamp } from '#platform/schema'

/** One schema, or a union of several. */
const oneOfThese = (schemas: readonly TObject[]): TSchema =>
  schemas.length === 1 ? schemas[0]! : Type.Union([...schemas])

/** The kinds of the contract; this server may have others. */
const contractKinds = ['text', 'image', 'audio', 'video', 'embedding']

/** The card of a model of any of these kinds, as callers see it. */
export const modelCard = ({ all }: Kinds) =>
  Type.Object({
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
    kind: oneOf(...new Set([...contractKinds, ...all.map(({ kind }) => kind)])),
    sandbox: Type.Boolean({
      description: 'True for the offline simulators, which are for development and tests.',
      'x-description-fa': 'برای شبیه‌سازهای بدون اینترنت درست است؛ آن‌ها برای توسعه و آزمون‌اند.',
    }),
    shutdown_date: nullable(
      Type.String({
        description: 'The day on which its vendor switches it off.',
        'x-description-fa': 'روزی که فروشنده‌اش آن را خاموش می‌کند.',
      }),
    ),
    default: Type.Boolean({
      description: 'Answers calls of its kind that name no model: texts, videos, transcriptions.',
      'x-description-fa': 'درخواست‌های نوع خودش را که مدلی نام نبرند پاسخ می‌دهد: متن، ویدیو، رونویسی.',
    }),
    presets: Type.Array(oneOf('fast', 'balanced', 'quality'), {
      description: 'Presets of Studio that it serves.',
      'x-description-fa': 'پیش‌تنظیم‌های استودیو که این مدل انجام می‌دهد.',
    }),
    input_modalities: Type.Array(oneOf('text', 'image', 'audio', 'video', 'file')),
    output_modalities: Type.Array(Type.String()),
    context_length: nullable(Type.Integer(safeInteger)),
    max_output_tokens: nullable(Type.Integer(safeInteger)),
    features: Type.Array(Type.String()),
    reasoning: Type.Object({ supported_efforts: Type.Array(Type.String()) }),
    media_input: nullable(Type.Object({ input_per_million: usdPerMillion() })),
    pricing: oneOfThese(all.map(({ pricing }) => pricing)),
    studio_settings: nullable(oneOfThese(all.flatMap(({ studioSettings }) => studioSettings ?? []))),
    routes: Type.Array(
      Type.String({
        description: 'Paths that serve this model.',
        'x-description-fa': 'مسیرهایی که این مدل را ارائه می‌کنند.',
      }),
    ),
  })

export const ModelCard = modelCard(openKinds())

export const ModelList = typedList.schema(ModelCard, Type.String())

nameSchemas({ Model: ModelCard, ModelList })
