/** With what a person can show that they are there. */
import type { Reply } from '../api/client.ts'
import type { SecondFactor } from '../sign-in/second-step.tsx'

export interface Known {
  me: Pick<Reply<'GET /v1/me'>, 'has_password' | 'email'>
  factors: Pick<Reply<'GET /v1/me/factors'>, 'recovery_codes_left'> & {
    data: readonly Pick<Reply<'GET /v1/me/factors'>['data'][number], 'kind'>[]
    passkeys: { available: boolean }
  }
  methods: Pick<Reply<'GET /v1/sign-in/methods'>, 'code'>
  identities: {
    data: readonly Pick<Reply<'GET /v1/me/identities'>['data'][number], 'provider' | 'name' | 'available'>[]
  }
}

export type FirstWay = { kind: 'password' | 'code' } | { kind: 'openid'; provider: string; name: string }

/** The second factors that work at this address, best first. */
export function secondWaysOf({ factors }: Pick<Known, 'factors'>): SecondFactor[] {
  const kinds = new Set<string>(factors.data.map(({ kind }) => kind))
  return [
    ...(kinds.has('passkey') && factors.passkeys.available ? (['passkey'] as const) : []),
    ...(kinds.has('totp') ? (['totp'] as const) : []),
    ...(kinds.size > 0 && factors.recovery_codes_left > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** The first factors of the person, best first. They do only where the person has no second one. */
export const firstWaysOf = ({ me, methods, identities }: Omit<Known, 'factors'>): FirstWay[] => [
  ...(me.has_password ? [{ kind: 'password' } as const] : []),
  ...identities.data
    .filter(({ available }) => available)
    .map(({ provider, name }) => ({ kind: 'openid' as const, provider, name })),
  ...(methods.code && me.email !== null ? [{ kind: 'code' } as const] : []),
]
