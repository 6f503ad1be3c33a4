/** Connectivity checks of ICE, which are binding requests of STUN (RFC 8489, RFC 8445): they are read as untrusted input and answered. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { crc32 } from 'node:zlib'

/** A binding request whose sender has proven nothing yet. */
export interface Check {
  /** The username: `ours:theirs`. */
  username: string
  transactionId: Buffer
  /** True if the client has chosen the path of this check. */
  nominates: boolean
}

const magicCookie = 0x2112a442
const bindingRequest = 0x0001
const bindingSuccess = 0x0101
const headerBytes = 20
const integrityBytes = 24
const maxUsernameLength = 513
const attribute = {
  username: 0x0006,
  integrity: 0x0008,
  xorMappedAddress: 0x0020,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
} as const

interface Attribute {
  type: number
  /** The position of its header in the message. */
  at: number
  value: Buffer
}

/** Whether the first byte is that of STUN (RFC 7983). */
export const isStun = (bytes: Buffer): boolean => bytes[0]! < 4

/** Reads a check; undefined if it is not a binding request, or incomplete. */
export function readCheck(bytes: Buffer): Check | undefined {
  const attributes = attributesOf(bytes)
  if (attributes === undefined) return undefined
  // Attributes after the integrity may have been written by anybody.
  const end = attributes.findIndex(({ type }) => type === attribute.integrity)
  const signed = attributes.slice(0, Math.max(end, 0))
  const username = signed.find(({ type }) => type === attribute.username)?.value
  if (username === undefined || username.length > maxUsernameLength) return undefined
  return {
    username: username.toString('latin1'),
    transactionId: bytes.subarray(8, headerBytes),
    nominates: signed.some(({ type }) => type === attribute.useCandidate),
  }
}

/** Whether the sender of the check knows the password. */
export function isAuthentic(bytes: Buffer, password: string): boolean {
  const attributes = attributesOf(bytes) ?? []
  const integrity = attributes.find(({ type }) => type === attribute.integrity)
  if (integrity?.value.length !== 20) return false
  const fingerprint = attributes.find(({ type }) => type === attribute.fingerprint)
  if (fingerprint !== undefined && !isFingerprint(bytes, fingerprint)) return false
  return timingSafeEqual(integrity.value, integrityOf(bytes.subarray(0, integrity.at), password))
}

/** The answer to a check: the address from which the check came, as seen here. */
export function successOf(check: Check, from: { address: string; port: number }, password: string): Buffer {
  const mapped = encode(attribute.xorMappedAddress, mappedAddress(from, check.transactionId))
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(bindingSuccess, 0)
  header.writeUInt32BE(magicCookie, 4)
  check.transactionId.copy(header, 8)
  const signed = Buffer.concat([header, mapped])
  const whole = Buffer.concat([
    signed,
    encode(attribute.integrity, integrityOf(signed, password)),
    Buffer.alloc(8),
  ])
  whole.writeUInt16BE(whole.length - headerBytes, 2)
  const at = whole.length - 8
  encode(attribute.fingerprint, fingerprintOf(whole.subarray(0, at))).copy(whole, at)
  return whole
}

/** The attributes of a message; their number is limited by the size of a datagram. */
function attributesOf(bytes: Buffer): Attribute[] | undefined {
  if (bytes.length < headerBytes || bytes.length % 4 !== 0) return undefined
  if (bytes.readUInt16BE(0) !== bindingRequest || bytes.readUInt32BE(4) !== magicCookie) return undefined
  if (bytes.readUInt16BE(2) !== bytes.length - headerBytes) return undefined
  const attributes: Attribute[] = []
  for (let at = headerBytes; at < bytes.length; ) {
    const length = bytes.readUInt16BE(at + 2)
    const end = at + 4 + length
    if (end > bytes.length) return undefined
    attributes.push({ type: bytes.readUInt16BE(at), at, value: bytes.subarray(at + 4, end) })
    at = (end + 3) & ~3
  }
  return attributes
}

/**
 * The integrity of a message. `before` is the message up to the attribute; the length in the header counts as if the message ended after the
 * attribute.
 */
function integrityOf(before: Buffer, password: string): Buffer {
  const head = Buffer.from(before)
  head.writeUInt16BE(before.length + integrityBytes - headerBytes, 2)
  return createHmac('sha1', password).update(head).digest()
}

const isFingerprint = (bytes: Buffer, { at, value }: Attribute): boolean =>
  at + 8 === bytes.length && value.equals(fingerprintOf(bytes.subarray(0, at)))

function fingerprintOf(before: Buffer): Buffer {
  const value = Buffer.alloc(4)
  value.writeUInt32BE((crc32(before) ^ 0x5354554e) >>> 0)
  return value
}

function encode(type: number, value: Buffer): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt16BE(type, 0)
  header.writeUInt16BE(value.length, 2)
  return Buffer.concat([header, value])
}

function mappedAddress({ address, port }: { address: string; port: number }, transactionId: Buffer): Buffer {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(magicCookie)
  const isFour = isIPv4(address)
  const bytes = isFour ? Buffer.from(address.split('.').map(Number)) : addressOfSix(address)
  const mask = Buffer.concat([key, transactionId])
  const value = Buffer.alloc(4)
  value[1] = isFour ? 1 : 2
  value.writeUInt16BE(port ^ (magicCookie >>> 16), 2)
  return Buffer.concat([value, bytes.map((byte, i) => byte ^ mask[i]!)])
}

/** The bytes of an address as sockets write it: its last two words may be written as an IPv4 address, and a zone may follow. */
function addressOfSix(address: string): Buffer {
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`)
  const [front = '', back = ''] = hostname.slice(1, -1).split('::')
  const words = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const head = words(front)
  const tail = words(back)
  const middle = Array<string>(8 - head.length - tail.length).fill('0')
  const hex = [...head, ...middle, ...tail].map((part) => part.padStart(4, '0'))
  return Buffer.from(hex.join(''), 'hex')
}
