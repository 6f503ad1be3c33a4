/** The calls of WebAuthn, between JSON as the API has it and the bytes that browsers want. */
import type { Body, Reply } from './client.ts'

type RequestOptions = Reply<'POST /v1/sign-in/passkey/options'>
type CreationOptions = Reply<'POST /v1/me/passkeys/options'>
type Answer = Body<'POST /v1/sign-in/passkey'>['response']
type Registration = Body<'POST /v1/me/passkeys'>['response']
type Descriptor = RequestOptions['allowCredentials'][number]

/** The person closed the browser's dialog, or it found no passkey. */
export class PasskeyStopped extends Error {
  override name = 'PasskeyStopped'
}

/** The device holds a passkey of this person already. */
export class PasskeyKnown extends Error {
  override name = 'PasskeyKnown'
}

export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function' && isSecureContext

export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0))
}

export function base64urlOf(bytes: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

const descriptorOf = ({ id, type, transports }: Descriptor): PublicKeyCredentialDescriptor => ({
  id: bytesOf(id),
  type,
  transports: transports as AuthenticatorTransport[],
})

/** What the browser's dialog ends with, in errors of ours. */
function stopped(error: unknown): never {
  const { name } = error as DOMException
  if (name === 'NotAllowedError' || name === 'AbortError') throw new PasskeyStopped()
  throw name === 'InvalidStateError' ? new PasskeyKnown() : error
}

/** Lets the person use a passkey; gives the answer that the API verifies. Throws PasskeyStopped if none was used. */
export async function getPasskey({ challenge, allowCredentials, ...rest }: RequestOptions): Promise<Answer> {
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    allowCredentials: allowCredentials.map(descriptorOf),
  }
  const credential = await navigator.credentials.get({ publicKey }).catch(stopped)
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyStopped()
  const response = credential.response as AuthenticatorAssertionResponse
  return {
    ...namesOf(credential),
    response: {
      clientDataJSON: base64urlOf(response.clientDataJSON),
      authenticatorData: base64urlOf(response.authenticatorData),
      signature: base64urlOf(response.signature),
      userHandle: response.userHandle && base64urlOf(response.userHandle),
    },
  }
}

/**
 * Has the browser make a passkey; gives what the API stores. Throws PasskeyStopped if none was made, PasskeyKnown if the device has one of this person
 * already.
 */
export async function createPasskey({
  challenge,
  user,
  excludeCredentials,
  ...rest
}: CreationOptions): Promise<Registration> {
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(descriptorOf),
  }
  const credential = await navigator.credentials.create({ publicKey }).catch(stopped)
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyStopped()
  const response = credential.response as AuthenticatorAttestationResponse
  return {
    ...namesOf(credential),
    response: {
      clientDataJSON: base64urlOf(response.clientDataJSON),
      attestationObject: base64urlOf(response.attestationObject),
      transports: response.getTransports(),
    },
  }
}

const namesOf = ({ id, rawId }: PublicKeyCredential) => ({
  id,
  rawId: base64urlOf(rawId),
  type: 'public-key' as const,
  clientExtensionResults: {},
})
