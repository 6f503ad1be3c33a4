import { type Static, Type } from 'typebox'
import { framedList, pageQuery } from '#platform/lists'
import { closed, nameSchemas, nullable, oneOf, patterned, timestamp } from '#platform/schema'
import { MessagesBody } from '../request/schema.ts'

const maxRows = 1000

export const BatchBody = Type.Object(
  {
    requests: Type.Array(
      Type.Object(
        {
          custom_id: Type.String({
            ...patterned('^[a-zA-Z0-9_-]{1,64}$', {
              en: 'must have 1 to 64 characters of a–z, A–Z, 0–9, _ and -',
              fa: 'باید ۱ تا ۶۴ کاراکتر از a–z، A–Z، 0–9، _ و - داشته باشد',
            }),
            description: 'Names the row in the results; unique in the batch.',
            'x-description-fa': 'نام این ردیف در نتیجه‌ها؛ در هر دسته یکتاست.',
          }),
          params: MessagesBody,
        },
        closed,
      ),
      { minItems: 1, maxItems: maxRows },
    ),
  },
  {
    ...closed,
    examples: [
      {
        requests: [
          {
            custom_id: 'first',
            params: { max_tokens: 1024, messages: [{ role: 'user', content: 'سلام! خودت را معرفی کن.' }] },
          },
        ],
      },
    ],
  },
)
export type BatchBody = Static<typeof BatchBody>

export const BatchParams = Type.Object({
  batch_id: Type.String({ description: '`msgbatch_…`', 'x-description-fa': '`msgbatch_…`' }),
})

const cursor = (en: string, fa: string) =>
  Type.Optional(
    Type.String({
      ...patterned('^msgbatch_[0-9a-f]{32}$', {
        en: 'must be the id of a batch, msgbatch_…',
        fa: 'باید شناسهٔ یک دسته باشد، msgbatch_…',
      }),
      description: en,
      'x-description-fa': fa,
    }),
  )

export const BatchListQuery = pageQuery(
  {
    max: 1000,
    after: cursor('Batches made before this one.', 'دسته‌هایی که پیش از این ساخته شده‌اند.'),
  },
  {
    before_id: cursor('Batches made after this one.', 'دسته‌هایی که پس از این ساخته شده‌اند.'),
    beta: Type.Optional(
      Type.String({
        description: 'Sent by clients of the beta; no effect.',
        'x-description-fa': 'کتابخانه‌های نسخهٔ بتا می‌فرستند؛ اثری ندارد.',
      }),
    ),
  },
)
export type BatchListQuery = Static<typeof BatchListQuery>

const count = (description: string, fa: string) =>
  Type.Integer({ minimum: 0, description, 'x-description-fa': fa })

export const MessageBatch = Type.Object({
  id: Type.String({ pattern: '^msgbatch_' }),
  type: Type.Literal('message_batch'),
  processing_status: oneOf('in_progress', 'canceling', 'ended'),
  request_counts: Type.Object({
    processing: count('Rows that have not ended.', 'ردیف‌هایی که پایان نیافته‌اند.'),
    succeeded: count('Rows with an answer.', 'ردیف‌های پاسخ‌گرفته.'),
    errored: count('Rows that failed.', 'ردیف‌های ناموفق.'),
    canceled: count(
      'Rows that had not begun when the batch was cancelled.',
      'ردیف‌هایی که پیش از آغاز لغو شدند.',
    ),
    expired: count('Rows that had not begun within 24 hours.', 'ردیف‌هایی که تا ۲۴ ساعت آغاز نشدند.'),
  }),
  created_at: timestamp(),
  ended_at: nullable(timestamp()),
  expires_at: Type.String({
    description: 'Until then results can be read.',
    'x-description-fa': 'تا این زمان نتیجه‌ها خواندنی‌اند.',
  }),
  archived_at: nullable(timestamp()),
  cancel_initiated_at: nullable(timestamp()),
  results_url: nullable(Type.String()),
})
export type MessageBatch = Static<typeof MessageBatch>

export const BatchList = framedList.schema(MessageBatch, Type.String())

export const DeletedBatch = Type.Object({ id: Type.String(), type: Type.Literal('message_batch_deleted') })

nameSchemas({ Batch: MessageBatch, BatchBody, BatchList, DeletedBatch })
