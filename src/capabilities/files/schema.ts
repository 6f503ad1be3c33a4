import { type Static, Type } from 'typebox'
import { closed, namePattern, nullable, pageLimit, safeInteger, timestamp, uuid } from '#platform/schema'

export const mostBytes = 20 * 1024 * 1024
/** Base64 of that many bytes. */
const mostCharacters = 4 * Math.ceil(mostBytes / 3)

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg=='

export const UploadBody = Type.Object(
  {
    data: Type.String({
      minLength: 1,
      maxLength: mostCharacters,
      description: 'The bytes in Base64, at most 20 MB of them.',
      'x-description-fa': 'بایت‌ها به شکل Base64، حداکثر ۲۰ مگابایت.',
    }),
    media_type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Checked against the bytes; found from them where it is left out.',
        'x-description-fa': 'با خود بایت‌ها سنجیده می‌شود؛ اگر نیاید از روی آن‌ها پیدا می‌شود.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: namePattern,
        description: 'A name for people, without slashes.',
        'x-description-fa': 'نامی برای آدم‌ها، بدون خط مایل.',
      }),
    ),
  },
  { ...closed, examples: [{ data: png, media_type: 'image/png', name: 'نشان.png' }] },
)
export type UploadBody = Static<typeof UploadBody>

export const FileParams = Type.Object({ id: Type.String() })

export const ListQuery = Type.Object(
  {
    limit: pageLimit(100),
    after_id: Type.Optional({
      ...uuid('Files older than this one.'),
      'x-description-fa': 'فایل‌های پیش از این یکی.',
    }),
  },
  closed,
)
export type ListQuery = Static<typeof ListQuery>

export const StoredFile = Type.Object({
  id: uuid(),
  name: nullable(Type.String()),
  media_type: Type.String(),
  bytes: Type.Integer(safeInteger),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  source: Type.String({
    description: '`upload`: by this API.',
    'x-description-fa': '`upload`: از راه همین API.',
  }),
  created_at: timestamp(),
})
export type StoredFile = Static<typeof StoredFile>

export const FileList = Type.Object({
  data: Type.Array(StoredFile),
  has_more: Type.Boolean(),
  last_id: nullable(uuid()),
})

export const DeletedFile = Type.Object({ id: uuid(), deleted: Type.Literal(true) })
