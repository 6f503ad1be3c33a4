import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import { closed, described, nullable, safeInteger, storableText, timestamp, uuid } from '#platform/schema'

export const FilesQuery = pageQuery({
  max: 1_000,
  standard: 100,
  after: idCursor('Files older than this one.', 'فایل‌های قدیمی‌تر از این یکی.'),
})
export type FilesQuery = Static<typeof FilesQuery>

export const Bucket = Type.Object({
  id: Type.String(),
  name: Type.String(),
  public: Type.Boolean(described('Whether everybody may read its objects.', 'آیا همه فایل‌هایش را می‌خوانند.')),
  file_size_limit: nullable(Type.Integer(described('Bytes of one object.', 'بایت‌های یک فایل.'))),
  allowed_mime_types: nullable(Type.Array(Type.String())),
  created_at: timestamp(),
})

const File = Type.Object({
  id: uuid(),
  name: Type.String(),
  bucket: nullable(
    Type.String(described('Null for a private file of a user.', 'برای فایل خصوصی کاربر null است.')),
  ),
  media_type: Type.String(
    described(
      'By the end of its name; of an object as it was stored.',
      'از روی پسوند نامش؛ برای فایل باکت همان که هنگام ذخیره گفته شد.',
    ),
  ),
  bytes: Type.Integer(safeInteger),
  user_id: nullable({
    ...uuid(),
    ...described('The app user whose file it is.', 'کاربر برنامه‌ای که فایل از اوست.'),
  }),
  created_at: timestamp(),
})

export const FilesOfCloud = Type.Object({
  ...plainList.schema(File).properties,
  buckets: Type.Array(Bucket, described('Of dedicated infrastructure.', 'روی بک‌اند اختصاصی.')),
})

export const BucketBody = Type.Object(
  {
    name: storableText(1, 100),
    public: Type.Optional(Type.Boolean({ default: false })),
    file_size_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 52_428_800, default: 10_485_760 })),
  },
  { ...closed, examples: [{ name: 'pictures' }] },
)
export type BucketBody = Static<typeof BucketBody>
