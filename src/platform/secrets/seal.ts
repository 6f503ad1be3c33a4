/**
 * Secrets at rest (docs/decisions/account/webhooks.md): encrypted by AES-256-GCM with a key that the database never sees. The owner of a secret is
 * authenticated with it, so that the secret of one row cannot be moved to another row.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const mark = 'sealed:1:'
const nonceBytes = 12
const tagBytes = 16

export interface SealKey {
  bytes: Buffer
  /** The secret from which the keys of signatures are derived. */
  signing: Buffer
  /** Identifies the key without revealing it. */
  id: string
}

/** Derives the key from an operator's text of any length. */
export function sealKeyOf(secret: string): SealKey {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  const id = createHash('sha256').update(derive('kherad key id')).digest('hex').slice(0, 16)
  return { bytes: derive('kherad seal'), signing: derive('kherad sign'), id }
}

export const isSealed = (text: string): boolean => text.startsWith(mark)

/** Encrypts a text. The same `belongsTo` is needed for decryption. */
export function sealWith(key: SealKey, plain: string, belongsTo: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo))
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return mark + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Decrypts a text. Throws if it was not sealed by this key for this `belongsTo`. */
export function openWith(key: SealKey, text: string, belongsTo: string): string {
  const bytes = Buffer.from(text.slice(mark.length), 'base64')
  const nonce = bytes.subarray(0, nonceBytes)
  const opener = createDecipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo))
  opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([opener.update(bytes.subarray(nonceBytes + tagBytes)), opener.final()]).toString(
    'utf8',
  )
}

/** Returns a signer by HMAC-SHA256; a signature for one purpose is not valid for another. */
export function signerOf({ signing }: SealKey, purpose: string): Signer {
  const key = Buffer.from(hkdfSync('sha256', signing, '', purpose, 32))
  return (data) => createHmac('sha256', key).update(data).digest()
}

/** Returns 32 bytes that nobody without the key can compute. */
export type Signer = (data: Uint8Array) => Buffer
