import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import {
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  storableText,
  timestamp,
  uuid,
} from '#platform/schema'
import { packageId } from '../package-id.ts'

export const BackupParams = Type.Object({ id: Type.String(), backupId: Type.String() })

export const BackupQuery = pageQuery({
  max: 100,
  after: idCursor('Those older than this one.', 'آن‌ها که پیش از این یکی‌اند.'),
})
export type BackupQuery = Static<typeof BackupQuery>

export const BackupBody = Type.Object({}, { ...closed, examples: [{}] })

const Problem = Type.Object({
  code: Type.String(),
  message: Type.String(described('What to do about it.', 'چارهٔ آن.')),
})

const bytes = (en: string, fa: string) => ({ ...nullable(Type.Integer(safeInteger)), ...described(en, fa) })

export const Backup = Type.Object({
  object: Type.Literal('cloud.backup'),
  id: uuid(),
  kind: {
    ...oneOf('nightly', 'asked'),
    ...described('`nightly` is made by itself.', '`nightly` خودبه‌خود گرفته می‌شود.'),
  },
  status: {
    ...oneOf('queued', 'ready', 'failed'),
    ...described('Only one that is `ready` can be restored.', 'تنها `ready` بازگرداندنی است.'),
  },
  error: nullable(Problem),
  bytes: bytes('As it is stored.', 'آن‌گونه که ذخیره شده است.'),
  database_bytes: bytes('As the database is on its disk.', 'آن‌گونه که پایگاه داده روی دیسک است.'),
  server_version: {
    ...nullable(Type.String()),
    ...described('Of PostgreSQL.', 'نسخهٔ PostgreSQL.'),
  },
  created_at: timestamp(),
  unchanged_until: {
    ...timestamp(),
    ...described(
      'When it was last seen that nothing was written since; such a night makes no backup of its own.',
      'آخرین باری که دیده شد از آن پس چیزی نوشته نشده است؛ چنین شبی پشتیبان تازه‌ای نمی‌سازد.',
    ),
  },
  finished_at: nullable(timestamp()),
  expires_at: { ...timestamp(), ...described('It is deleted then.', 'در این زمان حذف می‌شود.') },
})
export type Backup = Static<typeof Backup>

export const Restore = Type.Object({
  object: Type.Literal('cloud.restore'),
  id: uuid(),
  cloud_id: { ...uuid(), ...described('Whose database it becomes.', 'بک‌اندی که پایگاه داده‌اش می‌شود.') },
  backup_id: uuid(),
  status: {
    ...oneOf('queued', 'done', 'failed'),
    ...described(
      'While it is `queued`, the app may get 503.',
      'تا وقتی `queued` است، برنامه ممکن است ۵۰۳ بگیرد.',
    ),
  },
  error: nullable(Problem),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
})
export type Restore = Static<typeof Restore>

export const BackupList = Type.Object({
  ...plainList.schema(Backup).properties,
  restore: {
    ...nullable(Restore),
    ...described('The last one into this app back-end.', 'آخرین بازگردانی در این بک‌اند.'),
  },
})

export const RestoreBody = Type.Object(
  {
    confirm: Type.String(
      described(
        'Exactly the name of the app back-end whose backup it is. What was written to it since then is lost with `into: "place"`.',
        'دقیقاً نام بک‌اندی که پشتیبان از آن است. با `into: "place"` آنچه از آن پس نوشته شده از دست می‌رود.',
      ),
    ),
    into: Type.Optional({
      ...oneOf('place', 'new'),
      ...described(
        '`place`, the default: this app back-end. `new`: another one is created, which needs a package.',
        '`place` که پیش‌فرض است: همین بک‌اند. `new`: بک‌اند دیگری ساخته می‌شود که بسته می‌خواهد.',
      ),
    }),
    name: Type.Optional(storableText(1, 100, described('Of the new one.', 'نام بک‌اند تازه.'))),
    package: Type.Optional(packageId(described('Of the new one.', 'بستهٔ بک‌اند تازه.'))),
  },
  { ...closed, examples: [{ confirm: 'فروشگاه' }] },
)
export type RestoreBody = Static<typeof RestoreBody>

export const DeletedBackup = Type.Object({
  object: Type.Literal('cloud.backup'),
  id: uuid(),
  deleted: Type.Literal(true),
})

nameSchemas({
  CloudBackup: Backup,
  CloudBackupBody: BackupBody,
  CloudBackupList: BackupList,
  CloudRestore: Restore,
  CloudRestoreBody: RestoreBody,
  DeletedCloudBackup: DeletedBackup,
})
