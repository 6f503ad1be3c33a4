import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import { closed, described, safeInteger, storableText, timestamp, uuid } from '#platform/schema'

export const FilesQuery = pageQuery({
  max: 1_000,
  standard: 100,
  after: idCursor('Files older than this one.', 'فایل‌های قدیمی‌تر از این یکی.'),
})
export type FilesQuery = Static<typeof FilesQuery>

export const FilesOfCloud = plainList.schema(
  Type.Object({
    id: uuid(),
    name: Type.String(),
    media_type: Type.String(described('By the end of its name.', 'از روی پسوند نامش.')),
    bytes: Type.Integer(safeInteger),
    user_id: { ...uuid(), ...described('The app user whose file it is.', 'کاربر برنامه‌ای که فایل از اوست.') },
    created_at: timestamp(),
  }),
)

export const BucketBody = Type.Object(
  {
    name: storableText(1, 100),
    public: Type.Optional(Type.Boolean({ default: false })),
    file_size_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 52_428_800, default: 10_485_760 })),
  },
  { ...closed, examples: [{ name: 'pictures' }] },
)
