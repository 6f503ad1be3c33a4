import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { describe, expect, test } from 'vitest'
import { type Deviation, SoftAuthenticator } from '../../../tests/harness/authenticator.ts'
import { silent } from '../../../tests/harness/world.ts'
import {
  challengeOf,
  creationOptions,
  requestOptions,
  userHandleOf,
  verifyAssertion,
  verifyRegistration,
} from './passkey.ts'
import type { PasskeyRow } from './store.ts'

const site = { rpId: 'ai.example.org', origin: 'https://ai.example.org' }
const personId = '0198c0de-0000-7000-8000-000000000001'
const owner = { personId, userName: 'sara@example.org', displayName: 'Sara' }
const challenge = Buffer.alloc(32, 7).toString('base64url')
const other = Buffer.alloc(32, 8).toString('base64url')

const newOptions = creationOptions(site, owner, { challenge, known: [], siteName: 'Kherad' })
const register = (response: unknown, expected = { site, challenge }) =>
  verifyRegistration(silent, expected, response as RegistrationResponseJSON)

async function withPasskey() {
  const authenticator = new SoftAuthenticator(site.origin)
  const made = (await register(authenticator.create(newOptions)))!
  const row = { credential_id: made.credentialId, public_key: made.publicKey, transports: made.transports }
  return { authenticator, made, row: row as unknown as PasskeyRow }
}

describe('a new passkey', () => {
  test('is taken with its key and its ways of reaching it, and without what its maker attests', async () => {
    const { made } = await withPasskey()
    expect(made).toMatchObject({ counter: 0, transports: ['hybrid', 'internal'], isBackedUp: false })
    expect(Buffer.from(made.credentialId, 'base64url')).toHaveLength(16)
  })

  test('is refused where the challenge, the origin, the name of the site or the ceremony is another one, or nobody was verified', async () => {
    const deviations: Deviation[] = [
      { origin: 'https://evil.example.org' },
      { origin: 'https://ai.example.org:8443' },
      { origin: 'http://ai.example.org' },
      { rpId: 'example.org' },
      { type: 'webauthn.get' },
      { userVerified: false },
    ]
    for (const deviation of deviations) {
      const response = new SoftAuthenticator(site.origin).create(newOptions, deviation)
      expect(await register(response), JSON.stringify(deviation)).toBeUndefined()
    }
    const response = new SoftAuthenticator(site.origin).create(newOptions)
    expect(await register(response, { site, challenge: other })).toBeUndefined()
  })

  test('that is no passkey at all is refused, whatever its bytes are', async () => {
    const made = new SoftAuthenticator(site.origin).create(newOptions)
    const deep = Buffer.alloc(12_000, 0x81).toString('base64url')
    const long = Buffer.from([0xbb, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).toString('base64url')
    for (const attestationObject of [
      '',
      'AAAA',
      '!',
      deep,
      long,
      made.response.attestationObject.slice(0, 200),
    ]) {
      const response = { ...made, response: { ...made.response, attestationObject } }
      expect(await register(response), attestationObject.slice(0, 20)).toBeUndefined()
    }
  })
})

describe('the answer of a passkey', () => {
  const options = requestOptions(site, { challenge, known: [] })
  const check = (row: PasskeyRow, response: unknown, expected = { site, challenge }) =>
    verifyAssertion(silent, expected, row, response as AuthenticationResponseJSON)

  test('is right with the counter that it reports', async () => {
    const { authenticator, row } = await withPasskey()
    expect(await check(row, authenticator.get(options))).toEqual({ counter: 1, isBackedUp: false })
    expect(await check(row, authenticator.get(options, { counter: 9 }))).toMatchObject({ counter: 9 })
  })

  test('is wrong for another challenge, origin, site or ceremony, without verification, and by another key', async () => {
    const { authenticator, row } = await withPasskey()
    const deviations: Deviation[] = [
      { origin: 'https://evil.example.org' },
      { rpId: 'example.org' },
      { type: 'webauthn.create' },
      { userVerified: false },
    ]
    for (const deviation of deviations)
      expect(
        await check(row, authenticator.get(options, deviation)),
        JSON.stringify(deviation),
      ).toBeUndefined()
    expect(await check(row, authenticator.get(options), { site, challenge: other })).toBeUndefined()
    const { row: another } = await withPasskey()
    expect(await check(another, authenticator.get(options))).toBeUndefined()
  })
})

test('the challenge is read of an answer that a page of another site did not frame', () => {
  const authenticator = new SoftAuthenticator(site.origin)
  const named = (deviation: Deviation) =>
    challengeOf(authenticator.create(newOptions, deviation).response.clientDataJSON)
  expect(named({})).toBe(challenge)
  expect(named({ crossOrigin: true })).toBeUndefined()
  for (const text of [
    '',
    'AAAA',
    Buffer.from('null').toString('base64url'),
    Buffer.from('{}').toString('base64url'),
  ])
    expect(challengeOf(text)).toBeUndefined()
})

test('a browser is asked for a passkey that it finds by itself and that verifies its person, under a name that says nothing', () => {
  expect(newOptions).toMatchObject({
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    user: { id: Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url') },
  })
  expect(userHandleOf(personId)).toHaveLength(22)
  expect(requestOptions(site, { challenge, known: [] })).toMatchObject({ userVerification: 'required' })
})
