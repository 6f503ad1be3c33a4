import { type Static, Type } from 'typebox'
import { closed, described, nameSchemas, oneOf, storableText, taggedUnion, uuid } from '#platform/schema'

/** The hosted tools that a person may switch on for a message. */
export const HostedNames = Type.Array(oneOf('web_search', 'web_fetch', 'datetime'), {
  maxItems: 3,
  uniqueItems: true,
  description: 'Tools that the service runs for the answer.',
  'x-description-fa': 'ابزارهایی که سرویس برای پاسخ اجرا می‌کند.',
})

const model = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'A text model.',
  'x-description-fa': 'یک مدل متنی.',
})

/** The most characters of the texts of a message together. */
export const maxCharacters = 200_000
export const maxFiles = 20

const TextPart = Type.Object({ type: Type.Literal('text'), text: storableText(1, maxCharacters) }, closed)
const FilePart = Type.Object({ type: Type.Literal('file'), file_id: uuid() }, closed)

const parts = Type.Array(taggedUnion('type', [TextPart, FilePart]), {
  minItems: 1,
  maxItems: maxFiles + 1,
  description: 'The text of the message, and stored files.',
  'x-description-fa': 'متن پیام و فایل‌های ذخیره‌شده.',
})
export type SentPart = Static<typeof parts>[number]

const effort = Type.String({ minLength: 1, maxLength: 20 })

const exampleId = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'
const exampleParts = [{ type: 'text', text: 'سفر به شیراز' }]

export const MessageBody = Type.Object(
  {
    id: {
      ...uuid(),
      ...described(
        'Chosen by the client: the same id again is the same message.',
        'کلاینت آن را برمی‌گزیند؛ همان شناسه بار دیگر همان پیام است.',
      ),
    },
    conversation_id: {
      ...uuid(),
      ...described(
        'Chosen by the client where the conversation is new.',
        'برای گفت‌وگوی تازه، کلاینت آن را برمی‌گزیند.',
      ),
    },
    parent_id: Type.Union([uuid(), Type.Null()], {
      description: 'The message that this one follows; null: it begins the conversation.',
      'x-description-fa': 'پیامی که این پیام در پی آن می‌آید؛ null: گفت‌وگو را آغاز می‌کند.',
    }),
    model,
    parts,
    hosted: Type.Optional(HostedNames),
    reasoning_effort: Type.Optional(effort),
  },
  {
    ...closed,
    examples: [
      {
        id: exampleId,
        conversation_id: '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c91',
        parent_id: null,
        model: 'sandbox/fast',
        parts: exampleParts,
      },
    ],
  },
)
export type MessageBody = Static<typeof MessageBody>

export const AnswerBody = Type.Object(
  {
    id: {
      ...uuid(),
      ...described(
        'Chosen by the client: the same id again is the same answer.',
        'کلاینت آن را برمی‌گزیند؛ همان شناسه بار دیگر همان پاسخ است.',
      ),
    },
    model: Type.Optional(model),
    hosted: Type.Optional(HostedNames),
    reasoning_effort: Type.Optional(effort),
  },
  { ...closed, examples: [{ id: exampleId }] },
)
export type AnswerBody = Static<typeof AnswerBody>

export const EstimateBody = Type.Object(
  {
    model,
    conversation_id: Type.Optional(uuid()),
    leaf_id: Type.Optional({
      ...uuid(),
      ...described('The message that this one would follow.', 'پیامی که این پیام در پی آن می‌آید.'),
    }),
    parts: { ...parts, minItems: 0 },
    hosted: Type.Optional(HostedNames),
  },
  { ...closed, examples: [{ model: 'sandbox/fast', parts: exampleParts }] },
)
export type EstimateBody = Static<typeof EstimateBody>

export const Estimate = Type.Object({
  object: Type.Literal('talk.estimate'),
  credits: Type.Integer({
    description: 'The most that the answer can cost, in whole credits.',
    'x-description-fa': 'بیشترین هزینهٔ ممکن پاسخ، به اعتبار کامل.',
  }),
  microcredits: Type.String({ pattern: '^[0-9]+$' }),
  max_output_tokens: Type.Integer(),
})
export const MessageParams = Type.Object({ id: uuid() })

nameSchemas({
  TalkAnswerBody: AnswerBody,
  TalkEstimate: Estimate,
  TalkEstimateBody: EstimateBody,
  TalkMessageBody: MessageBody,
})
