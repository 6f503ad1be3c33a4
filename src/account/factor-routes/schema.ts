import { type Static, Type } from 'typebox'
import { closed, described, nullable, oneOf, storableText, timestamp, uuid } from '#platform/schema'

const Name = storableText(1, 120, {
  ...described(
    'What the person calls it, such as the name of a phone.',
    'نامی که شخص به آن می‌دهد، مانند نام یک گوشی.',
  ),
  pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
})

export const Factor = Type.Object({
  id: uuid(),
  kind: oneOf('totp', 'passkey'),
  name: Type.String(),
  backed_up: nullable(
    Type.Boolean(
      described(
        'Whether this passkey is kept in a cloud of its maker; null for an app.',
        'این رمز دستگاه در ابر سازنده‌اش نگه‌داری می‌شود یا نه؛ برای برنامه null است.',
      ),
    ),
  ),
  created_at: timestamp(),
  last_used_at: nullable(timestamp()),
})
export type Factor = Static<typeof Factor>

const RecoveryCodes = Type.Array(Type.String(), {
  ...described(
    'Ten codes that each stand for a second factor once. They are shown only here.',
    'ده کد که هر کدام یک بار به‌جای مرحلهٔ دوم ورود می‌نشیند. فقط همین‌جا نشان داده می‌شوند.',
  ),
  examples: [['k3m9-x7qp-2h4t']],
})

export const AddedFactor = Type.Object({
  factor: Factor,
  recovery_codes: nullable(RecoveryCodes),
})

export const RecoveryCodeList = Type.Object({ recovery_codes: RecoveryCodes })

export const FactorReset = Type.Object({
  requested_at: timestamp(),
  due_at: Type.String(
    described(
      'When all factors of the person are removed.',
      'زمانی که ورود دومرحله‌ای این شخص برداشته می‌شود.',
    ),
  ),
})

export const FactorOverview = Type.Object({
  data: Type.Array(Factor),
  recovery_codes_left: Type.Integer({
    minimum: 0,
    ...described('Recovery codes that were not used yet.', 'کدهای بازیابی که هنوز به کار نرفته‌اند.'),
  }),
  reset: nullable(FactorReset),
  passkeys: Type.Object(
    { available: Type.Boolean(), why: nullable(Type.String()) },
    described(
      'Whether browsers use passkeys at the address of this request; if not, why.',
      'مرورگرها در نشانی این درخواست از رمز دستگاه استفاده می‌کنند یا نه؛ اگر نه، چرا.',
    ),
  ),
})

export const IdParams = Type.Object({ id: uuid() })
export const PersonParams = Type.Object({ person_id: uuid() })

export const NewTotp = Type.Object(
  { name: Type.Optional(Name) },
  { ...closed, examples: [{ name: 'My phone' }] },
)
export type NewTotp = Static<typeof NewTotp>

export const BegunTotp = Type.Object({
  id: uuid(),
  secret: Type.String(
    described(
      'The secret in Base32, for people who type it.',
      'راز به شکل Base32، برای کسی که آن را می‌نویسد.',
    ),
  ),
  uri: Type.String(described('What the QR code says.', 'آنچه در کد QR نوشته است.')),
  qr: Type.Object(
    {
      size: Type.Integer({
        minimum: 1,
        ...described('Width and height with the margin, in modules.', 'پهنا و بلندی با حاشیه، به خانه.'),
      }),
      path: Type.String(described('The dark modules as SVG path data.', 'خانه‌های تیره، به شکل path در SVG.')),
    },
    described('The QR code, ready for an SVG of this size.', 'کد QR، آماده برای یک SVG به این اندازه.'),
  ),
})

/** People type spaces, hyphens and the digits of their keyboard. */
const Code = Type.String({ minLength: 1, maxLength: 40 })

export const TotpCode = Type.Object({ code: Code }, { ...closed, examples: [{ code: '123456' }] })
export type TotpCode = Static<typeof TotpCode>

export const FactorPatch = Type.Object({ name: Name }, { ...closed, examples: [{ name: 'Old phone' }] })
export type FactorPatch = Static<typeof FactorPatch>

export const Deleted = Type.Object({ id: uuid(), deleted: Type.Literal(true) })

const base64url = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]*$', examples: ['AQIDBA'] })
const CredentialId = base64url(1_400)

/** What browsers write of a credential; members that are not used are let through. */
const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(nullable(oneOf('platform', 'cross-platform'))),
  clientExtensionResults: Type.Optional(Type.Object({})),
}

const Registration = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: base64url(4_000),
      attestationObject: base64url(16_000),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
    }),
  },
  described(
    'What `navigator.credentials.create()` gave, by its `toJSON()`.',
    'آنچه `navigator.credentials.create()` داد، با `toJSON()` آن.',
  ),
)

const Assertion = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: base64url(4_000),
      authenticatorData: base64url(4_000),
      signature: base64url(4_000),
      userHandle: Type.Optional(nullable(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_-]*$' }))),
    }),
  },
  described(
    'What `navigator.credentials.get()` gave, by its `toJSON()`.',
    'آنچه `navigator.credentials.get()` داد، با `toJSON()` آن.',
  ),
)

export const NewPasskey = Type.Object({ name: Type.Optional(Name), response: Registration }, closed)
export type NewPasskey = Static<typeof NewPasskey>

export const PasskeyAnswer = Type.Object({ response: Assertion }, closed)
export type PasskeyAnswer = Static<typeof PasskeyAnswer>

export const SteppedUp = Type.Object({ stepped_up_at: timestamp() })

export const Empty = Type.Object({}, closed)

const Descriptor = Type.Object({
  type: Type.Literal('public-key'),
  id: Type.String(),
  transports: Type.Array(Type.String()),
})

export const CreationOptions = Type.Object(
  {
    challenge: Type.String(),
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
    timeout: Type.Integer(),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(Descriptor),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
  },
  described(
    'For `PublicKeyCredential.parseCreationOptionsFromJSON()`.',
    'برای `PublicKeyCredential.parseCreationOptionsFromJSON()`.',
  ),
)

export const RequestOptions = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer(),
    userVerification: Type.Literal('required'),
    allowCredentials: Type.Array(Descriptor),
  },
  described(
    'For `PublicKeyCredential.parseRequestOptionsFromJSON()`.',
    'برای `PublicKeyCredential.parseRequestOptionsFromJSON()`.',
  ),
)
