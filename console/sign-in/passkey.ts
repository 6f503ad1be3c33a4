/** The calls of WebAuthn, between JSON as the API has it and the bytes that browsers want. */
import type { Body, Reply } from '../api/client.ts'

type Options = Reply<'POST /v1/sign-in/passkey/options'>
type Answer = Body<'POST /v1/sign-in/passkey'>['response']
type Descriptor = Options['allowCredentials'][number]

/** The person closed the browser's dialog, or it found no passkey. */
export class PasskeyStopped extends Error {}

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

/** Lets the person use a passkey; gives the answer that the API verifies. Throws PasskeyStopped if none was used. */
export async function getPasskey({ challenge, allowCredentials, ...rest }: Options): Promise<Answer> {
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    allowCredentials: allowCredentials.map(descriptorOf),
  }
  const credential = await navigator.credentials.get({ publicKey }).catch((error: unknown) => {
    const { name } = error as DOMException
    throw name === 'NotAllowedError' || name === 'AbortError' ? new PasskeyStopped() : error
  })
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyStopped()
  const response = credential.response as AuthenticatorAssertionResponse
  return {
    id: credential.id,
    rawId: base64urlOf(credential.rawId),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: base64urlOf(response.clientDataJSON),
      authenticatorData: base64urlOf(response.authenticatorData),
      signature: base64urlOf(response.signature),
      userHandle: response.userHandle && base64urlOf(response.userHandle),
    },
  }
}
