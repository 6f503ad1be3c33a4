import { type Static, Type } from 'typebox'
import { bareList, idCursor, pageQuery, plainList } from '#platform/lists'
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

const count = (en: string, fa: string) => Type.Integer({ ...safeInteger, ...described(en, fa) })

const PublishedFile = Type.Object(
  {
    path: Type.String(
      described(
        'Relative, with `/` between folders, such as `blog/index.html`.',
        'نسبی و با `/` میان پوشه‌ها، مانند `blog/index.html`.',
      ),
    ),
    content: Type.Optional(Type.String(described('In Base64.', 'به شکل Base64.'))),
    encoding: Type.Optional(Type.Literal('base64')),
    sha256: Type.Optional(
      Type.String(
        described(
          'In place of `content`: the hash of a file of a kept version of the same site, in hexadecimal digits.',
          'به جای `content`: هش فایلی از نسخه‌های نگه‌داشتهٔ همین سایت، با رقم‌های شانزده‌شانزدهی.',
        ),
      ),
    ),
  },
  closed,
)

export const SiteBody = Type.Object(
  {
    name: storableText(1, 100, described('For people.', 'برای آدم‌ها.')),
    slug: Type.Optional(
      Type.String(
        described(
          'The first label of its host: 1 to 63 of a–z, 0–9 and single dashes; made of the name if absent. A site keeps it.',
          'نخستین بخش نشانی: ۱ تا ۶۳ کاراکتر از a تا z، رقم‌ها و خط تیرهٔ تکی؛ اگر نیاید از نام ساخته می‌شود. سایت آن را نگه می‌دارد.',
        ),
      ),
    ),
    confirm_public: Type.Literal(
      true,
      described('Everybody will be able to see it.', 'همه می‌توانند آن را ببینند.'),
    ),
    spa: Type.Optional(
      Type.Boolean(
        described(
          'Navigation to a path that no file has is answered by `index.html`, for apps with routes of their own. Default: false.',
          'نشانی‌هایی که فایلی ندارند با `index.html` پاسخ می‌گیرند، برای برنامه‌هایی که مسیرهای خود را دارند. پیش‌فرض: false.',
        ),
      ),
    ),
    cloud_id: Type.Optional(
      Type.String(described('The app back-end that it belongs to.', 'بک‌اندی که سایت از آنِ آن است.')),
    ),
    files: Type.Array(PublishedFile, {
      minItems: 1,
      ...described('`index.html` among them.', '`index.html` هم در میانشان.'),
    }),
  },
  {
    ...closed,
    examples: [
      {
        name: 'کافهٔ ما',
        slug: 'our-cafe',
        confirm_public: true,
        files: [{ path: 'index.html', content: 'PGgxPtiz2YTYp9mFPC9oMT4=', encoding: 'base64' }],
      },
    ],
  },
)
export type SiteBody = Static<typeof SiteBody>

export const SiteParams = Type.Object({ id: Type.String() })
export const CloudSiteParams = Type.Object({ id: Type.String(), siteId: Type.String() })

export const SiteListQuery = pageQuery(
  { max: 100, after: idCursor('Those older than this one.', 'آن‌ها که پیش از این یکی‌اند.') },
  {
    cloud_id: Type.Optional({
      ...uuid(),
      ...described('Those of this app back-end.', 'آن‌ها که از آنِ این بک‌اندند.'),
    }),
  },
)
export type SiteListQuery = Static<typeof SiteListQuery>

export const FilesQuery = Type.Object(
  {
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        ...described('Default: the newest one that is ready.', 'پیش‌فرض: تازه‌ترین نسخهٔ آماده.'),
      }),
    ),
  },
  closed,
)
export type FilesQuery = Static<typeof FilesQuery>

export const RollbackBody = Type.Object(
  {
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        ...described(
          'A version that is kept; if absent, the newest one before the live one that was live.',
          'یکی از نسخه‌های نگه‌داشته؛ اگر نیاید، تازه‌ترین نسخهٔ پیش از نسخهٔ کنونی که زمانی در دسترس بود.',
        ),
      }),
    ),
  },
  { ...closed, examples: [{}, { version: 3 }] },
)
export type RollbackBody = Static<typeof RollbackBody>

export const DeleteBody = Type.Object(
  { confirm: Type.String(described('Exactly the name of the site.', 'دقیقاً نام سایت.')) },
  { ...closed, examples: [{ confirm: 'کافهٔ ما' }] },
)
export type DeleteBody = Static<typeof DeleteBody>

const Problem = Type.Object({
  code: Type.String(),
  message: Type.String(described('What to do about it.', 'چارهٔ آن.')),
})

const Status = oneOf('publishing', 'ready', 'failed')

const Live = Type.Object({
  version: Type.Integer(safeInteger),
  url: Type.String(described('The address that visitors use.', 'نشانی بازدیدکنندگان.')),
  preview_url: Type.String(
    described('Of this very version, for whoever has the link.', 'از همین نسخه، برای هرکس که پیوند را دارد.'),
  ),
  published_at: timestamp(),
})

const shared = {
  object: Type.Literal('site'),
  id: uuid(),
  name: Type.String(),
  slug: Type.String(),
  cloud_id: nullable(uuid()),
  status: {
    ...Status,
    ...described(
      'Of the newest publication. While it is `publishing`, and after it has `failed`, visitors get what `live` says.',
      'وضعیت تازه‌ترین انتشار. تا `publishing` است و پس از `failed`، بازدیدکنندگان آن را می‌بینند که `live` می‌گوید.',
    ),
  },
  url: {
    ...nullable(Type.String()),
    ...described(
      'The address for visitors; stands when `status` is `ready`.',
      'نشانی بازدیدکنندگان؛ وقتی `status` برابر `ready` است.',
    ),
  },
  domain: Type.String(
    described('The host under which it is found now.', 'نام میزبانی که سایت اکنون با آن پیدا می‌شود.'),
  ),
  live: {
    ...nullable(Live),
    ...described(
      'The version that visitors get; null until the first is ready.',
      'نسخه‌ای که بازدیدکنندگان می‌بینند؛ تا آماده‌شدن نخستین نسخه null.',
    ),
  },
  version: count('The newest one.', 'تازه‌ترین نسخه.'),
  error: nullable(Problem),
  spa: Type.Boolean(),
  files: count('Of the newest version.', 'شمار فایل‌های تازه‌ترین نسخه.'),
  bytes: count('Of the newest version.', 'حجم تازه‌ترین نسخه به بایت.'),
  taken_down: Type.Boolean(
    described(
      'By the operator: visitors get a notice.',
      'گرداننده آن را از دسترس خارج کرده است و بازدیدکنندگان اطلاعیه می‌بینند.',
    ),
  ),
  created_at: timestamp(),
  updated_at: timestamp(),
}

export const Site = Type.Object(shared)
export type Site = Static<typeof Site>

const Version = Type.Object({
  version: Type.Integer(safeInteger),
  status: Status,
  live: Type.Boolean(),
  preview_url: nullable(Type.String()),
  error: nullable(Problem),
  spa: Type.Boolean(),
  files: Type.Integer(safeInteger),
  bytes: Type.Integer(safeInteger),
  created_at: timestamp(),
  ready_at: nullable(timestamp()),
  published_at: {
    ...nullable(timestamp()),
    ...described('When it last became the live one.', 'آخرین باری که نسخهٔ در دسترس شد.'),
  },
  expires_at: {
    ...nullable(timestamp()),
    ...described('When it is deleted; null: it is kept.', 'زمان حذفش؛ null: نگه داشته می‌شود.'),
  },
})
export type Version = Static<typeof Version>

const Usage = Type.Object(
  {
    day: Type.String({ description: 'In UTC.', 'x-description-fa': 'به وقت UTC.' }),
    requests: Type.Integer(safeInteger),
    bytes: Type.Integer(safeInteger),
    max_requests: Type.Integer(safeInteger),
    max_bytes: Type.Integer(safeInteger),
  },
  described(
    'What visitors have taken today. At a limit they get a page that says so until the day is over.',
    'آنچه بازدیدکنندگان امروز گرفته‌اند. در سقف، تا پایان روز صفحه‌ای می‌بینند که همین را می‌گوید.',
  ),
)

export const SiteDetail = Type.Object({ ...shared, versions: Type.Array(Version), usage: Usage })
export type SiteDetail = Static<typeof SiteDetail>

export const SiteList = plainList.schema(Site)

const SiteFile = Type.Object({
  path: Type.String(),
  media_type: Type.String(),
  sha256: Type.String(described('In hexadecimal digits.', 'با رقم‌های شانزده‌شانزدهی.')),
  bytes: Type.Integer(safeInteger),
})

export const SiteFileList = bareList.schema(SiteFile)

export const DeletedSite = Type.Object({
  object: Type.Literal('site'),
  id: uuid(),
  name: Type.String(),
  status: Type.Literal(
    'deleting',
    described(
      'It is not served any more; its bytes are being deleted.',
      'دیگر در دسترس نیست و بایت‌هایش در حال حذف است.',
    ),
  ),
})

nameSchemas({
  DeletedSite,
  PublishedFile,
  RollbackBody,
  Site,
  SiteBody,
  SiteDetail,
  SiteFile,
  SiteFileList,
  SiteList,
})
