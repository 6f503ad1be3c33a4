/** The wire shapes of signing in with OpenID Connect. */
import { type Static, Type } from 'typebox'
import { SecondFactorNeeded, SignedIn } from '#account/entering'
import { closed, nameSchemas, nullable, timestamp } from '#platform/schema'

const returnTo = Type.Optional(
  Type.String({
    maxLength: 1_000,
    description: 'A path of this server to which the page goes afterwards; the answer to the end repeats it.',
    'x-description-fa': 'مسیری از همین سرور که صفحه پس از آن به آن می‌رود؛ پاسخ پایان آن را تکرار می‌کند.',
  }),
)

export const ProviderParams = Type.Object({ provider: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }) })
export type ProviderParams = Static<typeof ProviderParams>

export const BeginBody = Type.Object(
  { return_to: returnTo },
  { ...closed, examples: [{ return_to: '/keys' }] },
)
export type BeginBody = Static<typeof BeginBody>

export const SignInBody = Type.Object(
  {
    return_to: returnTo,
    invitation: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'The token of an invitation. Somebody new may enter by it if the provider has proven its address.',
        'x-description-fa':
          'رمز یک دعوت. شخص تازه با آن وارد می‌شود، اگر ارائه‌دهنده نشانی آن دعوت را تأیید کرده باشد.',
      }),
    ),
  },
  { ...closed, examples: [{ return_to: '/' }] },
)
export type SignInBody = Static<typeof SignInBody>

export const ProviderAddress = Type.Object({
  url: Type.String({
    description: 'The address of the provider to which the page sends the browser.',
    'x-description-fa': 'نشانی ارائه‌دهنده که صفحه مرورگر را به آن می‌فرستد.',
  }),
})

export const FinishBody = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8_192,
      description: 'The whole address of the page to which the provider has sent the browser back.',
      'x-description-fa': 'نشانی کامل صفحه‌ای که ارائه‌دهنده مرورگر را به آن بازگردانده است.',
    }),
  },
  { ...closed, examples: [{ url: 'https://ai.example/sign-in/openid/acme?code=x&state=y' }] },
)
export type FinishBody = Static<typeof FinishBody>

/** The answers of `POST /v1/sign-in/password` too, with the page to go to. */
export const FinishReply = Type.Union([
  Type.Object({ ...SignedIn.properties, return_to: returnTo }),
  Type.Object({ ...SecondFactorNeeded.properties, return_to: returnTo }),
  Type.Object({ status: Type.Literal('linked'), provider: Type.String(), return_to: returnTo }),
  Type.Object({ status: Type.Literal('stepped_up'), return_to: returnTo }),
])
export type FinishReply = Static<typeof FinishReply>

const LinkedIdentity = Type.Object({
  provider: Type.String(),
  name: Type.String({
    description: 'The name of the provider as people read it.',
    'x-description-fa': 'نام ارائه‌دهنده آن‌گونه که مردم می‌خوانند.',
  }),
  available: Type.Boolean({
    description: 'False if the operator has removed the provider: nobody signs in with it now.',
    'x-description-fa': 'نادرست اگر گرداننده این ارائه‌دهنده را برداشته باشد: اکنون کسی با آن وارد نمی‌شود.',
  }),
  email: nullable(
    Type.String({
      description: 'The address that the provider names. It identifies nobody.',
      'x-description-fa': 'نشانی‌ای که ارائه‌دهنده نام می‌برد. با آن کسی شناخته نمی‌شود.',
    }),
  ),
  linked_at: timestamp(),
  last_used_at: timestamp(),
})

export const IdentityList = Type.Object({ data: Type.Array(LinkedIdentity) })
export type IdentityList = Static<typeof IdentityList>

export const UnlinkedIdentity = Type.Object({ provider: Type.String(), deleted: Type.Literal(true) })
export type UnlinkedIdentity = Static<typeof UnlinkedIdentity>

nameSchemas({ LinkedIdentity, UnlinkedIdentity })
