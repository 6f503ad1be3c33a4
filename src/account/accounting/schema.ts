import { Type } from 'typebox'
import { bareList } from '#platform/lists'
import {
  anyObject,
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  pageLimit,
  patterned,
  safeInteger,
  timestamp,
  uuid,
} from '#platform/schema'
import { Charge } from './charge-schema.ts'

const integer = () => Type.Integer(safeInteger)

/** Contract section 2, Balance; the fields after `shared_balance` are beyond it. */
export const Balance = Type.Object({
  balance_credits: integer(),
  plan: Type.String(),
  currency: Type.Literal('service_credits'),
  shared_balance: Type.Literal(true),
  reserved_credits: Type.Integer({
    ...safeInteger,
    description: 'Held for calls that are under way; not part of balance_credits.',
    'x-description-fa': 'کنارگذاشته برای درخواست‌های در حال اجرا؛ جزو `balance_credits` نیست.',
  }),
  balance_microcredits: Type.String({
    description: 'The exact figure behind balance_credits; 1 credit = 1,000,000.',
    'x-description-fa': 'عدد دقیق پشت `balance_credits`؛ هر اعتبار ۱٬۰۰۰٬۰۰۰ است.',
  }),
  reserved_microcredits: Type.String(),
  budgets: Type.Array(
    Type.Object({
      scope: oneOf('account', 'project', 'key'),
      period: oneOf('total', 'month'),
      cap_credits: integer(),
      spent_credits: {
        ...nullable(integer()),
        ...described(
          'Null for the account where a member is limited to projects.',
          'برای حساب `null` است، اگر عضو به پروژه‌هایی محدود باشد.',
        ),
      },
      reserved_credits: {
        ...nullable(integer()),
        ...described('Null where `spent_credits` is.', 'هرجا `spent_credits` برابر `null` باشد، `null` است.'),
      },
    }),
    {
      description: 'The caps that bind this key.',
      'x-description-fa': 'سقف‌هایی که این کلید را محدود می‌کنند.',
    },
  ),
})

export const Tokens = Type.Object({
  input: integer(),
  cached_input: integer(),
  output: integer(),
  reasoning: integer(),
})

/** A person whose session paid. */
export const Payer = Type.Object({ id: uuid(), name: Type.String() })

const payer = Type.Optional({
  ...Payer,
  description: 'The person whose session paid; absent where a key did.',
  'x-description-fa': 'کسی که با نشست خود پرداخته است؛ اگر کلیدی پرداخته باشد نمی‌آید.',
})

/** Contract section 2, Request receipt; the fields after `pending` are beyond it. */
export const Receipt = Type.Object({
  id: uuid(),
  idempotency_key: Type.String({
    description: 'Empty when the request had none.',
    'x-description-fa': 'خالی، اگر درخواست کلید نداشته است.',
  }),
  endpoint: Type.String(),
  state: oneOf('running', 'completed', 'failed'),
  status_code: nullable(Type.Integer()),
  credits: Type.Integer({
    ...safeInteger,
    description: 'Charged, rounded up.',
    'x-description-fa': 'هزینهٔ کم‌شده، گردشده رو به بالا.',
  }),
  pending: Type.Boolean({
    description: 'True until the charge is settled.',
    'x-description-fa': 'تا وقتی هزینه تسویه نشده، درست است.',
  }),
  microcredits: Type.String({ description: 'The exact charge.', 'x-description-fa': 'هزینهٔ دقیق.' }),
  reserved_microcredits: Type.String({
    description: 'What was held at the start.',
    'x-description-fa': 'آنچه در آغاز کنار گذاشته شد.',
  }),
  ambiguous: Type.Boolean({
    description:
      'The end of the call was never seen (a crash); its hold was charged and the call is never repeated.',
    'x-description-fa':
      'پایان درخواست دیده نشد (خاموشی ناگهانی)؛ آنچه کنار گذاشته شده بود حساب شد و درخواست هرگز تکرار نمی‌شود.',
  }),
  model: nullable(Type.String()),
  customer_id: nullable(Type.String()),
  reference_id: nullable(Type.String()),
  person: payer,
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
})

/** How the key of a request is called. */
export const NamedKey = {
  key_name: {
    ...nullable(Type.String()),
    ...described(
      'The name of the key; null for the key by which a person pays in a session.',
      'نام کلید؛ برای کلیدی که شخص با آن در نشست می‌پردازد null است.',
    ),
  },
  management_key: Type.Boolean(
    described('Whether it is a management key.', 'آیا این کلید، کلید مدیریتی است.'),
  ),
}

/** A receipt with its explanation. */
export const RequestReport = Type.Object({
  object: Type.Literal('request'),
  ...Receipt.properties,
  project_id: uuid(),
  key_id: uuid(),
  ...NamedKey,
  charge: {
    ...nullable(Charge),
    ...described(
      'How the charge was computed; null until it is settled, and on receipts of earlier releases.',
      'هزینه چگونه حساب شد؛ تا پیش از تسویه، و در رسیدهای نسخه‌های پیشین، `null` است.',
    ),
  },
  details: nullable(
    anyObject({
      description: 'Attempts, tokens by kind, timings; never prompt or answer text.',
      'x-description-fa': 'تلاش‌ها، توکن‌ها به تفکیک نوع، و زمان‌ها؛ هرگز متن پرسش یا پاسخ.',
    }),
  ),
})

export const LookupQuery = Type.Object(
  {
    idempotency_key: Type.String(
      patterned('^[A-Za-z0-9._:-]{1,128}$', {
        en: 'must have 1 to 128 characters of A–Z, a–z, 0–9 and . _ : -',
        fa: 'باید ۱ تا ۱۲۸ کاراکتر از A–Z، a–z، 0–9 و . _ : - داشته باشد',
      }),
    ),
  },
  closed,
)
export const Lookup = bareList.schema(Receipt, { maxItems: 1 })
export const RequestParams = Type.Object({ id: Type.String() })

/** The sums of several calls. */
export const UsageSums = {
  requests: integer(),
  failures: integer(),
  credits: integer(),
  microcredits: Type.String(),
  tokens: Tokens,
}

export const UsageQuery = Type.Object(
  {
    group_by: Type.Optional({
      ...oneOf('reference'),
      description: 'Rows by reference too; otherwise by day, model, endpoint, key and customer.',
      'x-description-fa': 'ردیف‌ها به تفکیک مرجع هم؛ وگرنه بر پایهٔ روز، مدل، مسیر، کلید و مشتری.',
    }),
    limit: pageLimit(1_000, 1_000),
    after: Type.Optional(
      Type.String({
        maxLength: 4_096,
        description: '`next_after` of the page before.',
        'x-description-fa': 'مقدار `next_after` صفحهٔ پیش.',
      }),
    ),
  },
  closed,
)

export const UsageReport = Type.Object({
  object: Type.Literal('usage'),
  from: Type.String({
    description: 'First day, Asia/Tehran.',
    'x-description-fa': 'نخستین روز، به وقت تهران.',
  }),
  to: Type.String(),
  time_zone: Type.Literal('Asia/Tehran'),
  totals: Type.Object(UsageSums, {
    description: 'Of all 30 days, whatever the page.',
    'x-description-fa': 'از همهٔ ۳۰ روز، هر صفحه‌ای که باشد.',
  }),
  data: Type.Array(
    Type.Object({
      day: Type.String(),
      key_id: uuid(),
      endpoint: Type.String(),
      model: nullable(Type.String()),
      customer_id: nullable(Type.String()),
      reference_id: Type.Optional({
        ...nullable(Type.String()),
        description: 'Only with group_by=reference.',
        'x-description-fa': 'فقط با `group_by=reference`.',
      }),
      person: payer,
      ...UsageSums,
    }),
    {
      description: 'The newest day first; within a day by key, endpoint, model and customer.',
      'x-description-fa': 'نخست تازه‌ترین روز؛ درون هر روز به ترتیب کلید، مسیر، مدل و مشتری.',
    },
  ),
  has_more: Type.Boolean(),
  next_after: nullable(
    Type.String({
      description: 'Where the next page begins: send it as `after`.',
      'x-description-fa': 'جایی که صفحهٔ بعد از آن آغاز می‌شود: آن را در `after` بفرستید.',
    }),
  ),
})

nameSchemas({ Balance, Charge, Receipt, ReceiptList: Lookup, RequestReport, UsageReport })
