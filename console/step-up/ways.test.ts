import { expect, test } from 'vitest'
import { firstWaysOf, type Known, secondWaysOf } from './ways.ts'

const factors = (
  kinds: readonly ('totp' | 'passkey')[],
  { codes = 10, available = true } = {},
): Known['factors'] => ({
  data: kinds.map((kind) => ({ kind })),
  recovery_codes_left: codes,
  passkeys: { available },
})

test('second factors are offered as far as the person has them and the address allows them, passkeys first', () => {
  expect(secondWaysOf({ factors: factors(['totp', 'passkey']) })).toEqual([
    'passkey',
    'totp',
    'recovery_code',
  ])
  expect(secondWaysOf({ factors: factors(['passkey'], { available: false }) })).toEqual(['recovery_code'])
  expect(secondWaysOf({ factors: factors(['passkey'], { available: false, codes: 0 }) })).toEqual([])
  expect(secondWaysOf({ factors: factors([]) })).toEqual([])
})

test('a first factor is a password, a provider that is still there, or a code to an address where mail is sent', () => {
  const person = { has_password: true, email: 'sara@example.org' }
  const identities = {
    data: [
      { provider: 'acme', name: 'Acme', available: true },
      { provider: 'gone', name: 'Gone', available: false },
    ],
  }
  const methods = { code: true }
  expect(firstWaysOf({ me: person, methods, identities })).toEqual([
    { kind: 'password' },
    { kind: 'openid', provider: 'acme', name: 'Acme' },
    { kind: 'code' },
  ])
  const without = { me: { has_password: false, email: null }, methods, identities: { data: [] } }
  expect(firstWaysOf(without)).toEqual([])
  expect(firstWaysOf({ ...without, me: person, methods: { code: false } })).toEqual([{ kind: 'password' }])
})
