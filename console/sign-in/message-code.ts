/** The code of a text message, read by the browser where it offers that (WebOTP) and the message ends in `@host #code`. */

interface MessageCredential extends Credential {
  code: string
}

/** Resolves with the code once such a message has come and the person has agreed; undefined where the browser reads none. */
export async function readMessageCode(signal: AbortSignal): Promise<string | undefined> {
  if (!('OTPCredential' in globalThis)) return undefined
  const options = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions
  try {
    return ((await navigator.credentials.get(options)) as MessageCredential | null)?.code
  } catch {
    // The person declined, or the page went on: the code can be typed as always.
    return undefined
  }
}
