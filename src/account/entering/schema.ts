import { type Static, Type } from 'typebox'
import { nameSchemas, nullable, oneOf, taggedUnion, timestamp, uuid } from '#platform/schema'

export const PersonView = Type.Object({
  id: uuid(),
  display_name: Type.String(),
  email: nullable(
    Type.String({
      description: 'The address with which the person signs in.',
      'x-description-fa': 'نشانی‌ای که شخص با آن وارد می‌شود.',
    }),
  ),
  locale: oneOf('fa', 'en'),
  time_zone: Type.String({
    description: 'A name of the IANA database, such as Asia/Tehran.',
    'x-description-fa': 'نامی از پایگاه دادهٔ IANA، مانند Asia/Tehran.',
  }),
  is_operator: Type.Boolean({
    description: 'Whether the person runs this server.',
    'x-description-fa': 'آیا این شخص گردانندهٔ سرور است.',
  }),
  has_password: Type.Boolean(),
  created_at: timestamp(),
})
export type PersonView = Static<typeof PersonView>

export const SignedIn = Type.Object({ status: Type.Literal('signed_in'), person: PersonView })

export const SecondFactorNeeded = Type.Object({
  status: Type.Literal('second_factor'),
  factors: Type.Array(oneOf('totp', 'passkey', 'recovery_code'), {
    description: 'What can be given now, within ten minutes: POST /v1/sign-in/second-factor, or a passkey.',
    'x-description-fa':
      'آنچه اکنون و تا ده دقیقه می‌توان داد: با POST /v1/sign-in/second-factor یا با رمز دستگاه.',
  }),
})

/** The answer to a first factor. */
export const Entered = taggedUnion('status', [SignedIn, SecondFactorNeeded])
export type EntryAnswer = Static<typeof Entered>

nameSchemas({ PersonView, SignedIn, SecondFactorNeeded })
