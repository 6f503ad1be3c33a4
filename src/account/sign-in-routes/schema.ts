import { type Static, Type } from 'typebox'
import { SecondFactorNeeded, SignedIn } from '#account/entering'
import { closed, described, nullable, oneOf, storableText, taggedUnion, timestamp } from '#platform/schema'

const Email = Type.String({
  minLength: 1,
  maxLength: 1_000,
  ...described('An e-mail address.', 'نشانی ایمیل.'),
})
const Password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  ...described(
    '10 to 128 characters, none of the commonest passwords.',
    '۱۰ تا ۱۲۸ کاراکتر، و نه از رایج‌ترین گذرواژه‌ها.',
  ),
})
const GivenPassword = Type.String({ minLength: 1, maxLength: 1_000 })
const Code = Type.String({
  minLength: 1,
  maxLength: 100,
  ...described('Six digits, of any keyboard.', 'شش رقم، با هر صفحه‌کلیدی.'),
})
const Token = Type.String({
  minLength: 1,
  maxLength: 100,
  ...described('What stands behind the # of a link.', 'آنچه پس از # پیوند می‌آید.'),
})
const DisplayName = storableText(1, 120, described('The name that others see.', 'نامی که دیگران می‌بینند.'))
const Locale = oneOf('fa', 'en')
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '^[A-Za-z0-9_+/-]+$',
  ...described(
    'A name of the IANA database, such as Asia/Tehran.',
    'نامی از پایگاه دادهٔ IANA، مانند Asia/Tehran.',
  ),
})

const example = 'sara@example.org'

export const PasswordSignIn = Type.Object(
  { email: Email, password: GivenPassword },
  { ...closed, examples: [{ email: example, password: 'چهار واژهٔ نامربوط به هم' }] },
)
export type PasswordSignIn = Static<typeof PasswordSignIn>

export const AddressBody = Type.Object({ email: Email }, { ...closed, examples: [{ email: example }] })
export type AddressBody = Static<typeof AddressBody>

export const AddressCode = Type.Object(
  { email: Email, code: Code },
  { ...closed, examples: [{ email: example, code: '123456' }] },
)
export type AddressCode = Static<typeof AddressCode>

const Phone = Type.String({
  minLength: 1,
  maxLength: 100,
  ...described(
    'A mobile number in any digits: 0912…, 912…, +98912…, 0098912… or 98912…; of other countries with + or 00.',
    'شمارهٔ همراه با هر رقمی: ۰۹۱۲…، ۹۱۲…، ‎+98912…، ‎0098912… یا 98912…؛ از کشورهای دیگر با + یا 00.',
  ),
})
const phoneExample = '09123456789'

export const PhoneBody = Type.Object({ phone: Phone }, { ...closed, examples: [{ phone: phoneExample }] })
export type PhoneBody = Static<typeof PhoneBody>

export const PhoneCode = Type.Object(
  { phone: Phone, code: Code },
  { ...closed, examples: [{ phone: phoneExample, code: '123456' }] },
)
export type PhoneCode = Static<typeof PhoneCode>

export const OwnPhone = Type.Object({
  phone: nullable(Type.String(described('The number in E.164.', 'شماره به شکل E.164.'))),
})
export type OwnPhone = Static<typeof OwnPhone>

export const SecondFactorBody = Type.Object(
  {
    code: Type.Optional(Code),
    recovery_code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        ...described('One of the codes that were shown once.', 'یکی از کدهایی که یک بار نشان داده شد.'),
      }),
    ),
  },
  {
    ...closed,
    minProperties: 1,
    examples: [{ code: '123456' }],
    ...described('One of the two.', 'یکی از این دو.'),
  },
)
export type SecondFactorBody = Static<typeof SecondFactorBody>

export const CodeBody = Type.Object({ code: Code }, { ...closed, examples: [{ code: '123456' }] })
export type CodeBody = Static<typeof CodeBody>

export const PasswordBody = Type.Object(
  { password: GivenPassword },
  { ...closed, examples: [{ password: 'چهار واژهٔ نامربوط به هم' }] },
)
export type PasswordBody = Static<typeof PasswordBody>

export const NewPassword = Type.Object(
  { password: Password },
  { ...closed, examples: [{ password: 'چهار واژهٔ نامربوط به هم' }] },
)
export type NewPassword = Static<typeof NewPassword>

export const SignUp = Type.Object(
  {
    email: Email,
    password: Type.Optional(Password),
    display_name: DisplayName,
    locale: Locale,
    invitation: Type.Optional(Token),
  },
  { ...closed, examples: [{ email: example, display_name: 'سارا امینی', locale: 'fa' }] },
)
export type SignUp = Static<typeof SignUp>

export const RecoveryBody = Type.Object(
  { token: Token, password: Password },
  { ...closed, examples: [{ token: '4fK…', password: 'چهار واژهٔ نامربوط به هم' }] },
)
export type RecoveryBody = Static<typeof RecoveryBody>

export const LinkBody = Type.Object({ token: Token }, { ...closed, examples: [{ token: 'khl_…' }] })
export type LinkBody = Static<typeof LinkBody>

export const LinkRedemption = Type.Object(
  {
    token: Token,
    password: Type.Optional(Password),
    person: Type.Optional(
      Type.Object(
        {
          display_name: DisplayName,
          locale: Locale,
          time_zone: Type.Optional(TimeZone),
          email: Type.Optional(Email),
        },
        { ...closed, ...described('Somebody who is not known yet.', 'کسی که هنوز شناخته نیست.') },
      ),
    ),
  },
  { ...closed, examples: [{ token: 'khl_…', password: 'چهار واژهٔ نامربوط به هم' }] },
)
export type LinkRedemption = Static<typeof LinkRedemption>

export const linkPurposes = [
  'first_operator',
  'operator',
  'operator_reset',
  'invitation',
  'password_reset',
  'email_undo',
  'factor_reset_cancel',
] as const

export const LinkView = Type.Object({
  purpose: oneOf(...linkPurposes),
  needs: oneOf('new_person', 'named_person', 'session', 'password', 'nothing'),
  email_masked: nullable(Type.String()),
  expires_at: timestamp(),
  invitation: Type.Optional(
    Type.Object({
      account_name: Type.String(),
      inviter_name: nullable(Type.String()),
      role: Type.String(),
    }),
  ),
})
export type LinkView = Static<typeof LinkView>

export const Accepted = Type.Object({
  status: Type.Literal('accepted'),
  minutes: Type.Integer(described('How long the code or link is valid.', 'مدت اعتبار کد یا پیوند.')),
})

export const SignedOut = Type.Object({ status: Type.Literal('signed_out') })
export type SignedOut = Static<typeof SignedOut>

export const SteppedUp = Type.Object({ stepped_up_at: timestamp() })

export const Done = Type.Object(
  { status: Type.Literal('done'), purpose: oneOf(...linkPurposes) },
  described('It was done, and nobody was signed in by it.', 'انجام شد و کسی با آن وارد نشد.'),
)

export const SignInMethods = Type.Object({
  password: Type.Boolean(),
  code: Type.Boolean(described('Whether a code can be mailed.', 'آیا می‌توان کدی با ایمیل فرستاد.')),
  passkey: Type.Object({
    available: Type.Boolean(),
    why: Type.Optional(
      Type.Object(
        { en: Type.String(), fa: Type.String() },
        described('Why there are none here.', 'چرا اینجا کار نمی‌کند.'),
      ),
    ),
  }),
  openid: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  sign_up: oneOf('closed', 'invitation', 'open'),
  mail: Type.Boolean(),
  sms: Type.Boolean(described('Whether a code can be sent by SMS.', 'آیا می‌توان کدی با پیامک فرستاد.')),
})
export type SignInMethods = Static<typeof SignInMethods>

/** The answer to a redeemed link. */
export const Redeemed = taggedUnion('status', [SignedIn, SecondFactorNeeded, Done])
