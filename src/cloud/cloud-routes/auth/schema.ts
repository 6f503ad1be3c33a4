import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import {
  closed,
  described,
  nameSchemas,
  nullable,
  oneOf,
  safeInteger,
  timestamp,
  uuid,
} from '#platform/schema'

export const maxAddressLength = 2_000
export const maxAddresses = 20

const address = (more: object = {}) => Type.String({ minLength: 1, maxLength: maxAddressLength, ...more })

export const AuthBody = Type.Object(
  {
    site_url: address(
      described(
        'Where the app is: links of mails lead to its origin.',
        'نشانی برنامه: پیوندهای نامه‌ها به مبدأ آن می‌رسند.',
      ),
    ),
    disable_signup: Type.Optional(
      Type.Boolean({
        default: false,
        ...described('True: the app takes no new users.', 'در true برنامه کاربر تازه نمی‌پذیرد.'),
      }),
    ),
    additional_redirect_urls: Type.Optional(
      Type.Array(address(), {
        maxItems: maxAddresses,
        ...described(
          'Further addresses that links may lead to, each with all below it. Left out, they stay.',
          'نشانی‌های دیگری که پیوندها می‌توانند به آن‌ها و زیرشان برسند. اگر نیاید همان می‌ماند.',
        ),
      }),
    ),
    anonymous_sign_ins: Type.Optional(
      Type.Boolean(
        described(
          'Whether people may sign in without an address; they take at most half of the places. Left out, it stays; at first it is off.',
          'آیا بی نشانی هم می‌توان وارد شد؛ چنین کاربرانی حداکثر نیمی از جاها را می‌گیرند. اگر نیاید همان می‌ماند؛ در آغاز خاموش است.',
        ),
      ),
    ),
  },
  {
    ...closed,
    examples: [
      {
        site_url: 'https://app.example.com',
        disable_signup: false,
        additional_redirect_urls: ['http://localhost:5173/'],
      },
    ],
  },
)
export type AuthBody = Static<typeof AuthBody>

export const AuthSettings = Type.Object({
  object: Type.Literal('cloud.auth'),
  site_url: nullable(Type.String()),
  disable_signup: Type.Boolean(),
  additional_redirect_urls: Type.Array(Type.String()),
  anonymous_sign_ins: Type.Boolean(
    described('Whether people may sign in without an address.', 'آیا بی نشانی هم می‌توان وارد شد.'),
  ),
  mail: {
    ...oneOf('configured', 'not_configured'),
    ...described(
      'Whether this server sends mails. Without them there is no recovery by mail; POST /v1/cloud/{id}/users/{user_id}/links makes links.',
      'آیا این سرور نامه می‌فرستد. بی نامه بازیابی ایمیلی نیست و POST /v1/cloud/{id}/users/{user_id}/links پیوند می‌سازد.',
    ),
  },
  email_confirmation: Type.Boolean(
    described(
      'Whether an address has to be confirmed before its user signs in.',
      'آیا نشانی پیش از ورود کاربر باید تأیید شود.',
    ),
  ),
  password_min_length: Type.Integer(safeInteger),
  users: Type.Object({ used: Type.Integer(safeInteger), limit: Type.Integer(safeInteger) }),
})
export type AuthSettings = Static<typeof AuthSettings>

export const UsersQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Those after this one, in the order of their ids.',
      'کاربران پس از این یکی، به ترتیب شناسه.',
    ),
  },
  {
    email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        ...described('Only the user with this address.', 'تنها کاربری که این نشانی را دارد.'),
      }),
    ),
  },
)
export type UsersQuery = Static<typeof UsersQuery>

export const UserParams = Type.Object({ id: Type.String(), user_id: Type.String() })
export type UserParams = Static<typeof UserParams>

export const AppUser = Type.Object({
  object: Type.Literal('cloud.user'),
  id: uuid(),
  email: nullable(Type.String()),
  is_anonymous: Type.Boolean(),
  email_confirmed_at: nullable(timestamp()),
  blocked: Type.Boolean(),
  blocked_until: nullable(timestamp()),
  user_metadata: Type.Record(
    Type.String(),
    Type.Unknown(),
    described('Set by the user.', 'نوشتهٔ خود کاربر.'),
  ),
  app_metadata: Type.Record(
    Type.String(),
    Type.Unknown(),
    described('Set by the service key only.', 'تنها با کلید سرویس نوشته می‌شود.'),
  ),
  last_sign_in_at: nullable(timestamp()),
  created_at: timestamp(),
})
export type AppUser = Static<typeof AppUser>

export const AppUserList = plainList.schema(AppUser)

export const DeletedUser = Type.Object({
  object: Type.Literal('cloud.user'),
  id: uuid(),
  deleted: Type.Literal(true),
})

export const LinkBody = Type.Object(
  {
    type: {
      ...oneOf('recovery', 'magiclink', 'signup'),
      ...described(
        'A new password, a sign-in, or the confirmation of the address.',
        'گذرواژهٔ تازه، ورود، یا تأیید نشانی.',
      ),
    },
    redirect_to: Type.Optional(address(described('By default site_url.', 'اگر نیاید همان site_url.'))),
  },
  { ...closed, examples: [{ type: 'recovery' }] },
)
export type LinkBody = Static<typeof LinkBody>

export const UserLink = Type.Object({
  object: Type.Literal('cloud.user_link'),
  type: oneOf('recovery', 'magiclink', 'signup'),
  url: Type.String(
    described(
      'Whoever has it gets the account: hand it to its user alone. It acts once.',
      'هر که آن را دارد حساب را می‌گیرد: تنها به خود کاربر بدهید. یک بار کار می‌کند.',
    ),
  ),
  code: Type.String(described('To be typed into the app instead.', 'به جای پیوند در برنامه نوشته می‌شود.')),
  token_hash: Type.String(described('For verifyOtp of the app.', 'برای verifyOtp در برنامه.')),
  redirect_to: nullable(Type.String()),
  expires_at: timestamp(),
})

export const LinkParams = Type.Object({
  ref: Type.String({ maxLength: 100 }),
  token: Type.String({ maxLength: 100 }),
})
export type LinkParams = Static<typeof LinkParams>

nameSchemas({ CloudAuth: AuthSettings, CloudUser: AppUser, CloudUserLink: UserLink })
