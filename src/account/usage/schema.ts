import { type Static, Type } from 'typebox'
import { Payer, UsageSums } from '#account/accounting'
import {
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  pageLimit,
  patterned,
  storableText,
  uuid,
} from '#platform/schema'

const Day = (en: string, fa: string) =>
  Type.String({ minLength: 1, maxLength: 40, ...described(en, fa), examples: ['2026-11-30'] })

const filters = {
  from: Type.Optional(
    Day(
      'First day, in time_zone; the first of the month by default.',
      'نخستین روز، در `time_zone`؛ پیش‌فرض آغاز ماه است.',
    ),
  ),
  to: Type.Optional(
    Day('Last day, included; today by default.', 'واپسین روز، که خودش هم به حساب می‌آید؛ پیش‌فرض امروز است.'),
  ),
  time_zone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      ...described(
        'A name of the IANA database; the zone of the account by default.',
        'نامی از فهرست IANA؛ پیش‌فرض منطقهٔ زمانی حساب است.',
      ),
    }),
  ),
  interval: Type.Optional({
    ...oneOf('day', 'week', 'month', 'total'),
    ...described(
      'The length of a period. Weeks begin on Saturday; total, the default, is one period.',
      'طول هر دوره. هفته از شنبه آغاز می‌شود؛ `total` که پیش‌فرض است یک دوره است.',
    ),
  }),
  calendar: Type.Optional({
    ...oneOf('jalali', 'gregorian'),
    ...described('Whose months are meant; jalali by default.', 'ماه‌های کدام تقویم؛ پیش‌فرض `jalali` است.'),
  }),
  group_by: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      ...described(
        'One or two of project, model, endpoint, key, person and customer, with a comma between them.',
        'یک یا دو تا از project، model، endpoint، key، person و customer، که با ویرگول از هم جدا شده‌اند.',
      ),
    }),
  ),
  project_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      ...described(
        'A project, or all that the caller may see, which is the default.',
        'یک پروژه، یا `all` یعنی همهٔ آن‌ها که فرستنده می‌بیند، که پیش‌فرض است.',
      ),
    }),
  ),
  model: Type.Optional(storableText(1, 200)),
  endpoint: Type.Optional(storableText(1, 200)),
  key_id: Type.Optional(uuid()),
  person_id: Type.Optional(uuid()),
  customer_id: Type.Optional(storableText(1, 120)),

  order: Type.Optional({
    ...oneOf('time', 'cost'),
    ...described(
      'time, the default: the newest period first, then by name. cost: the dearest row first.',
      'پیش‌فرض `time` است: نخست تازه‌ترین دوره، سپس به ترتیب نام. `cost`: نخست پرهزینه‌ترین ردیف.',
    ),
  }),
}

export const UsageExportQuery = Type.Object(
  {
    ...filters,
    format: oneOf('csv', 'xlsx'),
    language: Type.Optional({
      ...oneOf('fa', 'en'),
      ...described(
        'Of the titles of columns; by default that of the person, or of Accept-Language.',
        'زبان عنوان ستون‌ها؛ پیش‌فرض زبان شخص یا `Accept-Language` است.',
      ),
    }),
  },
  closed,
)
export type UsageExportQuery = Static<typeof UsageExportQuery>

export const AccountUsageQuery = Type.Object(
  {
    ...filters,
    limit: pageLimit(1_000, 1_000),
    after: Type.Optional(
      Type.String({
        maxLength: 4_096,
        ...described('`next_after` of the page before.', 'مقدار `next_after` صفحهٔ پیش.'),
      }),
    ),
  },
  closed,
)
export type AccountUsageQuery = Static<typeof AccountUsageQuery>

const day = () =>
  Type.String(patterned('^\\d{4}-\\d{2}-\\d{2}$', { en: 'must be a day', fa: 'باید یک روز باشد' }))

const Period = { from: day(), to: day() }

const Quantities = Type.Optional(
  Type.Record(Type.String(), Type.Number(), {
    ...described(
      'Usage in other units than tokens, such as seconds; absent if there is none.',
      'مصرف در واحدهای دیگر، مانند ثانیه؛ اگر نباشد نمی‌آید.',
    ),
  }),
)

export const AccountUsage = Type.Object({
  object: Type.Literal('usage'),
  ...Period,
  time_zone: Type.String(),
  interval: oneOf('day', 'week', 'month', 'total'),
  calendar: oneOf('jalali', 'gregorian'),
  totals: Type.Object(
    { ...UsageSums, quantities: Quantities },
    { ...described('Of the whole range, whatever the page.', 'از همهٔ بازه، هر صفحه‌ای که باشد.') },
  ),
  data: Type.Array(
    Type.Object({
      ...Period,
      project_id: Type.Optional(uuid()),
      model: Type.Optional(nullable(Type.String())),
      endpoint: Type.Optional(Type.String()),
      key_id: Type.Optional(uuid()),
      key_name: Type.Optional({
        ...nullable(Type.String()),
        ...described(
          'Null for the key by which a person pays in a session.',
          'برای کلیدی که شخص با آن در نشست می‌پردازد null است.',
        ),
      }),
      person: Type.Optional({
        ...nullable(Payer),
        ...described(
          'Who paid by a session; null for what API keys paid.',
          'کسی که با نشست پرداخته است؛ برای آنچه کلیدها پرداخته‌اند null است.',
        ),
      }),
      customer_id: Type.Optional(nullable(Type.String())),
      ...UsageSums,
      quantities: Quantities,
    }),
    {
      ...described(
        'Periods and groups in which there were calls; each has the members by which it is grouped.',
        'دوره‌ها و گروه‌هایی که در آن‌ها درخواستی بوده است؛ هر یک همان عضوهایی را دارد که بر پایهٔ آن‌ها گروه شده است.',
      ),
    },
  ),
  has_more: Type.Boolean(),
  next_after: nullable(
    Type.String({
      ...described(
        'Where the next page begins: send it as `after`, with the same query.',
        'جایی که صفحهٔ بعد از آن آغاز می‌شود: آن را با همان پرسش در `after` بفرستید.',
      ),
    }),
  ),
})
export type AccountUsage = Static<typeof AccountUsage>

nameSchemas({ AccountUsage })
