import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { NewPasskey, PasskeyAnswer } from './schema.ts'

/** What a browser wrote of a new passkey, as the check of it takes it. */
export const registrationOf = ({
  response: { id, rawId, type, response },
}: NewPasskey): RegistrationResponseJSON => ({
  ...{ id, rawId, type, clientExtensionResults: {} },
  response: {
    clientDataJSON: response.clientDataJSON,
    attestationObject: response.attestationObject,
    transports: (response.transports ?? []) as NonNullable<
      RegistrationResponseJSON['response']['transports']
    >,
  },
})

/** What a browser wrote of a passkey that it used, as the check of it takes it. */
export const answerOf = ({
  response: { id, rawId, type, response },
}: PasskeyAnswer): AuthenticationResponseJSON => ({
  ...{ id, rawId, type, clientExtensionResults: {} },
  response: {
    clientDataJSON: response.clientDataJSON,
    authenticatorData: response.authenticatorData,
    signature: response.signature,
    ...(response.userHandle && { userHandle: response.userHandle }),
  },
})
