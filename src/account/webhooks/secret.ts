/**
 * Secrets of connections and what they sign. One secret serves two ways of checking:
 * - the contract's `X-Service-Signature` is keyed with the bytes of the secret as it is shown, `whsec_` and all;
 * - Standard Webhooks (https://www.standardwebhooks.com) keys with the bytes whose base64 stands behind `whsec_`.
 */
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

export const newSecret = (): string => secretOf(randomBytes(secretBytes))

/** The secret of these bytes, as it is shown. */
export const secretOf = (bytes: Uint8Array): string => prefix + Buffer.from(bytes).toString('base64')

/** The purpose under which the secret of a connection is sealed. */
export const sealedFor = (connectionId: string): string => `webhooks.connections ${connectionId}`

export interface SignatureInput {
  eventId: string
  /** Unix seconds. */
  timestamp: number
  body: string
  secret: string
  /** The secret before the last rotation, while it still signs. */
  oldSecret?: string | undefined
}

export function signatureHeaders(input: SignatureInput): Record<string, string> {
  const { eventId, timestamp, body, secret, oldSecret } = input
  const standard = [secret, ...(oldSecret === undefined ? [] : [oldSecret])].map(
    (one) => `v1,${hmac(standardKey(one), `${eventId}.${timestamp}.${body}`).toString('base64')}`,
  )
  return {
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': `v1=${hmac(secret, `${timestamp}.${body}`).toString('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const standardKey = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64')
