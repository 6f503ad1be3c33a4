import { type Static, Type } from 'typebox'
import { linkTokenPattern } from '#core/files'
import { idCursor, pageQuery, typedList } from '#platform/lists'
import {
  closed,
  described,
  namePattern,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  timestamp,
  uuid,
} from '#platform/schema'
import { maxMediaBytes } from './kind.ts'

/** The length of `maxMediaBytes` in Base64. */
const maxCharacters = 4 * Math.ceil(maxMediaBytes / 3)
export const maxNameCharacters = 200

const mediaType = Type.String({
  maxLength: 100,
  description:
    'The bytes decide; it tells plain texts without an ending in their name apart (CSV, TSV, JSON).',
  'x-description-fa':
    'بایت‌ها تعیین می‌کنند؛ این فقط متن‌های ساده‌ای را که نامشان پسوند ندارد از هم جدا می‌کند (CSV، TSV، JSON).',
})
const name = Type.String({
  minLength: 1,
  maxLength: maxNameCharacters,
  pattern: namePattern,
  description: 'A name for people, without slashes.',
  'x-description-fa': 'نامی برای آدم‌ها، بدون خط مایل.',
})

const purpose = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_.-]+$',
  description:
    'What the file is for, as OpenAI’s clients say it; it is shown again, and changes nothing, but that a file for `talk` goes with the last conversation that has it.',
  'x-description-fa':
    'کاربرد فایل، آن‌گونه که کتابخانه‌های OpenAI می‌گویند؛ دوباره نشان داده می‌شود و چیزی را تغییر نمی‌دهد، جز آنکه فایلی با کاربرد `talk` با آخرین گفت‌وگویی که آن را دارد حذف می‌شود.',
})
const expiresAfter = Type.Object(
  {
    anchor: Type.Literal('created_at'),
    seconds: Type.Integer({ minimum: 3_600, maximum: 2_592_000 }),
  },
  {
    ...closed,
    description: 'The file is deleted by itself so many seconds after it was stored.',
    'x-description-fa': 'فایل این‌قدر ثانیه پس از ذخیره‌شدن خودبه‌خود پاک می‌شود.',
  },
)

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg=='

export const UploadBody = Type.Object(
  {
    data: Type.String({
      minLength: 1,
      maxLength: maxCharacters,
      description: 'The bytes in Base64, at most 20 MB of them.',
      'x-description-fa': 'بایت‌ها به شکل Base64، حداکثر ۲۰ مگابایت.',
    }),
    media_type: Type.Optional(mediaType),
    name: Type.Optional(name),
    purpose: Type.Optional(purpose),
    expires_after: Type.Optional(expiresAfter),
  },
  { ...closed, examples: [{ data: png, media_type: 'image/png', name: 'نشان.png' }] },
)
export type UploadBody = Static<typeof UploadBody>

/** The fields of the upload form beside the file. */
export const UploadForm = Type.Object(
  {
    media_type: Type.Optional(mediaType),
    name: Type.Optional({
      ...name,
      description: 'A name for people; that of the file where it is left out.',
      'x-description-fa': 'نامی برای آدم‌ها؛ اگر نیاید همان نام فایل است.',
    }),
    purpose: Type.Optional(purpose),
    expires_after: Type.Optional(expiresAfter),
  },
  closed,
)
export type UploadForm = Static<typeof UploadForm>

export const FileParams = Type.Object({ id: Type.String() })

export const LinkBody = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        default: 3_600,
        description: 'Seconds; a link never outlives its file.',
        'x-description-fa': 'ثانیه؛ هیچ پیوندی بیش از فایل خود نمی‌ماند.',
      }),
    ),
  },
  { ...closed, examples: [{ expires_in: 600 }] },
)
export type LinkBody = Static<typeof LinkBody>

export const FileLink = Type.Object({
  url: Type.String({
    description: 'Whoever has it reads the file, without a key.',
    'x-description-fa': 'هر که آن را دارد فایل را بی‌کلید می‌خواند.',
  }),
  expires_at: timestamp(),
})

export const LinkParams = Type.Object({ token: Type.String({ pattern: linkTokenPattern }) })

const cursor = idCursor(
  'Files that follow this one in the list.',
  'فایل‌هایی که در فهرست پس از این یکی می‌آیند.',
)

export const FileListQuery = pageQuery(
  { max: 100, after: cursor },
  {
    after: idCursor('The name of after_id in OpenAI’s clients.', 'نام after_id در کتابخانه‌های OpenAI.'),
    order: Type.Optional({
      ...oneOf('desc', 'asc'),
      default: 'desc',
      ...described(
        '`desc`: newest first; `asc`: oldest first.',
        '`desc`: تازه‌ترین نخست؛ `asc`: کهنه‌ترین نخست.',
      ),
    }),
    purpose: Type.Optional({
      ...purpose,
      description: 'Only files that were sent with this purpose.',
      'x-description-fa': 'تنها فایل‌هایی که با این کاربرد فرستاده شده‌اند.',
    }),
  },
)
export type FileListQuery = Static<typeof FileListQuery>

export const StoredFile = Type.Object({
  id: uuid(),
  object: Type.Literal('file'),
  name: nullable(Type.String()),
  filename: Type.String({
    description: '`name`, or a name made of the id and the type, as OpenAI’s clients read it.',
    'x-description-fa': '`name`، یا نامی از شناسه و نوع فایل، آن‌گونه که کتابخانه‌های OpenAI می‌خوانند.',
  }),
  media_type: Type.String(),
  bytes: Type.Integer(safeInteger),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  source: Type.String({
    description: '`upload`: by this API; else what a paid call made: `image`, `audio`, `video`.',
    'x-description-fa':
      '`upload`: از راه همین API؛ وگرنه آنچه یک درخواست پولی ساخته است: `image`، `audio`، `video`.',
  }),
  receipt_id: nullable(
    Type.String({
      description: 'The paid call that made it: GET /v1/requests/{id}.',
      'x-description-fa': 'درخواست پولی که آن را ساخت: GET /v1/requests/{id}.',
    }),
  ),
  purpose: nullable(
    Type.String({ description: 'As its sender said.', 'x-description-fa': 'همان که فرستنده گفت.' }),
  ),
  status: Type.Literal('processed', {
    description: 'A stored file can be used at once.',
    'x-description-fa': 'فایل ذخیره‌شده همان دم آماده است.',
  }),
  expires_at: nullable(timestamp()),
  created_at: timestamp(),
})
export type StoredFile = Static<typeof StoredFile>

export const FileList = typedList.schema(StoredFile)

export const DeletedFile = Type.Object({
  id: uuid(),
  object: Type.Literal('file'),
  deleted: Type.Literal(true),
})

nameSchemas({ DeletedFile, FileLink, FileList, FileUploadBody: UploadBody, StoredFile })
