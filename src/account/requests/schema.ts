import { type Static, Type } from 'typebox'
import { NamedKey, Receipt, Tokens } from '#account/accounting'
import {
  anyObject,
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  pageLimit,
  patterned,
  uuid,
} from '#platform/schema'

const moment = (en: string, fa: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      ...patterned(
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$',
        {
          en: 'must be a day, such as 2026-11-30, or a moment with its zone, such as 2026-11-30T08:00:00Z',
          fa: 'باید روزی مانند 2026-11-30 یا لحظه‌ای با منطقهٔ زمانی مانند 2026-11-30T08:00:00Z باشد',
        },
      ),
      ...described(en, fa),
      examples: ['2026-11-30'],
    }),
  )

const text = (maxLength: number, en: string, fa: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength,
      ...patterned('^[^\\u0000]*$', { en: 'must be a text without NUL', fa: 'باید متنی بی NUL باشد' }),
      ...described(en, fa),
    }),
  )

const id = (en: string, fa: string) => Type.Optional({ ...uuid(en), 'x-description-fa': fa })

/** Micro-credits as a whole number in digits: 19 of them hold every charge. */
const amount = (en: string, fa: string) =>
  Type.Optional(
    Type.String({
      ...patterned('^[0-9]{1,18}$', {
        en: 'must be a whole number of micro-credits, such as 1500000',
        fa: 'باید عدد صحیحی از میکرواعتبار باشد، مانند 1500000',
      }),
      ...described(en, fa),
    }),
  )

/** What selects requests, in the list and in its export. */
const filters = {
  project_id: Type.Optional(
    Type.String({
      ...patterned('^(all|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$', {
        en: 'must be all, or the id of a project',
        fa: 'باید all یا شناسهٔ یک پروژه باشد',
      }),
      ...described(
        'A project, or `all` that the caller may see; default: the project of the key, or of X-Kherad-Project.',
        'یک پروژه، یا `all` برای همهٔ پروژه‌هایی که می‌بینید؛ پیش‌فرض: پروژهٔ کلید، یا پروژهٔ X-Kherad-Project.',
      ),
    }),
  ),
  from: moment(
    'Calls that began on this day or later, or at this moment or later.',
    'درخواست‌هایی که در این روز یا لحظه، یا پس از آن، آغاز شده‌اند.',
  ),
  to: moment(
    'Calls that began on this day or earlier, or before this moment.',
    'درخواست‌هایی که در این روز یا پیش از آن، یا پیش از این لحظه، آغاز شده‌اند.',
  ),
  time_zone: text(
    64,
    'Where the days of `from` and `to` begin; default: the time zone of the account.',
    'جایی که روزهای `from` و `to` در آن آغاز می‌شوند؛ پیش‌فرض: منطقهٔ زمانی حساب.',
  ),
  model: text(200, 'The model that answered.', 'مدلی که پاسخ داد.'),
  key_id: id('The key that paid.', 'کلیدی که پرداخته است.'),
  person_id: id('The person whose session paid.', 'کسی که با نشست خود پرداخته است.'),
  customer_id: text(120, 'What X-Customer-ID said.', 'مقدار X-Customer-ID.'),
  reference_id: text(120, 'What X-Reference-ID said.', 'مقدار X-Reference-ID.'),
  endpoint: text(
    200,
    'The path that was called, as receipts name it.',
    'مسیری که صدا زده شد، همان‌گونه که رسیدها می‌نویسند.',
  ),
  state: Type.Optional(oneOf('running', 'completed', 'failed')),
  status_code: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 599,
      ...described('The HTTP status of the answer.', 'کد وضعیت HTTP پاسخ.'),
    }),
  ),
  min_microcredits: amount('Charged at least this.', 'هزینه دست‌کم این اندازه.'),
  max_microcredits: amount('Charged at most this.', 'هزینه حداکثر این اندازه.'),
  idempotency_key: text(
    128,
    'The idempotency key of the request, whichever key sent it.',
    'کلید تکرارناپذیری درخواست، هر کلیدی که آن را فرستاده باشد.',
  ),
}

const cursor = (en: string, fa: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 512, ...described(en, fa) }))

export const RequestsQuery = Type.Object(
  {
    ...filters,
    limit: pageLimit(100, 50),
    after: cursor(
      '`next_after` of the page before: the calls that began before its last.',
      'مقدار `next_after` صفحهٔ پیش: درخواست‌هایی که پیش از آخرین مورد آن آغاز شده‌اند.',
    ),
    since: cursor(
      '`next_since` of an answer before: the calls whose end was written later, in the order of writing.',
      'مقدار `next_since` یکی از پاسخ‌های پیش: درخواست‌هایی که پایانشان پس از آن نوشته شده است، به ترتیب نوشته‌شدن.',
    ),
  },
  closed,
)
export type RequestsQuery = Static<typeof RequestsQuery>
export type RequestFilters = Omit<RequestsQuery, 'limit' | 'after' | 'since'>

export const RequestsExportQuery = Type.Object(
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
export type RequestsExportQuery = Static<typeof RequestsExportQuery>

export const RequestRow = Type.Object({
  ...Receipt.properties,
  project_id: uuid(),
  key_id: uuid(),
  ...NamedKey,
  tokens: nullable(Tokens),
  quantities: {
    ...nullable(anyObject()),
    ...described('Usage in other units than tokens.', 'مصرف در واحدهایی جز توکن.'),
  },
  attempts: nullable(
    Type.Integer({ minimum: 0, ...described('How many attempts the call took.', 'شمار تلاش‌های درخواست.') }),
  ),
  failed_attempts: nullable(
    Type.Integer({
      minimum: 0,
      ...described('How many of the attempts failed.', 'شمار تلاش‌هایی از میان آن‌ها که ناموفق بود.'),
    }),
  ),
  steps: nullable(
    Type.Integer({
      minimum: 0,
      ...described(
        'How many steps the work, the voice call or the answer with hosted tools had; each step has attempts of its own.',
        'شمار گام‌های کار، تماس صوتی یا پاسخ با ابزارهای سرور؛ هر گام تلاش‌های خودش را دارد.',
      ),
    }),
  ),
})
export type RequestRow = Static<typeof RequestRow>

export const RequestList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    RequestRow,
    described(
      'The newest call first; with `since` the one that ended first.',
      'نخست تازه‌ترین درخواست؛ با `since` نخست آن که زودتر پایان یافته است.',
    ),
  ),
  has_more: Type.Boolean(),
  next_after: nullable(
    Type.String(described('Where the next page begins.', 'جایی که صفحهٔ بعد از آن آغاز می‌شود.')),
  ),
  next_since: Type.String(
    described(
      'Send it as `since` later: nothing that ends after this answer is passed over.',
      'بعداً آن را در `since` بفرستید: از آنچه پس از این پاسخ پایان یابد چیزی جا نمی‌ماند.',
    ),
  ),
})
export type RequestList = Static<typeof RequestList>

nameSchemas({ RequestRow, RequestList })
