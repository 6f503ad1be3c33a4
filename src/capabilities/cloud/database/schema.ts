import { type Static, Type } from 'typebox'
import { bareList } from '#platform/lists'
import {
  anyObject,
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  timestamp,
  uuid,
} from '#platform/schema'

const count = (en: string, fa: string) => Type.Integer({ ...safeInteger, ...described(en, fa) })

export const CollectionParams = Type.Object({ id: Type.String(), name: Type.String() })

export const DatabaseBody = Type.Object(
  {
    action: Type.Optional({
      ...oneOf('create_collection', 'list', 'insert', 'update', 'delete'),
      ...described(
        '`update` merges `data` into a row, member by member; without `id` and with `public_read` it changes the collection.',
        '`update` فیلدهای `data` را در ردیف می‌گذارد؛ بدون `id` و با `public_read` خود مجموعه را تغییر می‌دهد.',
      ),
    }),
    table: Type.Optional(Type.String(described('The collection.', 'مجموعه.'))),
    name: Type.Optional(Type.String(described('The same as `table`.', 'همان `table`.'))),
    id: Type.Optional(
      Type.String(
        described(
          'The row. For `insert` a UUID of your own, if it is to have one.',
          'ردیف. برای `insert` شناسه‌ای (UUID) از خودتان، اگر بخواهید.',
        ),
      ),
    ),
    data: Type.Optional(
      anyObject(
        described(
          'A document: at most 64 KiB as JSON. id, owner_id, created_at and updated_at are not set in it.',
          'یک سند: حداکثر ۶۴ کیبی‌بایت به شکل JSON. فیلدهای id و owner_id و created_at و updated_at در آن نوشته نمی‌شوند.',
        ),
      ),
    ),
    public_read: Type.Optional(
      Type.Boolean(
        described(
          'Whether everybody who has the public key of the cloud reads all rows. Default: false.',
          'هر کس که کلید عمومی بک‌اند را دارد همهٔ ردیف‌ها را می‌خواند. پیش‌فرض: false.',
        ),
      ),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_000,
        ...described('For `list`: rows that are skipped.', 'برای `list`: شمار ردیف‌هایی که از آن‌ها می‌گذرد.'),
      }),
    ),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40_000,
        ...described('SQL, on dedicated infrastructure only.', 'SQL، تنها در زیرساخت اختصاصی.'),
      }),
    ),
    read_only: Type.Optional(
      Type.Boolean(described('Of `query`. Default: true.', 'برای `query`. پیش‌فرض: true.')),
    ),
    confirm_write: Type.Optional(
      Type.Boolean(described('Of `query`. Default: false.', 'برای `query`. پیش‌فرض: false.')),
    ),
  },
  {
    ...closed,
    examples: [
      { action: 'create_collection', name: 'todos', public_read: false },
      { action: 'insert', table: 'todos', data: { title: 'نان بخر', done: false } },
    ],
  },
)
export type DatabaseBody = Static<typeof DatabaseBody>

export const Collection = Type.Object({
  object: Type.Literal('collection'),
  name: Type.String(),
  public_read: Type.Boolean(),
  rows: count('Rows in it.', 'ردیف‌های آن.'),
  bytes: count('Bytes of its rows as JSON.', 'بایت‌های ردیف‌هایش به شکل JSON.'),
  created_at: timestamp(),
})
export type Collection = Static<typeof Collection>

export const CollectionList = bareList.schema(Collection)

export const Row = Type.Object({
  id: uuid(),
  owner_id: nullable({
    ...uuid(),
    ...described(
      'The app user who has inserted it; null for one of a key.',
      'کاربر برنامه‌ای که آن را درج کرده است؛ null برای آنچه با کلید درج شده.',
    ),
  }),
  data: anyObject(),
  created_at: timestamp(),
  updated_at: timestamp(),
})

const RowList = Type.Object({
  data: Type.Array(Row, { maxItems: 50 }),
  has_more: Type.Boolean(),
  offset: Type.Integer(safeInteger),
  total: count('Rows of the collection.', 'ردیف‌های مجموعه.'),
})

const DeletedRow = Type.Object({ id: uuid(), deleted: Type.Literal(true) })

export const DatabaseReply = Type.Union([Collection, RowList, Row, DeletedRow])

export const DeletedCollection = Type.Object({
  object: Type.Literal('collection'),
  name: Type.String(),
  rows: count('Rows that were deleted with it.', 'ردیف‌هایی که با آن حذف شدند.'),
  deleted: Type.Literal(true),
})

nameSchemas({
  CloudDatabaseBody: DatabaseBody,
  CloudCollection: Collection,
  CloudRowList: RowList,
  CloudRow: Row,
})
