import { type Static, type TSchema, Type } from 'typebox'
import { maxOrigins } from '#platform/auth'
import { bareList, idCursor, pageQuery, plainList } from '#platform/lists'
import {
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  patterned,
  safeInteger,
  timestamp,
  uuid,
} from '#platform/schema'

/** A name that people see: no blanks alone, no control characters. */
export const Name = (en: string, fa: string) =>
  Type.String({
    minLength: 1,
    maxLength: 120,
    ...patterned('^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$', {
      en: 'must have 1 to 120 characters, not blanks alone, in one line',
      fa: 'باید ۱ تا ۱۲۰ کاراکتر در یک خط داشته باشد و تنها فاصله نباشد',
    }),
    ...described(en, fa),
  })

/** 10^12 credits, as for balances. */
const maxCredits = 1_000_000_000_000
const maxCount = 1_000_000

/** What may be spent and how fast; null lifts a limit. */
const totalCap = () =>
  nullable(
    Type.Integer({
      minimum: 0,
      maximum: maxCredits,
      ...described(
        'The most that may ever be spent, in credits; null: no cap.',
        'بیشترین خرج در کل، به اعتبار؛ null یعنی بی‌سقف.',
      ),
    }),
  )
const monthCap = () =>
  nullable(
    Type.Integer({
      minimum: 0,
      maximum: maxCredits,
      ...described(
        'The most that may be spent in a month (Asia/Tehran), in credits; null: no cap.',
        'بیشترین خرج در یک ماه (به وقت تهران)، به اعتبار؛ null یعنی بی‌سقف.',
      ),
    }),
  )
const count = (en: string, fa: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: maxCount, ...described(en, fa) }))
const rate = () =>
  count('The most paid calls begun in any 60 seconds.', 'بیشترین درخواست پولی در هر ۶۰ ثانیه.')
const concurrency = () => count('The most paid calls under way at once.', 'بیشترین درخواست پولی هم‌زمان.')

const caps = { cap_credits: totalCap(), month_cap_credits: monthCap() }
const limits = { ...caps, rate_per_minute: rate(), concurrency: concurrency() }

type Optional<Members extends Record<string, TSchema>> = {
  [Name in keyof Members]: ReturnType<typeof Type.Optional<Members[Name]>>
}
const optional = <Members extends Record<string, TSchema>>(members: Members): Optional<Members> =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as Optional<Members>

const KeepDays = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 36_500,
    ...described(
      'Days for which results of its calls are kept; null: the setting above.',
      'روزهای نگهداری نتیجهٔ درخواست‌ها؛ null یعنی تنظیم بالاتر.',
    ),
  }),
)

const settings = {
  ...limits,
  models: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      ...described(
        'The models that it may use, by id or alias; null: all.',
        'مدل‌هایی که کلید می‌تواند به کار ببرد؛ null یعنی همه.',
      ),
    }),
  ),
  origins: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      minItems: 1,
      maxItems: maxOrigins,
      ...described(
        'Origins of pages that may use it from a browser; null: none.',
        'صفحه‌هایی که می‌توانند از مرورگر با این کلید بپرسند؛ null یعنی هیچ.',
      ),
    }),
  ),
  expires_at: nullable(
    Type.String({
      maxLength: 40,
      ...described('When it ends, in RFC 3339; null: never.', 'زمان پایان، به شکل RFC 3339؛ null یعنی هرگز.'),
    }),
  ),
  keep_days: KeepDays,
  responses_max_output_tokens: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 32_768,
      ...described(
        'The output limit of a Responses call that names none; null: the server’s.',
        'حد خروجی درخواست Responses که حدی نمی‌گوید؛ null یعنی حد سرور.',
      ),
    }),
  ),
}

const ScopeName = Type.String({ minLength: 1, maxLength: 60 })
const ScopeList = Type.Array(ScopeName, {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  ...described(
    'What the key may do; never more than the role of whoever makes it.',
    'آنچه کلید می‌تواند بکند؛ هرگز بیش از نقش سازنده‌اش.',
  ),
})

const KeyName = Name('What people call it.', 'نامی که آدم‌ها آن را با آن می‌شناسند.')

export const KeyBody = Type.Object(
  { name: KeyName, scopes: ScopeList, ...optional(settings) },
  { ...closed, examples: [{ name: 'production', scopes: ['models:read', 'responses:write'] }] },
)
export type KeyBody = Static<typeof KeyBody>

export const KeyPatch = Type.Object(
  { name: Type.Optional(KeyName), scopes: Type.Optional(ScopeList), ...optional(settings) },
  { ...closed, examples: [{ month_cap_credits: 500 }] },
)
export type KeyPatch = Static<typeof KeyPatch>

export const IdParams = Type.Object({ id: uuid() })

const spent = {
  spent_credits: Type.Integer({
    ...safeInteger,
    ...described('Spent in all, rounded up.', 'خرج کل، گردشده رو به بالا.'),
  }),
  month_spent_credits: Type.Integer({
    ...safeInteger,
    ...described(
      'Spent this month (Asia/Tehran), rounded up.',
      'خرج این ماه (به وقت تهران)، گردشده رو به بالا.',
    ),
  }),
}

/** What an account has spent; a member limited to projects does not see it. */
const spentOfAccount = {
  spent_credits: {
    ...nullable(Type.Integer(safeInteger)),
    ...described(
      'Spent in all, rounded up; null for a member limited to projects.',
      'خرج کل، گردشده رو به بالا؛ برای عضوی که به پروژه‌هایی محدود است `null`.',
    ),
  },
  month_spent_credits: {
    ...nullable(Type.Integer(safeInteger)),
    ...described(
      'Spent this month (Asia/Tehran), rounded up; null for a member limited to projects.',
      'خرج این ماه (به وقت تهران)، گردشده رو به بالا؛ برای عضوی که به پروژه‌هایی محدود است `null`.',
    ),
  },
}

export const ApiKey = Type.Object({
  id: uuid(),
  project_id: uuid(),
  name: Type.String(),
  hint: Type.String(described('The last four characters of its secret.', 'چهار کاراکتر پایانی رمز کلید.')),
  state: oneOf('active', 'expired', 'revoked'),
  scopes: Type.Array(Type.String()),
  ...settings,
  ...spent,
  made_by: nullable(
    Type.Object(
      {
        person_id: uuid(),
        display_name: Type.String(),
        is_member: Type.Boolean(
          described(
            'False once the person has left the account.',
            'وقتی آن شخص از حساب رفته باشد false است.',
          ),
        ),
      },
      described(
        'Who made it; null: the operator, or a management key.',
        'سازندهٔ کلید؛ null یعنی گرداننده یا یک کلید مدیریتی.',
      ),
    ),
  ),
  made_by_management_key: nullable(
    Type.Object(
      { id: uuid(), name: Type.String() },
      described('The management key that made it.', 'کلید مدیریتی‌ای که آن را ساخته است.'),
    ),
  ),
  last_used_on: nullable(
    Type.String(
      described(
        'The day (Asia/Tehran) of its last paid call in the last 35 days; null: none.',
        'روز آخرین درخواست پولی در ۳۵ روز گذشته، به وقت تهران؛ null یعنی هیچ.',
      ),
    ),
  ),
  revoked_at: nullable(timestamp()),
  created_at: timestamp(),
})
export type ApiKey = Static<typeof ApiKey>

export const KeyWithSecret = Type.Object({
  ...ApiKey.properties,
  secret: Type.String(
    described('The key itself; shown only this once.', 'خود کلید؛ فقط همین یک بار نشان داده می‌شود.'),
  ),
})

export const KeyQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Keys made before this one; the next page begins after the last of this.',
      'کلیدهای پیش از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  {
    project_id: Type.Optional(uuid()),
    made_by: Type.Optional(
      Type.String({
        maxLength: 36,
        ...patterned('^(left|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$', {
          en: 'must be the id of a person, or left',
          fa: 'باید شناسهٔ یک شخص باشد، یا left',
        }),
        ...described(
          'Keys that this person made; left: those of people who have left the account.',
          'کلیدهایی که این شخص ساخته است؛ left یعنی کلیدهای کسانی که از حساب رفته‌اند.',
        ),
      }),
    ),
    state: Type.Optional(oneOf('active', 'ended')),
  },
)
export type KeyQuery = Static<typeof KeyQuery>

export const KeyList = plainList.schema(ApiKey)

const ProjectName = Name('What people call it.', 'نامی که آدم‌ها آن را با آن می‌شناسند.')
export const ProjectBody = Type.Object(
  { name: ProjectName, ...optional(limits), keep_days: Type.Optional(KeepDays) },
  { ...closed, examples: [{ name: 'shop' }] },
)
export type ProjectBody = Static<typeof ProjectBody>

export const ProjectPatch = Type.Object(
  { name: Type.Optional(ProjectName), ...optional(limits), keep_days: Type.Optional(KeepDays) },
  { ...closed, examples: [{ month_cap_credits: 1_000 }] },
)
export type ProjectPatch = Static<typeof ProjectPatch>

export const Project = Type.Object({
  id: uuid(),
  name: Type.String(),
  ...limits,
  keep_days: KeepDays,
  ...spent,
  created_at: timestamp(),
})
export type Project = Static<typeof Project>
export const ProjectList = bareList.schema(Project)

export const Account = Type.Object({
  id: uuid(),
  name: Type.String(),
  plan: Type.String(),
  state: oneOf('active', 'suspended', 'closing', 'closed'),
  time_zone: Type.String(
    described(
      'The zone in which days and months of usage are counted, unless a query names another.',
      'منطقه‌ای زمانی که روزها و ماه‌های مصرف در آن شمرده می‌شوند، مگر درخواستی نام دیگری بدهد.',
    ),
  ),
  balance_credits: Type.Integer(safeInteger),
  reserved_credits: Type.Integer({
    ...safeInteger,
    ...described(
      'Held for calls that are under way; no part of balance_credits.',
      'کنارگذاشته برای درخواست‌های در حال اجرا؛ جزو `balance_credits` نیست.',
    ),
  }),
  balance_microcredits: Type.String(),
  reserved_microcredits: Type.String(),
  ...limits,
  ...spentOfAccount,
  thresholds_percent: Type.Array(Type.Integer(), {
    ...described(
      'Percentages of a cap at which events and mails are sent, ascending.',
      'درصدهایی از سقف که در آن‌ها رویداد و نامه فرستاده می‌شود، از کم به زیاد.',
    ),
  }),
  has_own_thresholds: Type.Boolean(
    described(
      'Whether the account has thresholds of its own; otherwise they are those of the installation.',
      'آیا حساب آستانه‌های خودش را دارد؛ اگر نه، آستانه‌ها همان آستانه‌های سرورند.',
    ),
  ),
  created_at: timestamp(),
})
export type Account = Static<typeof Account>

export const AccountPatch = Type.Object(
  {
    name: Type.Optional(Name('What people call the account.', 'نامی که حساب را با آن می‌شناسند.')),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        ...described('A name of the IANA database.', 'نامی از فهرست IANA.'),
      }),
    ),
  },
  { ...closed, examples: [{ name: 'Acme' }] },
)
export type AccountPatch = Static<typeof AccountPatch>

const Thresholds = nullable(
  Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
    minItems: 1,
    maxItems: 10,
    uniqueItems: true,
    ...described(
      'Percentages of every cap of the account, its projects, keys and members at which events and mails are sent; null: those of the installation.',
      'درصدهایی از هر سقف حساب، پروژه‌ها، کلیدها و اعضا که در آن‌ها رویداد و نامه فرستاده می‌شود؛ null یعنی آستانه‌های سرور.',
    ),
  }),
)

export const AccountCaps = Type.Object(
  { ...optional(caps), thresholds_percent: Type.Optional(Thresholds) },
  { ...closed, examples: [{ month_cap_credits: 10_000, thresholds_percent: [50, 90] }] },
)
export type AccountCaps = Static<typeof AccountCaps>

nameSchemas({
  Account,
  AccountCaps,
  AccountPatch,
  ApiKey,
  ApiKeyBody: KeyBody,
  ApiKeyList: KeyList,
  ApiKeyPatch: KeyPatch,
  ApiKeyWithSecret: KeyWithSecret,
  Project,
  ProjectBody,
  ProjectList,
  ProjectPatch,
})
