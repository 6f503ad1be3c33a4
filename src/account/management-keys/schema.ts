import { type Static, Type } from 'typebox'
import { managementRights } from '#platform/auth'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import { closed, described, nameSchemas, nullable, oneOf, patterned, timestamp, uuid } from '#platform/schema'

const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  ...patterned('^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$', {
    en: 'must have 1 to 120 characters, not blanks alone, in one line',
    fa: 'باید ۱ تا ۱۲۰ کاراکتر در یک خط داشته باشد و تنها فاصله نباشد',
  }),
  ...described('What people call it.', 'نامی که آدم‌ها آن را با آن می‌شناسند.'),
})

const Permissions = Type.Array(oneOf(...managementRights), {
  minItems: 1,
  maxItems: managementRights.length,
  uniqueItems: true,
  ...described(
    'What it may do. It never calls models, reads content, or touches people, sign-in or management keys. keys:write makes and changes keys within key_scopes, and revokes any.',
    'آنچه می‌تواند بکند. هرگز مدلی را صدا نمی‌زند، محتوایی نمی‌خواند و به آدم‌ها، ورود و کلیدهای مدیریتی دست نمی‌زند. keys:write کلیدهایی در محدودهٔ key_scopes می‌سازد و تغییر می‌دهد، و هر کلیدی را باطل می‌کند.',
  ),
})

const KeyScopes = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
  maxItems: 100,
  uniqueItems: true,
  ...described(
    'The scopes that project keys may have which it makes or changes. Without any, a key with keys:write makes and changes none: it revokes them alone.',
    'دسترسی‌هایی که کلیدهای پروژه‌ای که می‌سازد یا تغییر می‌دهد می‌توانند داشته باشند. بی آن‌ها کلیدی که keys:write دارد نمی‌سازد و تغییر نمی‌دهد: تنها باطل می‌کند.',
  ),
})

const Addresses = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
  maxItems: 50,
  uniqueItems: true,
  ...described(
    'Addresses and networks from which it may be used; none: from everywhere.',
    'نشانی‌ها و شبکه‌هایی که از آن‌ها به کار می‌رود؛ هیچ یعنی از همه‌جا.',
  ),
})

export const ManagementKeyBody = Type.Object(
  {
    name: Name,
    permissions: Permissions,
    key_scopes: Type.Optional(KeyScopes),
    addresses: Type.Optional(Addresses),
    expires_at: Type.String({
      maxLength: 40,
      ...described(
        'When it ends, in RFC 3339, at most 366 days from now. It cannot be moved.',
        'زمان پایان، به شکل RFC 3339، تا ۳۶۶ روز دیگر. جابه‌جا نمی‌شود.',
      ),
      examples: ['2027-03-21T00:00:00Z'],
    }),
  },
  {
    ...closed,
    examples: [
      {
        name: 'provisioning',
        permissions: ['keys:read', 'keys:write', 'usage:read'],
        key_scopes: ['models:read', 'responses:write'],
        addresses: ['203.0.113.0/24'],
        expires_at: '2027-03-21T00:00:00Z',
      },
    ],
  },
)
export type ManagementKeyBody = Static<typeof ManagementKeyBody>

export const ManagementKeyPatch = Type.Object({ name: Name }, { ...closed, examples: [{ name: 'billing' }] })
export type ManagementKeyPatch = Static<typeof ManagementKeyPatch>

export const IdParams = Type.Object({ id: uuid() })

export const ManagementKey = Type.Object({
  id: uuid(),
  name: Type.String(),
  hint: Type.String(described('The last four characters of its secret.', 'چهار کاراکتر پایانی رمز کلید.')),
  state: oneOf('active', 'expired', 'revoked'),
  permissions: Type.Array(Type.String()),
  key_scopes: Type.Array(Type.String()),
  addresses: Type.Array(Type.String()),
  expires_at: timestamp(),
  made_by: Type.Object({
    person_id: uuid(),
    display_name: Type.String(),
  }),
  last_used_at: nullable({
    ...timestamp(),
    ...described('To about five minutes; null: never.', 'با دقت حدود پنج دقیقه؛ null یعنی هرگز.'),
  }),
  revoked_at: nullable(timestamp()),
  ended_with_maker: Type.Boolean(
    described(
      'Whether it ended because its maker left the account or lost the right to make it.',
      'آیا به این سبب پایان یافت که سازنده‌اش از حساب رفت یا حق ساختنش را از دست داد.',
    ),
  ),
  made_keys: Type.Integer({
    minimum: 0,
    ...described(
      'Project keys that it made and that are not revoked.',
      'کلیدهای پروژهٔ باطل‌نشده‌ای که ساخته است.',
    ),
  }),
  created_at: timestamp(),
})
export type ManagementKey = Static<typeof ManagementKey>

export const ManagementKeyWithSecret = Type.Object({
  ...ManagementKey.properties,
  secret: Type.String(
    described('The key itself; shown only this once.', 'خود کلید؛ فقط همین یک بار نشان داده می‌شود.'),
  ),
})

export const ManagementKeyQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Keys made before this one; the next page begins after the last of this.',
      'کلیدهای پیش از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  { state: Type.Optional(oneOf('active', 'ended')) },
)
export type ManagementKeyQuery = Static<typeof ManagementKeyQuery>

export const RevocationQuery = Type.Object(
  {
    made_keys: Type.Optional({
      ...oneOf('keep', 'revoke'),
      ...described(
        'revoke: the project keys that it made are revoked with it. Default: they stay.',
        'revoke یعنی کلیدهای پروژه‌ای که ساخته است هم باطل می‌شوند. بی آن می‌مانند.',
      ),
    }),
  },
  closed,
)
export type RevocationQuery = Static<typeof RevocationQuery>

export const ManagementKeyList = plainList.schema(ManagementKey)

nameSchemas({
  ManagementKey,
  ManagementKeyBody,
  ManagementKeyList,
  ManagementKeyPatch,
  ManagementKeyWithSecret,
})
