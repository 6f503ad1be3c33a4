import { type Static, Type } from 'typebox'
import { bareList } from '#platform/lists'
import {
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  patterned,
  safeInteger,
  storableText,
  timestamp,
  uuid,
} from '#platform/schema'

export const FunctionParams = Type.Object({ id: Type.String(), name: Type.String() })

const functionName = {
  ...patterned('^[A-Za-z][A-Za-z0-9_-]{0,63}$', {
    en: 'has to be 1 to 64 of a–z, A–Z, 0–9, _ and -, beginning with a letter',
    fa: 'باید ۱ تا ۶۴ کاراکتر از حرف‌های لاتین، رقم‌ها، _ و - باشد و با حرف آغاز شود',
  }),
  ...described('The last part of its address.', 'بخش آخر نشانی آن.'),
}

const maxCodeCharacters = 128_000
/** Every character of the code may be escaped, and half of a surrogate pair takes six bytes. */
export const deployBytes = 12 * maxCodeCharacters + 16_000

export const FunctionBody = Type.Object(
  {
    name: Type.String(functionName),
    code: storableText(
      1,
      maxCodeCharacters,
      described(
        'JavaScript, on dedicated infrastructure TypeScript too: `export default { fetch(request) { … } }` or `Deno.serve((request) => …)`. It may import @supabase/supabase-js, zod and hono.',
        'جاوااسکریپت، در بک‌اند اختصاصی TypeScript هم: `export default { fetch(request) { … } }` یا `Deno.serve((request) => …)`. می‌تواند `@supabase/supabase-js` و `zod` و `hono` را import کند.',
      ),
    ),
    verify_jwt: Type.Optional(
      Type.Boolean({
        default: true,
        ...described(
          'Only signed-in app users and the service key may call it. False: everybody may.',
          'فقط کاربران واردشده و کلید سرویس می‌توانند آن را صدا بزنند. اگر false باشد همه می‌توانند.',
        ),
      }),
    ),
  },
  {
    ...closed,
    examples: [
      {
        name: 'hello',
        code: 'Deno.serve((request) => Response.json({ سلام: new URL(request.url).pathname }))',
        verify_jwt: true,
      },
    ],
  },
)
export type FunctionBody = Static<typeof FunctionBody>

const version = { minimum: 1, maximum: 2_147_483_647 } as const

export const RollbackBody = Type.Object(
  {
    version: Type.Optional(
      Type.Integer({
        ...version,
        ...described(
          'One of the versions that are kept; if absent, the newest one before the live one.',
          'یکی از نسخه‌های نگه‌داشته؛ اگر نیاید، تازه‌ترین نسخهٔ پیش از نسخهٔ کنونی.',
        ),
      }),
    ),
  },
  { ...closed, examples: [{}, { version: 3 }] },
)
export type RollbackBody = Static<typeof RollbackBody>

const UsedPackage = Type.Object({
  name: Type.String(),
  version: Type.String(described('The one that became part of the function.', 'نسخه‌ای که بخشی از تابع شد.')),
  requested: {
    ...nullable(Type.String()),
    ...described(
      'The version that the code names. An earlier one of the same major version is served by ours.',
      'نسخه‌ای که کد نام می‌برد. به جای نسخهٔ پیشین از همان نسخهٔ اصلی، نسخهٔ ما به کار می‌رود.',
    ),
  },
})

const shared = {
  object: Type.Literal('cloud.function'),
  name: Type.String(),
  version: Type.Integer({ ...safeInteger, ...described('The one that answers.', 'نسخه‌ای که پاسخ می‌دهد.') }),
  verify_jwt: Type.Boolean(),
  url: Type.String(described('Where apps call it.', 'نشانی‌ای که برنامه‌ها صدا می‌زنند.')),
  packages: Type.Array(UsedPackage),
  created_at: timestamp(),
  updated_at: timestamp(),
}

export const CloudFunction = Type.Object(shared)
export type CloudFunction = Static<typeof CloudFunction>

const Version = Type.Object({
  version: Type.Integer(safeInteger),
  live: Type.Boolean(),
  verify_jwt: Type.Boolean(),
  packages: Type.Array(UsedPackage),
  created_at: timestamp(),
})

export const FunctionDetail = Type.Object({
  ...shared,
  code: Type.String(described('Of the version that answers.', 'از نسخه‌ای که پاسخ می‌دهد.')),
  versions: Type.Array(
    Version,
    described('Those that are kept, newest first.', 'نسخه‌های نگه‌داشته، تازه‌ترین نخست.'),
  ),
})
export type FunctionDetail = Static<typeof FunctionDetail>

export const FunctionList = Type.Object({
  ...bareList.schema(CloudFunction).properties,
  runtime: Type.Object(
    {
      status: oneOf('jailed', 'unsafe_dev', 'refused'),
      reason: nullable(Type.String()),
    },
    described(
      'Whether functions run on this server; where they are `refused`, none can be deployed.',
      'آیا روی این سرور تابع اجرا می‌شود؛ اگر `refused` باشد نمی‌توان تابعی مستقر کرد.',
    ),
  ),
})

export const DeletedFunction = Type.Object({
  object: Type.Literal('cloud.function'),
  name: Type.String(),
  deleted: Type.Literal(true),
})

export const SecretBody = Type.Object(
  {
    name: Type.String({
      ...patterned('^[A-Z][A-Z0-9_]{0,63}$', {
        en: 'has to be 1 to 64 of A–Z, 0–9 and _, beginning with a letter',
        fa: 'باید ۱ تا ۶۴ کاراکتر از A تا Z، رقم‌ها و _ باشد و با حرف آغاز شود',
      }),
      ...described(
        'What functions read it by: `Deno.env.get(name)`, or `env` of their handler. SUPABASE_… and KHERAD_… are the platform’s, but for SUPABASE_SERVICE_ROLE_KEY.',
        'نامی که تابع‌ها آن را با `Deno.env.get(name)` یا `env` می‌خوانند. SUPABASE_… و KHERAD_… از آنِ سکو است، جز SUPABASE_SERVICE_ROLE_KEY.',
      ),
    }),
    value: storableText(1, 10_000, described('It is never shown again.', 'دیگر هرگز نشان داده نمی‌شود.')),
  },
  { ...closed, examples: [{ name: 'PAYMENT_KEY', value: 'a-secret-of-yours' }] },
)
export type SecretBody = Static<typeof SecretBody>

export const Secret = Type.Object({
  object: Type.Literal('cloud.secret'),
  name: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
})
export type Secret = Static<typeof Secret>

export const SecretList = bareList.schema(Secret)

export const DeletedSecret = Type.Object({
  object: Type.Literal('cloud.secret'),
  name: Type.String(),
  deleted: Type.Literal(true),
})

export const LogQuery = Type.Object(
  {
    level: Type.Optional({
      ...oneOf('debug', 'info', 'warn', 'error'),
      ...described('The least that is shown.', 'کمترین سطحی که نشان داده می‌شود.'),
    }),
    since: Type.Optional(
      Type.String({
        ...patterned('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$', {
          en: 'has to be a time such as 2026-11-26T08:30:00Z',
          fa: 'باید زمانی مانند 2026-11-26T08:30:00Z باشد',
        }),
        ...described('Lines from this time on.', 'خط‌ها از این زمان به بعد.'),
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 100,
        ...described('The newest so many, oldest first.', 'تازه‌ترین‌ها به این شمار، کهنه‌ترین نخست.'),
      }),
    ),
  },
  closed,
)
export type LogQuery = Static<typeof LogQuery>

const LogEntry = Type.Object({
  id: Type.String(
    described('`Last-Event-ID` goes on after it.', 'با `Last-Event-ID` از پس آن ادامه می‌یابد.'),
  ),
  level: oneOf('debug', 'info', 'warn', 'error'),
  message: Type.String(),
  request_id: {
    ...nullable(uuid()),
    ...described('Of the call that wrote it.', 'از فراخوانی‌ای که آن را نوشت.'),
  },
  at: timestamp(),
})
export type LogEntry = Static<typeof LogEntry>

export const LogList = bareList.schema(LogEntry)

nameSchemas({
  CloudFunction,
  CloudFunctionDetail: FunctionDetail,
  CloudFunctionList: FunctionList,
  CloudSecret: Secret,
  FunctionLogEntry: LogEntry,
})
