/**
 * Secrets at rest (docs/decisions/0029): sealed by AES-256-GCM with a key that the database never sees. What a sealed text
 * belongs to is sealed with it, so that one row's secret cannot be put into another row.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const mark = 'sealed:1:'
const nonceBytes = 12
const tagBytes = 16

export interface SealKey {
  bytes: Buffer
  /** Names the key and tells nothing of it. */
  id: string
}

/** The key that an operator's text stands for, whatever its length. */
export function sealKeyOf(secret: string): SealKey {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  const id = createHash('sha256').update(derive('kherad key id')).digest('hex').slice(0, 16)
  return { bytes: derive('kherad seal'), id }
}

export const isSealed = (text: string): boolean => text.startsWith(mark)

/** `belongsTo` is asked for again when it is opened. */
export function sealWith(key: SealKey, plain: string, belongsTo: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo))
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return mark + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Throws for a text that this key did not seal, or not for this. */
export function openWith(key: SealKey, text: string, belongsTo: string): string {
  const bytes = Buffer.from(text.slice(mark.length), 'base64')
  const nonce = bytes.subarray(0, nonceBytes)
  const opener = createDecipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(belongsTo))
  opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([opener.update(bytes.subarray(nonceBytes + tagBytes)), opener.final()]).toString(
    'utf8',
  )
}
