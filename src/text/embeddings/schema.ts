import { type Static, Type } from 'typebox'
import { Cost } from '#core/calls'
import { nullable, oneOf, safeInteger } from '#platform/schema'

/** The most tokens of one list, as at OpenAI. */
const maxItems = 8_192
/** The most texts of one request, as at OpenAI, whose clients send that many at once. */
export const maxTexts = 2_048

const text = (): ReturnType<typeof Type.String> => Type.String({ minLength: 1 })

export const EmbeddingsBody = Type.Object(
  {
    model: Type.String({
      maxLength: 200,
      description: 'A model of the kind embedding.',
      'x-description-fa': 'مدلی از نوع embedding.',
    }),
    input: Type.Unsafe<string | (string | number | number[])[]>({
      description:
        'A text, or a list of up to 2048 texts. In place of a text a list of token numbers of cl100k_base is taken too, as LangChain sends them.',
      'x-description-fa':
        'یک متن، یا فهرستی از حداکثر ۲۰۴۸ متن. به‌جای هر متن فهرست شماره‌های توکن cl100k_base هم پذیرفته است، چنان‌که LangChain می‌فرستد.',
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      maxItems,
      items: { type: ['string', 'integer', 'array'] },
    }),
    dimensions: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: 4_096,
          description: 'Of each vector, where the model lets them be chosen; absent: as the model has them.',
          'x-description-fa': 'بُعدهای هر بردار، اگر مدل بگذارد برگزیده شوند؛ بدون آن همان که مدل دارد.',
        }),
      ),
    ),
    encoding_format: Type.Optional(nullable(oneOf('float', 'base64'))),
    user: Type.Optional(nullable(Type.String())),
  },
  {
    examples: [{ model: 'sandbox/embedding', input: ['تهران پایتخت ایران است', 'پاریس پایتخت فرانسه است'] }],
  },
)
export type EmbeddingsBody = Static<typeof EmbeddingsBody>

export const EmbeddingList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer(safeInteger),
      embedding: Type.Union([Type.Array(Type.Number()), text()], {
        description: 'Numbers, or with base64 their 32-bit floats, the lowest byte first.',
        'x-description-fa': 'عددها، یا با base64 همان‌ها به شکل اعشار ۳۲ بیتی، نخست بایت کم‌ارزش.',
      }),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({
    prompt_tokens: Type.Integer(safeInteger),
    total_tokens: Type.Integer(safeInteger),
    ...Cost,
  }),
})
