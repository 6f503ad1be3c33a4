/** Recovery codes: ten codes that each stand for a second factor once, for people who have lost it. */
import { randomInt } from 'node:crypto'
import type { Secrets, Signer } from '#platform/secrets'
import { latinDigits } from '#platform/words'

export const recoveryCodeCount = 10
const length = 12
/** Letters and digits that are not mistaken for one another (Crockford's Base32); twelve of them are 60 bits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** New codes as they are shown: `k3m9-x7qp-2h4t`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodeCount }, newCode)

function newCode(): string {
  const text = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}

/** The code as it is hashed, whichever keyboard typed it; undefined if it cannot be one. */
export function readRecoveryCode(text: string): string | undefined {
  const code = latinDigits(text)
    .toLowerCase()
    .replace(/[\s\u200c-\u200f\u2066-\u2069-]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  return /^[0-9a-hjkmnp-tv-z]{12}$/.test(code) ? code : undefined
}

/** Signs codes with the key of the installation: whoever reads the table alone cannot try codes against it. */
export const recoverySigner = (secrets: Secrets): Promise<Signer> => secrets.signer('person recovery code')

/** The hash of a code that was read. A code of one person is none of another's. */
export const recoveryHash = (signer: Signer, personId: string, code: string): Buffer =>
  signer(Buffer.from(`${personId}/${code}`))
