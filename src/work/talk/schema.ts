import { type Static, Type } from 'typebox'
import {
  anyObject,
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  pageLimit,
  patterned,
  storableText,
  timestamp,
  uuid,
} from '#platform/schema'
import { partKinds } from './tables.ts'

export const ConversationParams = Type.Object({ id: uuid() })

const id = (en: string, fa: string) => ({ ...uuid(en), 'x-description-fa': fa })

export const ConversationListQuery = Type.Object(
  {
    limit: pageLimit(100),
    cursor: Type.Optional(
      Type.String({
        maxLength: 300,
        ...patterned('^[A-Za-z0-9_-]+$', {
          en: 'must be next_cursor of the page before',
          fa: 'باید next_cursor صفحهٔ پیش باشد',
        }),
        ...described('`next_cursor` of the page before.', 'مقدار `next_cursor` صفحهٔ پیش.'),
      }),
    ),
    q: Type.Optional(
      storableText(
        1,
        200,
        described(
          'Words that stand in the title or in one message, in any spelling; the last one may be the beginning of a word. Both archived conversations and others are searched unless `archived` says otherwise.',
          'واژه‌هایی که در عنوان یا در یک پیام آمده‌اند، با هر نگارشی؛ واژهٔ آخر می‌تواند آغاز یک واژه باشد. اگر `archived` چیزی نگوید، بایگانی‌شده‌ها هم جست‌وجو می‌شوند.',
        ),
      ),
    ),
    archived: Type.Optional(
      Type.Boolean(
        described(
          'True: archived conversations; false, and by default in the list: the others.',
          'true: گفت‌وگوهای بایگانی‌شده؛ false، که در فهرست پیش‌فرض است: بقیه.',
        ),
      ),
    ),
  },
  closed,
)
export type ConversationListQuery = Static<typeof ConversationListQuery>

export const ConversationQuery = Type.Object(
  {
    limit: pageLimit(100, 30),
    leaf: Type.Optional(
      id(
        'A message: the path that goes through it, to the newest message below it, is shown in place of the active one.',
        'یک پیام: به جای مسیر فعال، مسیری نشان داده می‌شود که از آن می‌گذرد و به تازه‌ترین پیام پس از آن می‌رسد.',
      ),
    ),
    before: Type.Optional(
      id(
        'The first message of the page that is shown: the messages before it follow.',
        'نخستین پیام صفحه‌ای که نشان داده می‌شود: پیام‌های پیش از آن می‌آیند.',
      ),
    ),
  },
  closed,
)
export type ConversationQuery = Static<typeof ConversationQuery>

export const ConversationPatch = Type.Object(
  {
    title: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 120,
          ...patterned('^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$', {
            en: 'must have 1 to 120 characters, not blanks alone, in one line',
            fa: 'باید ۱ تا ۱۲۰ کاراکتر در یک خط داشته باشد و تنها فاصله نباشد',
          }),
          ...described(
            'Null: the first words of the conversation. Signs that turn the direction of a text are left out.',
            'null: نخستین واژه‌های گفت‌وگو. نشانه‌هایی که جهت متن را برمی‌گردانند کنار گذاشته می‌شوند.',
          ),
        }),
      ),
    ),
    pinned: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000-\\u001f\\u007f]+$',
        ...described('The model of the next message.', 'مدل پیام بعدی.'),
      }),
    ),
    leaf_id: Type.Optional(
      id(
        'A message: the path through it, to the newest message below it, becomes the active one.',
        'یک پیام: مسیری که از آن می‌گذرد و به تازه‌ترین پیام پس از آن می‌رسد مسیر فعال می‌شود.',
      ),
    ),
  },
  { ...closed, examples: [{ title: 'سفر شیراز', pinned: true }] },
)
export type ConversationPatch = Static<typeof ConversationPatch>

const credits = Type.Number({
  minimum: 0,
  ...described('What it has cost, with at most six decimals.', 'هزینه، با حداکثر شش رقم اعشار.'),
})
const microcredits = Type.String(
  described('The same, exactly; 1 credit = 1,000,000.', 'همان به‌دقت؛ هر اعتبار ۱٬۰۰۰٬۰۰۰ است.'),
)

const summary = {
  object: Type.Literal('talk.conversation'),
  id: uuid(),
  title: Type.String(
    described(
      'As the person calls it, or its first words; empty where it begins without words.',
      'نامی که شخص داده است، یا نخستین واژه‌ها؛ خالی اگر با واژه آغاز نشده باشد.',
    ),
  ),
  is_named: Type.Boolean(described('Whether the person has named it.', 'آیا شخص نامی داده است.')),
  model: Type.String(),
  leaf_id: uuid(),
  messages: Type.Integer(described('How many messages all its branches have.', 'شمار پیام‌های همهٔ شاخه‌ها.')),
  credits,
  microcredits,
  pinned_at: nullable(timestamp()),
  archived_at: nullable(timestamp()),
  created_at: timestamp(),
  updated_at: timestamp(),
}

export const Conversation = Type.Object(summary)
export type Conversation = Static<typeof Conversation>

export const ListedConversation = Type.Object({
  ...summary,
  match: nullable(
    Type.Object({
      message_id: nullable(
        Type.String({
          format: 'uuid',
          ...described('Null: the title has the words.', 'null: واژه‌ها در عنوان‌اند.'),
        }),
      ),
      snippet: Type.String(described('The text around the words.', 'متن پیرامون واژه‌ها.')),
    }),
  ),
})

export const ConversationList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ListedConversation),
  has_more: Type.Boolean(),
  next_cursor: nullable(Type.String()),
})
export type ConversationList = Static<typeof ConversationList>

export const TalkPart = Type.Object({
  type: oneOf(...partKinds),
  text: nullable(Type.String()),
  file_id: nullable(uuid()),
  detail: nullable(
    anyObject(
      described(
        'What belongs to the type, such as the name of a tool or the address of a source.',
        'آنچه به نوع آن مربوط است، مانند نام ابزار یا نشانی منبع.',
      ),
    ),
  ),
})

export const TalkMessage = Type.Object({
  object: Type.Literal('talk.message'),
  id: uuid(),
  conversation_id: uuid(),
  parent_id: nullable(uuid()),
  role: oneOf('user', 'assistant'),
  state: oneOf('streaming', 'complete', 'stopped', 'failed'),
  model: nullable(Type.String()),
  hosted: Type.Array(Type.String()),
  reasoning_effort: nullable(Type.String()),
  parts: Type.Array(TalkPart),
  sibling_ids: Type.Array(
    uuid(),
    described(
      'The messages with the same parent, oldest first, itself among them; of more than a hundred the newest.',
      'پیام‌هایی که والدشان همین است، از کهنه‌ترین، با خود آن؛ اگر بیش از صد باشند تازه‌ترین‌ها.',
    ),
  ),
  receipt_id: nullable(uuid()),
  credits: nullable(credits),
  microcredits: nullable(microcredits),
  error_code: nullable(Type.String()),
  created_at: timestamp(),
  ended_at: nullable(timestamp()),
})
export type TalkMessage = Static<typeof TalkMessage>

export const OpenConversation = Type.Object({
  ...summary,
  path: Type.Object({
    leaf_id: uuid(),
    data: Type.Array(TalkMessage, described('Oldest first.', 'از کهنه‌ترین.')),
    has_more: Type.Boolean(described('Whether messages stand before.', 'آیا پیش از این‌ها پیامی هست.')),
  }),
})
export type OpenConversation = Static<typeof OpenConversation>

export const DeletedConversation = Type.Object({ id: uuid(), deleted: Type.Boolean() })
export const DeletedConversations = Type.Object({ deleted: Type.Integer({ minimum: 0 }) })

nameSchemas({
  TalkConversation: Conversation,
  TalkConversationList: ConversationList,
  TalkConversationPatch: ConversationPatch,
  TalkListedConversation: ListedConversation,
  TalkMessage,
  TalkOpenConversation: OpenConversation,
  TalkPart,
  DeletedTalkConversation: DeletedConversation,
  DeletedTalkConversations: DeletedConversations,
})
