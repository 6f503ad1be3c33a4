import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import {
  closed,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  storableText,
  taggedUnion,
  timestamp,
  uuid,
} from '#platform/schema'

export const maxFileBytes = 10 * 1024 * 1024
/** Characters of Base64 for `maxFileBytes` bytes. */
const maxFileCharacters = 4 * Math.ceil(maxFileBytes / 3)
export const maxTextCharacters = 2_000_000

const Name = storableText(1, 80)
const Instructions = storableText(0, 8000, {
  description: 'For models that work with it: what it is and how to use it.',
  'x-description-fa': 'برای مدل‌هایی که با آن کار می‌کنند: چیست و چگونه به کار رود.',
})

export const KnowledgeBody = Type.Object(
  { name: Name, instructions: Type.Optional(Instructions) },
  { ...closed, examples: [{ name: 'قوانین شرکت', instructions: 'فقط از همین متن‌ها پاسخ بده.' }] },
)
export type KnowledgeBody = Static<typeof KnowledgeBody>

export const KnowledgePatch = Type.Object(
  { name: Type.Optional(Name), instructions: Type.Optional(nullable(Instructions)) },
  { ...closed, minProperties: 1, examples: [{ name: 'قوانین تازه' }] },
)
export type KnowledgePatch = Static<typeof KnowledgePatch>

export const KnowledgeParams = Type.Object({ id: Type.String() })
export const SourceParams = Type.Object({ id: Type.String(), source_id: Type.String() })

export const KnowledgeListQuery = pageQuery({
  max: 100,
  after: idCursor('Those older than this one.', 'آن‌ها که پیش از این یکی‌اند.'),
})
export type KnowledgeListQuery = Static<typeof KnowledgeListQuery>

const count = (description: string, fa: string) =>
  Type.Integer({ ...safeInteger, description, 'x-description-fa': fa })

export const Knowledge = Type.Object({
  id: uuid(),
  name: Type.String(),
  instructions: nullable(Type.String()),
  sources: count('Sources, whatever their state.', 'منبع‌ها، در هر وضعیت.'),
  passages: count('Passages that can be found.', 'بخش‌هایی که پیدا می‌شوند.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})
export type Knowledge = Static<typeof Knowledge>

export const Deleted = Type.Object({ id: uuid(), deleted: Type.Literal(true) })

const Title = Type.Optional(
  storableText(1, 200, {
    description: 'For people, and for citations; else that of the document itself.',
    'x-description-fa': 'برای آدم‌ها و ارجاع‌ها؛ اگر نیاید عنوان خود سند.',
  }),
)
const Data = Type.String({
  minLength: 1,
  maxLength: maxFileCharacters,
  description: 'The file in Base64, at most 10 MB of it.',
  'x-description-fa': 'فایل به شکل Base64، حداکثر ۱۰ مگابایت.',
})

export const SourceBody = {
  ...taggedUnion('type', [
    Type.Object(
      {
        type: Type.Literal('text'),
        text: Type.String({ minLength: 1, maxLength: maxTextCharacters }),
        title: Title,
      },
      closed,
    ),
    Type.Object({ type: Type.Literal('pdf'), data: Data, title: Title }, closed),
    Type.Object({ type: Type.Literal('docx'), data: Data, title: Title }, closed),
    Type.Object(
      {
        type: Type.Literal('url'),
        url: storableText(9, 2048, {
          description: 'A public page or PDF, with https://',
          'x-description-fa': 'نشانی صفحه یا PDF عمومی، با `https://`',
        }),
        title: Title,
      },
      closed,
    ),
  ]),
  examples: [{ type: 'text', title: 'آیین‌نامه', text: 'ارسال کالا تا سه روز کاری انجام می‌شود.' }],
}
export type SourceBody = Static<typeof SourceBody>

const Problem = Type.Object({
  code: Type.String(),
  message: Type.String({ description: 'What to do about it.', 'x-description-fa': 'چارهٔ آن.' }),
})

const Vectors = Type.Object(
  {
    state: {
      ...oneOf('queued', 'ready', 'partial', 'failed'),
      description:
        '`queued`: they are being made; `partial`, `failed`: passages without a vector are found by their words only.',
      'x-description-fa':
        '`queued`: در حال ساختن است؛ `partial` و `failed`: بخش‌های بی‌بردار تنها با واژه‌هایشان پیدا می‌شوند.',
    },
    model: Type.String(),
    problem: nullable(Problem),
  },
  {
    description:
      'Of its passages, by which they are found by meaning; null where no embedding model is configured.',
    'x-description-fa': 'بردارهای بخش‌هایش برای یافتن از روی معنا؛ اگر مدل embedding پیکربندی نشده باشد null.',
  },
)

export const KnowledgeSource = Type.Object({
  id: uuid(),
  knowledge_id: uuid(),
  type: oneOf('text', 'pdf', 'docx', 'url'),
  title: nullable(Type.String()),
  url: nullable(Type.String()),
  state: {
    ...oneOf('queued', 'ready', 'failed'),
    description: '`queued`: it is being read; `ready`: it can be searched.',
    'x-description-fa': '`queued`: در حال خواندن است؛ `ready`: در آن جست‌وجو می‌شود.',
  },
  problem: nullable(Problem),
  bytes: nullable(Type.Integer(safeInteger)),
  characters: nullable(Type.Integer(safeInteger)),
  passages: nullable(Type.Integer(safeInteger)),
  cut: Type.Boolean({
    description: 'The document goes on beyond what a source may have.',
    'x-description-fa': 'سند از سقف یک منبع درازتر است.',
  }),
  created_at: timestamp(),
  indexed_at: nullable(timestamp()),
  vectors: nullable(Vectors),
})
export type KnowledgeSource = Static<typeof KnowledgeSource>

export const KnowledgeList = plainList.schema(Knowledge)
export const SourceList = plainList.schema(KnowledgeSource)

export const SearchBody = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'A question or words; «…» and "…" look for a phrase first.',
      'x-description-fa': 'پرسش یا چند واژه؛ «…» و "…" نخست همان عبارت را می‌جویند.',
    }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: '5', 'x-description-fa': '۵' }),
    ),
  },
  { ...closed, examples: [{ query: 'ارسال کالا چند روز طول می‌کشد؟', limit: 3 }] },
)
export type SearchBody = Static<typeof SearchBody>

export const FoundPassage = Type.Object({
  source: Type.Object({ id: uuid(), title: nullable(Type.String()), url: nullable(Type.String()) }),
  position: count('Of the passage in its source, from 0.', 'جای این بخش در منبعش، از ۰.'),
  heading: nullable(Type.String()),
  text: Type.String(),
  score: Type.Number({
    description: 'Higher is better; comparable within one answer.',
    'x-description-fa': 'بیشتر بهتر است؛ فقط درون یک پاسخ سنجیدنی است.',
  }),
})
export type FoundPassage = Static<typeof FoundPassage>

export const FoundPassageList = Type.Object({
  data: Type.Array(FoundPassage),
  by: Type.Array(oneOf('words', 'vectors'), {
    description: 'How passages were looked for.',
    'x-description-fa': 'بخش‌ها از چه راه جسته شدند.',
  }),
  problem: {
    ...nullable(Problem),
    description: 'Why vectors that there are were not used; the words were.',
    'x-description-fa': 'چرا بردارهایی که هستند به کار نرفتند؛ واژه‌ها به کار رفتند.',
  },
})
export type FoundPassageList = Static<typeof FoundPassageList>

export const Embedding = Type.Object({
  id: uuid(),
  model: Type.String(),
  queued: count('Sources whose vectors are made from now on.', 'منبع‌هایی که از این پس بردار می‌گیرند.'),
})
export type Embedding = Static<typeof Embedding>

nameSchemas({
  DeletedKnowledge: Deleted,
  Embedding,
  FoundPassage: FoundPassage,
  FoundPassageList: FoundPassageList,
  Knowledge,
  KnowledgeBody,
  KnowledgeList,
  KnowledgePatch,
  SearchBody,
  Source: KnowledgeSource,
  SourceList,
})
