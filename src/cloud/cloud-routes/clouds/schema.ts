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
import { packageId } from '../package-id.ts'

export const CloudParams = Type.Object({ id: Type.String() })

export const CloudBody = Type.Object(
  {
    name: storableText(1, 100, described('For people.', 'برای آدم‌ها.')),
    plan: {
      ...oneOf('starter', 'dedicated'),
      ...described(
        '`starter` is free within its limits; `dedicated` has a PostgreSQL of its own and needs a package of the account.',
        'طرح `starter` در سقف‌هایش رایگان است؛ `dedicated` ‏PostgreSQL اختصاصی دارد و بستهٔ حساب می‌خواهد.',
      ),
    },
    package: Type.Optional(
      packageId(
        described(
          'Of `dedicated`: which package of the account, as GET /v1/cloud names it. Absent: the oldest that is free.',
          'برای `dedicated`: کدام بستهٔ حساب، به نامی که GET /v1/cloud می‌دهد. اگر نیاید: قدیمی‌ترین بستهٔ آزاد.',
        ),
      ),
    ),
  },
  { ...closed, examples: [{ name: 'فروشگاه', plan: 'starter' }] },
)
export type CloudBody = Static<typeof CloudBody>

export const CloudListQuery = pageQuery({
  max: 100,
  after: idCursor('Those older than this one.', 'آن‌ها که پیش از این یکی‌اند.'),
})
export type CloudListQuery = Static<typeof CloudListQuery>

const limit = () => Type.Integer(safeInteger)

export const Limits = Type.Object(
  {
    collections: Type.Optional(limit()),
    rows: Type.Optional(limit()),
    row_bytes: Type.Optional(limit()),
    disk_bytes: Type.Optional({
      ...limit(),
      ...described('Of the database on disk.', 'از پایگاه داده روی دیسک.'),
    }),
    awake_hours: Type.Optional({
      ...limit(),
      ...described(
        'Of a month: while the database is used, it is awake.',
        'در ماه: پایگاه داده تا در کار است بیدار است.',
      ),
    }),
    memory_bytes: Type.Optional({
      ...limit(),
      ...described('Of the database while it is awake.', 'از پایگاه داده هنگامی که بیدار است.'),
    }),
    connections: Type.Optional({
      ...limit(),
      ...described('To the database at a time.', 'به پایگاه داده، هم‌زمان.'),
    }),
    users: limit(),
    files: limit(),
    file_bytes: { ...limit(), ...described('Of one file.', 'از یک فایل.') },
    file_total_bytes: limit(),
    functions: limit(),
    secrets: limit(),
    daily_function_calls: limit(),
    daily_egress_bytes: limit(),
    daily_mails: limit(),
  },
  described(
    'Of one app back-end; days and months are those of UTC. Collections and their rows are of Starter, the database is of `dedicated`.',
    'از یک بک‌اند؛ روزها و ماه‌ها به وقت UTC است. مجموعه‌ها و ردیف‌هایشان از Starter است و پایگاه داده از `dedicated`.',
  ),
)
export type Limits = Static<typeof Limits>

const Problem = Type.Object({
  code: Type.String(),
  message: Type.String(described('What to do about it.', 'چارهٔ آن.')),
})

const shared = {
  object: Type.Literal('cloud'),
  id: uuid(),
  name: Type.String(),
  plan: oneOf('starter', 'dedicated'),
  status: {
    ...oneOf('provisioning', 'ready', 'failed', 'suspended', 'deleting'),
    ...described(
      '`failed` can be retried and `error` says why; `suspended` was done by the operator.',
      '`failed` را می‌توان دوباره آزمود و `error` علت را می‌گوید؛ `suspended` کار گرداننده است.',
    ),
  },
  error: nullable(Problem),
  package: {
    ...nullable(Type.String()),
    ...described('Of a dedicated one.', 'برای بک‌اند اختصاصی.'),
  },
  suspended_reason: {
    ...nullable(Type.String()),
    ...described('Of the operator.', 'به گفتهٔ گرداننده.'),
  },
  ref: Type.String(described('The first label of its host.', 'نخستین بخش نام میزبان آن.')),
  cloud_url: Type.String(described('Where apps call it.', 'نشانی‌ای که برنامه‌ها صدا می‌زنند.')),
  limits: Limits,
  created_at: timestamp(),
  updated_at: timestamp(),
}

export const Cloud = Type.Object(shared)
export type Cloud = Static<typeof Cloud>

export const Package = Type.Object({
  plan: oneOf('starter', 'dedicated'),
  package: {
    ...nullable(Type.String()),
    ...described('What `package` of a creation names.', 'آنچه `package` هنگام ساختن نام می‌برد.'),
  },
  name: Type.String(),
  available: Type.Boolean(
    described(
      'Starter: it is offered here. Dedicated: the account has one that is free and paid.',
      'Starter: اینجا ارائه می‌شود. اختصاصی: حساب بسته‌ای آزاد و پرداخت‌شده دارد.',
    ),
  ),
  free: {
    ...nullable(limit()),
    ...described(
      'Packages of the account that no app back-end uses.',
      'بسته‌های حساب که در کار هیچ بک‌اندی نیست.',
    ),
  },
  credits: { ...limit(), ...described('It is free.', 'رایگان است.') },
  per_project: {
    ...nullable(limit()),
    ...described('Starter app back-ends of one project.', 'شمار بک‌اندهای Starter هر پروژه.'),
  },
  limits: Limits,
  note: Type.String(),
})

export type Package = Static<typeof Package>

export const CloudList = Type.Object({
  ...plainList.schema(Cloud).properties,
  packages: Type.Array(Package, described('What can be created here.', 'آنچه اینجا می‌توان ساخت.')),
})

const used = (en?: string, fa?: string) =>
  Type.Object({ used: limit(), max: limit() }, en === undefined || fa === undefined ? {} : described(en, fa))

const counted = (en: string, fa: string) => Type.Object({ used: limit() }, described(en, fa))

const Usage = Type.Object(
  {
    day: Type.String(described('In UTC.', 'به وقت UTC.')),
    collections: Type.Optional(used()),
    rows: Type.Optional(
      Type.Object(
        { used: limit(), max: Type.Optional(limit()) },
        described(
          'Of a dedicated one about as many as its tables hold, without a limit; absent until that was measured.',
          'برای بک‌اند اختصاصی تقریباً به شمار ردیف‌های جدول‌ها و بی‌سقف؛ تا نخستین سنجش نمی‌آید.',
        ),
      ),
    ),
    row_bytes: Type.Optional(used()),
    disk_bytes: Type.Optional(used('Of its database, as last measured.', 'از پایگاه داده، به آخرین سنجش.')),
    awake_hours: Type.Optional(used('Of this month, rounded up.', 'از این ماه، گردشده رو به بالا.')),
    users: used(),
    files: used(),
    file_total_bytes: used(),
    functions: used(),
    secrets: used(),
    daily_function_calls: used(),
    daily_egress_bytes: used(),
    daily_mails: used(),
    sites: counted('Sites count for the project.', 'سایت‌ها در سقف پروژه شمرده می‌شوند.'),
  },
  described('At a limit calls are refused with a clear error.', 'در سقف، درخواست‌ها با خطایی روشن رد می‌شوند.'),
)
export type Usage = Static<typeof Usage>

export const CloudDetail = Type.Object({
  ...shared,
  read_only: {
    ...nullable(oneOf('disk', 'unpaid')),
    ...described(
      'Its app only reads: the disk of its package is full (`disk`), or the package is no longer paid for (`unpaid`).',
      'برنامه فقط می‌خواند: دیسک بسته پر است (`disk`) یا پرداخت بسته به پایان رسیده است (`unpaid`).',
    ),
  },
  paid_until: {
    ...nullable(timestamp()),
    ...described('The package of a dedicated one.', 'بستهٔ بک‌اند اختصاصی.'),
  },
  move: {
    ...nullable(oneOf('moving', 'failed')),
    ...described(
      'On its way to a database of its own: `moving`; `failed`: it goes on as before, and POST /v1/cloud/{id}/move tries again.',
      'در راه پایگاه دادهٔ اختصاصی: `moving`؛ `failed`: همان‌گونه که بود می‌ماند و POST /v1/cloud/{id}/move دوباره می‌کوشد.',
    ),
  },
  usage: Usage,
})
export type CloudDetail = Static<typeof CloudDetail>

export const DeleteBody = Type.Object(
  { confirm: Type.String(described('Exactly the name of the app back-end.', 'دقیقاً نام بک‌اند.')) },
  { ...closed, examples: [{ confirm: 'فروشگاه' }] },
)
export type DeleteBody = Static<typeof DeleteBody>

export const DeletedCloud = Type.Object({
  object: Type.Literal('cloud'),
  id: uuid(),
  name: Type.String(),
  status: Type.Literal(
    'deleting',
    described(
      'Its app gets no answers any more; what is in it is being deleted, and then it is not found.',
      'دیگر به برنامه پاسخ نمی‌دهد؛ محتوایش در حال حذف است و پس از آن یافت نمی‌شود.',
    ),
  ),
})

export const CloudConnection = Type.Object({
  object: Type.Literal('cloud.connection'),
  id: uuid(),
  ref: Type.String(),
  service_url: Type.String(
    described(
      'What an app calls; the URL that supabase-js is given.',
      'آنچه برنامه صدا می‌زند؛ نشانی‌ای که به supabase-js داده می‌شود.',
    ),
  ),
  public_key: {
    ...nullable(Type.String()),
    ...described(
      'May stand in an app. It opens nothing that is not public. Null where it was deleted.',
      'می‌تواند در برنامه بیاید و چیزی جز آنچه عمومی است باز نمی‌کند. اگر حذف شده باشد null.',
    ),
  },
  auth_url: Type.String(),
  rest_url: Type.String(),
  storage_url: Type.String(),
  functions_url: Type.String(),
  files_url: Type.String(),
})
export type CloudConnection = Static<typeof CloudConnection>

const maxGraceSeconds = 7 * 24 * 60 * 60

export const KeyBody = Type.Object(
  {
    kind: {
      ...oneOf('public', 'service', 'signing'),
      ...described(
        '`service` may do everything and is for servers only; `signing` signs the sessions of app users and is never shown.',
        '`service` هر کاری می‌تواند و فقط برای سرورهاست؛ `signing` نشست‌های کاربران برنامه را امضا می‌کند و هرگز نشان داده نمی‌شود.',
      ),
    },
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxGraceSeconds,
        ...described(
          'How long the keys of this kind that there are already stay valid, at most seven days; 0 ends them at once. Default: 0, for `signing` 3600, until its sessions are over.',
          'کلیدهای کنونی از این نوع تا چند ثانیه معتبر می‌مانند، حداکثر هفت روز؛ صفر یعنی همین دم پایان می‌یابند. پیش‌فرض: ۰، و برای `signing` برابر ۳٬۶۰۰ تا پایان نشست‌هایش.',
        ),
      }),
    ),
  },
  { ...closed, examples: [{ kind: 'service' }] },
)
export type KeyBody = Static<typeof KeyBody>

export const KeyParams = Type.Object({ id: Type.String(), keyId: Type.String() })

const sharedKey = {
  object: Type.Literal('cloud.key'),
  id: uuid(),
  kind: oneOf('public', 'service', 'signing'),
  created_at: timestamp(),
  expires_at: {
    ...nullable(timestamp()),
    ...described(
      'After a rotation; null: it does not end by itself.',
      'پس از تعویض؛ null: به‌خودی‌خود پایان نمی‌یابد.',
    ),
  },
}

export const Key = Type.Object(sharedKey)
export type Key = Static<typeof Key>

export const NewKey = Type.Object({
  ...sharedKey,
  secret: {
    ...nullable(Type.String()),
    ...described(
      'Shown only here; null for `signing`.',
      'فقط اینجا نشان داده می‌شود؛ برای `signing` برابر null.',
    ),
  },
})

export const KeyList = bareList.schema(Key)

export const DeletedKey = Type.Object({
  object: Type.Literal('cloud.key'),
  id: uuid(),
  deleted: Type.Literal(true),
})

nameSchemas({
  Cloud,
  CloudBody,
  CloudConnection: CloudConnection,
  CloudDetail,
  CloudKey: Key,
  CloudKeyBody: KeyBody,
  CloudKeyList: KeyList,
  CloudLimits: Limits,
  CloudList,
  CloudPackage: Package,
  CloudUsage: Usage,
  DeletedCloud,
  DeletedCloudKey: DeletedKey,
  NewCloudKey: NewKey,
})
