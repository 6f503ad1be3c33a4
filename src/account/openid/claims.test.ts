import { describe, expect, test } from 'vitest'
import { claimHas, lacks, mergedClaims } from './claims.ts'

const token = (more: Record<string, unknown> = {}) => ({
  iss: 'https://id.example',
  sub: 'sara',
  aud: 'kherad',
  exp: 2,
  iat: 1,
  ...more,
})

describe('an address and its mark come from one place', () => {
  test('of the token, where the token has the mark', () => {
    const { email } = mergedClaims(token({ email: 'a@x.example', email_verified: false }), {
      sub: 'sara',
      email: 'b@x.example',
      email_verified: true,
    })
    expect(email).toEqual({ address: 'a@x.example', isVerified: false })
  })

  test('of UserInfo, where the token has no mark', () => {
    const { email } = mergedClaims(token({ email: 'a@x.example' }), {
      sub: 'sara',
      email: 'b@x.example',
      email_verified: true,
    })
    expect(email).toEqual({ address: 'b@x.example', isVerified: true })
  })

  test.each(['true', 1, {}, ['true'], null])('%j proves nothing', (mark) => {
    expect(mergedClaims(token({ email: 'a@x.example', email_verified: mark }), {}).email).toEqual({
      address: 'a@x.example',
      isVerified: false,
    })
  })
})

test.each<[Record<string, unknown>, boolean | undefined]>([
  [{ groups: 'eng' }, true],
  [{ groups: ['a', 'eng'] }, true],
  [{ groups: ['engineering'] }, false],
  [{ groups: [] }, false],
  [{ groups: null }, false],
  [{ groups: [['eng']] }, false],
  [{ groups: { eng: true } }, false],
  [{}, false],
  [{ _claim_names: { groups: 'src1' } }, undefined],
  [{ _claim_names: { groups: 'src1' }, groups: ['eng'] }, true],
  [{ _claim_names: { other: 'src1' } }, false],
])('%j has the claim: %j', (claims, has) => {
  expect(claimHas(claims, { claim: 'groups', value: 'eng' })).toBe(has)
})

test('a claim is named as it is, or by its path; numbers and truth values count as their texts', () => {
  const claims = { 'https://x.example/role': 'a', realm_access: { roles: ['b'] }, level: 3, staff: true }
  expect(claimHas(claims, { claim: 'https://x.example/role', value: 'a' })).toBe(true)
  expect(claimHas(claims, { claim: 'realm_access.roles', value: 'b' })).toBe(true)
  expect(claimHas(claims, { claim: 'realm_access.constructor', value: 'b' })).toBe(false)
  expect(claimHas(claims, { claim: '__proto__', value: '[object Object]' })).toBe(false)
  expect(claimHas(claims, { claim: 'level', value: '3' })).toBe(true)
  expect(claimHas(claims, { claim: 'staff', value: 'true' })).toBe(true)
  expect(lacks(claims, ['level', 'realm_access.roles'])).toBe(false)
  expect(lacks(claims, ['level', 'email'])).toBe(true)
})

test('a name is plain text of at most 60 characters', () => {
  const named = (name: unknown) => mergedClaims(token({ name }), {}).name
  expect(named('Sara\u202e <script>\n')).toBe('Sara script')
  expect(named('ن'.repeat(100))).toHaveLength(60)
  expect(named({ first: 'Sara' })).toBeUndefined()
  expect(mergedClaims(token({ name: ' ', preferred_username: 'sara' }), {}).name).toBe('sara')
})
