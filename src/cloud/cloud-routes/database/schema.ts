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
        ...described(
          'SQL, on dedicated infrastructure only: one statement that reads, or with `read_only: false` and `confirm_write: true` a script that is one transaction.',
          'SQL، تنها در بک‌اند اختصاصی: یک دستور که می‌خواند، یا با `read_only: false` و `confirm_write: true` اسکریپتی که یک تراکنش است.',
        ),
      }),
    ),
    read_only: Type.Optional(
      Type.Boolean(
        described(
          'Of `query`: nothing is written, whatever it says. Default: true.',
          'برای `query`: هر چه در آن باشد، چیزی نوشته نمی‌شود. پیش‌فرض: true.',
        ),
      ),
    ),
    confirm_write: Type.Optional(
      Type.Boolean(
        described(
          'Of `query`: needed beside `read_only: false`. Default: false.',
          'برای `query`: همراه `read_only: false` لازم است. پیش‌فرض: false.',
        ),
      ),
    ),
  },
  {
    ...closed,
    examples: [
      { action: 'create_collection', name: 'todos', public_read: false },
      { action: 'insert', table: 'todos', data: { title: 'نان بخر', done: false } },
      { query: 'select count(*) from todos' },
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

const SqlColumn = Type.Object({ name: Type.String(), type: Type.String() })

const SqlResult = Type.Object({
  object: Type.Literal('sql_result'),
  columns: Type.Array(SqlColumn),
  rows: Type.Array(Type.Array(Type.Unknown()), {
    maxItems: 1_000,
    ...described(
      'Values in the order of the columns. bigint and numeric are strings, so that no digit is lost; dates, bytea and what JSON does not know are text as PostgreSQL writes it; JSON and arrays are nested.',
      'مقدارها به ترتیب ستون‌ها. bigint و numeric رشته‌اند تا رقمی گم نشود؛ تاریخ و bytea و آنچه JSON نمی‌شناسد متنی است که PostgreSQL می‌نویسد؛ JSON و آرایه تودرتو می‌آیند.',
    ),
  }),
  row_count: nullable(
    count(
      'Rows that were selected or changed; null where it was not counted to the end.',
      'ردیف‌هایی که خوانده یا تغییر داده شدند؛ null اگر تا پایان شمرده نشده باشد.',
    ),
  ),
  command: nullable(Type.String(described('Such as SELECT or INSERT.', 'مانند SELECT یا INSERT.'))),
  statements: count(
    'Of the script; the answer is that of the last one.',
    'شمار دستورها؛ پاسخ از آنِ آخری است.',
  ),
  truncated: Type.Boolean(
    described(
      'There are more than 1,000 rows, or more than 1 MB.',
      'بیش از ۱٬۰۰۰ ردیف یا بیش از یک مگابایت بوده است.',
    ),
  ),
})

export const DatabaseReply = Type.Union([Collection, RowList, Row, DeletedRow, SqlResult])

const names = Type.Array(Type.String())

const TableColumn = Type.Object({
  name: Type.String(),
  type: Type.String(),
  nullable: Type.Boolean(),
  default: nullable(Type.String()),
  generated: nullable(oneOf('identity', 'stored')),
})

const TableKey = Type.Object({
  name: Type.String(),
  kind: oneOf('primary', 'unique', 'foreign'),
  columns: names,
  references: nullable(Type.Object({ schema: Type.String(), table: Type.String(), columns: names })),
})

const TablePolicy = Type.Object({
  name: Type.String(),
  command: oneOf('select', 'insert', 'update', 'delete', 'all'),
  permissive: Type.Boolean(),
  roles: names,
  using: nullable(Type.String()),
  check: nullable(Type.String()),
})

const Table = Type.Object({
  schema: Type.String(),
  name: Type.String(),
  kind: oneOf('table', 'partitioned_table', 'view', 'materialized_view', 'foreign_table'),
  row_security: Type.Boolean(),
  row_estimate: nullable(
    count('As PostgreSQL estimates; null: never counted.', 'برآورد PostgreSQL؛ null یعنی هنوز نشمرده.'),
  ),
  bytes: count('With its indexes.', 'با شاخص‌هایش.'),
  columns: Type.Array(TableColumn),
  keys: Type.Array(TableKey),
  policies: Type.Array(TablePolicy),
})

const DatabaseFunction = Type.Object({
  schema: Type.String(),
  name: Type.String(),
  kind: oneOf('function', 'procedure', 'aggregate', 'window'),
  arguments: Type.String(),
  returns: nullable(Type.String()),
  language: Type.String(),
  security_definer: Type.Boolean(),
})

export const Database = Type.Object({
  object: Type.Literal('database'),
  tables: Type.Array(Table),
  functions: Type.Array(DatabaseFunction),
  bytes: count('Of the whole database on the disk.', 'اندازهٔ همهٔ پایگاه داده روی دیسک.'),
  truncated: Type.Boolean(
    described(
      'There are more tables or functions than fit into an answer.',
      'جدول‌ها یا تابع‌ها بیش از گنجایش یک پاسخ‌اند.',
    ),
  ),
})

export const DatabaseView = Type.Union([CollectionList, Database])

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
  CloudSqlResult: SqlResult,
  CloudDatabase: Database,
})
