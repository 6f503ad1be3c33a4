/** Records of DTLS 1.2 (RFC 6347), and their encryption by AES-128-GCM (RFC 5288). */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { ReplayWindow } from './rtp.ts'

export const contentType = { changeCipherSpec: 20, alert: 21, handshake: 22, data: 23 } as const

export interface DtlsRecord {
  type: number
  epoch: number
  /** The sequence number, 48 bits. */
  sequence: number
  fragment: Buffer
}

export const recordVersion = 0xfefd
const headerBytes = 13
const explicitNonceBytes = 8
const tagBytes = 16

/** Whether the first byte is that of DTLS (RFC 7983). */
export const isDtls = (bytes: Buffer): boolean => bytes[0]! >= 20 && bytes[0]! <= 63

/** The complete records of a datagram; an incomplete one ends the list. */
export function recordsOf(datagram: Buffer): DtlsRecord[] {
  const records: DtlsRecord[] = []
  for (let at = 0; at + headerBytes <= datagram.length; ) {
    const end = at + headerBytes + datagram.readUInt16BE(at + 11)
    if (end > datagram.length) break
    records.push({
      type: datagram[at]!,
      epoch: datagram.readUInt16BE(at + 3),
      sequence: datagram.readUIntBE(at + 5, 6),
      fragment: datagram.subarray(at + headerBytes, end),
    })
    at = end
  }
  return records
}

export function encodeRecord({ type, epoch, sequence, fragment }: DtlsRecord): Buffer {
  const header = Buffer.alloc(headerBytes)
  header[0] = type
  header.writeUInt16BE(recordVersion, 1)
  header.writeUInt16BE(epoch, 3)
  header.writeUIntBE(sequence, 5, 6)
  header.writeUInt16BE(fragment.length, 11)
  return Buffer.concat([header, fragment])
}

export interface RecordKey {
  key: Buffer
  /** The salt, 4 bytes. */
  salt: Buffer
}

/** Epoch and sequence number: they are authenticated with the record, and are the explicit part of the nonce. */
function numberOf({ epoch, sequence }: Pick<DtlsRecord, 'epoch' | 'sequence'>): Buffer {
  const bytes = Buffer.alloc(explicitNonceBytes)
  bytes.writeUInt16BE(epoch, 0)
  bytes.writeUIntBE(sequence, 2, 6)
  return bytes
}

function additionalData(record: Omit<DtlsRecord, 'fragment'>, length: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes[0] = record.type
  bytes.writeUInt16BE(recordVersion, 1)
  bytes.writeUInt16BE(length, 3)
  return Buffer.concat([numberOf(record), bytes])
}

/** Encrypts records of epoch 1. Each record has a number of its own, even one that is sent again: a nonce is never used twice. */
export class RecordSealer {
  readonly #key: KeyObject
  readonly #salt: Buffer
  #sequence = 0

  constructor({ key, salt }: RecordKey) {
    this.#key = createSecretKey(key)
    this.#salt = salt
  }

  seal(type: number, text: Buffer): Buffer {
    const record = { type, epoch: 1, sequence: this.#sequence++ }
    const nonce = numberOf(record)
    const cipher = createCipheriv('aes-128-gcm', this.#key, Buffer.concat([this.#salt, nonce]))
    cipher.setAAD(additionalData(record, text.length))
    const sealed = cipher.update(text)
    cipher.final()
    return encodeRecord({ ...record, fragment: Buffer.concat([nonce, sealed, cipher.getAuthTag()]) })
  }
}

export class RecordOpener {
  readonly #key: KeyObject
  readonly #salt: Buffer
  readonly #seen = new ReplayWindow()

  constructor({ key, salt }: RecordKey) {
    this.#key = createSecretKey(key)
    this.#salt = salt
  }

  /** Decrypts a record; undefined if it is not authentic or was received before. */
  open(record: DtlsRecord): Buffer | undefined {
    const { fragment, sequence } = record
    const length = fragment.length - explicitNonceBytes - tagBytes
    if (record.epoch !== 1 || length < 0 || !this.#seen.isNew(sequence)) return undefined
    const nonce = Buffer.concat([this.#salt, fragment.subarray(0, explicitNonceBytes)])
    const decipher = createDecipheriv('aes-128-gcm', this.#key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(additionalData(record, length))
    decipher.setAuthTag(fragment.subarray(-tagBytes))
    const text = decipher.update(fragment.subarray(explicitNonceBytes, -tagBytes))
    try {
      decipher.final()
    } catch {
      return undefined
    }
    this.#seen.mark(sequence)
    return text
  }
}
