/** Passkeys: what browsers are asked for, and the check of what they answer (WebAuthn Level 3), by @simplewebauthn/server. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Log } from '#platform/log'
import { ceremonyMs } from './ceremony-store.ts'
import type { PasskeySite } from './passkey-site.ts'
import type { PasskeyRow } from './store.ts'

/** Ed25519, ES256 and RS256, by their numbers in COSE: what authenticators have. */
const algorithms = [-8, -7, -257]

export interface NewPasskey {
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[]
  isBackedUp: boolean
}

export interface PasskeyOwner {
  personId: string
  /** What the list of a browser shows: the address of the person, or the name. */
  userName: string
  displayName: string
}

/** The name of a person in authenticators: the id, which says nothing about the person. */
export const userHandleOf = (personId: string): string =>
  Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url')

/** What `navigator.credentials.create()` is called with: a passkey that is found without a name and always verifies its person. */
export const creationOptions = (
  { rpId }: PasskeySite,
  { personId, userName, displayName }: PasskeyOwner,
  { challenge, known, siteName }: { challenge: string; known: readonly PasskeyRow[]; siteName: string },
) => ({
  challenge,
  rp: { id: rpId, name: siteName },
  user: { id: userHandleOf(personId), name: userName, displayName },
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
  timeout: ceremonyMs,
  attestation: 'none' as const,
  excludeCredentials: known.map(descriptorOf),
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
})

/** What `navigator.credentials.get()` is called with. Without known passkeys the browser offers all that it has for this site. */
export const requestOptions = (
  { rpId }: PasskeySite,
  { challenge, known }: { challenge: string; known: readonly PasskeyRow[] },
) => ({
  challenge,
  rpId,
  timeout: ceremonyMs,
  userVerification: 'required' as const,
  allowCredentials: known.map(descriptorOf),
})

const descriptorOf = ({ credential_id: id, transports }: PasskeyRow) => ({
  type: 'public-key' as const,
  id,
  transports: transports ?? [],
})

/** The challenge that the answer names; undefined for one that cannot be read, or was made in a frame of another site's page. */
export function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as Record<string, unknown>
    const { challenge, crossOrigin } = data
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}

interface Expectation {
  site: PasskeySite
  /** A challenge whose ceremony was ended for this answer. */
  challenge: string
}

/** The new passkey; undefined where the answer is not what was asked for, which is logged for the operator. */
export async function verifyRegistration(
  log: Log,
  { site, challenge }: Expectation,
  response: RegistrationResponseJSON,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const found = await orRefused(log, async () =>
    verifyRegistrationResponse({
      response: await withoutAttestation(response),
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  )
  if (!found?.verified) return undefined
  const { credential, credentialBackedUp } = found.registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: readTransports(response.response.transports),
    isBackedUp: credentialBackedUp,
  }
}

const knownTransports = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

const readTransports = (transports: readonly string[] = []): string[] =>
  knownTransports.filter((known) => transports.includes(known))

/**
 * The answer without what the maker of the authenticator attests. We ask for none and believe none; and its check would read certificates of strangers
 * and fetch the addresses that stand in them.
 */
async function withoutAttestation(response: RegistrationResponseJSON): Promise<RegistrationResponseJSON> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject)).get(
    'authData',
  )
  const attestation = new Map<string, string | Uint8Array | Map<string, string>>()
  attestation.set('fmt', 'none').set('attStmt', new Map()).set('authData', authData)
  const bare = isoCBOR.encode(attestation)
  return {
    ...response,
    response: { ...response.response, attestationObject: isoBase64URL.fromBuffer(bare) },
  }
}

/** What a passkey that was used says of itself. */
export interface Assertion {
  counter: number
  isBackedUp: boolean
}

/** Undefined where the answer is not what was asked for, or not signed by this passkey. The counter is not compared: `useCounter` does that. */
export async function verifyAssertion(
  log: Log,
  { site, challenge }: Expectation,
  passkey: PasskeyRow,
  response: AuthenticationResponseJSON,
): Promise<Assertion | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const found = await orRefused(log, () =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      requireUserVerification: true,
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    }),
  )
  if (!found?.verified) return undefined
  const { newCounter, credentialBackedUp } = found.authenticationInfo
  return { counter: newCounter, isBackedUp: credentialBackedUp }
}

const maxReasonLength = 300

/** The library throws a sentence for every answer that is not as it must be; the operator needs it where an address is configured wrongly. */
async function orRefused<Found>(log: Log, verify: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await verify()
  } catch (error) {
    log.info({ reason: String(error).slice(0, maxReasonLength) }, 'a passkey was refused')
    return undefined
  }
}
