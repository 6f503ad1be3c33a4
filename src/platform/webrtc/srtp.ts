/** RTP and RTCP encrypted with the keys of DTLS (RFC 3711, RFC 7714). Node does the encryption; this file does the rest. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { extendSequence, ReplayWindow, type RtpPacket, readRtp, unpadded } from './rtp.ts'

/** The numbers of the profiles in RFC 5764 and RFC 7714. */
export const srtpProfiles = { aes128CmSha1: 0x0001, aes128Gcm: 0x0007 } as const
export type SrtpProfile = (typeof srtpProfiles)[keyof typeof srtpProfiles]

export const keyBytes = 16
export const saltBytes = (profile: SrtpProfile): number => (profile === srtpProfiles.aes128Gcm ? 12 : 14)

export interface MasterKey {
  key: Buffer
  salt: Buffer
}

export interface ReceivedRtp extends RtpPacket {
  payload: Buffer
  /** The sequence number, extended so that it does not wrap. */
  index: number
}

/** The session keys of one direction of RTP or RTCP; `labels` are those of encryption, authentication and salt (RFC 3711 4.3). */
class SessionKeys {
  readonly key: KeyObject
  readonly salt: Buffer
  readonly authentication: KeyObject

  constructor({ key, salt }: MasterKey, first: number) {
    const derive = (label: number, bytes: number): Buffer => {
      const iv = Buffer.alloc(16)
      salt.copy(iv)
      iv[7]! ^= label
      return createCipheriv('aes-128-ctr', key, iv).update(Buffer.alloc(bytes))
    }
    this.key = createSecretKey(derive(first, keyBytes))
    this.authentication = createSecretKey(derive(first + 1, 20))
    this.salt = derive(first + 2, 14)
  }
}

interface Protection {
  /** The bytes after an encrypted packet, without the index of RTCP. */
  tagBytes: number
  sealRtp(keys: SessionKeys, header: Buffer, payload: Buffer, ssrc: number, index: number): Buffer
  /** Returns the payload. Throws if the packet is not authentic. */
  openRtp(keys: SessionKeys, bytes: Buffer, rtp: RtpPacket, index: number): Buffer
  sealRtcp(keys: SessionKeys, bytes: Buffer, index: number): Buffer
  /** Returns the reports. Throws if the packet is not authentic. */
  openRtcp(keys: SessionKeys, bytes: Buffer, index: number): Buffer
}

class NotAuthenticError extends Error {}

const encryptedFlag = 0x8000_0000
const rtcpHeaderBytes = 8

function uint32Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

const gcm = {
  /** The initialisation vector, whose last 6 bytes are the index: 4 bytes in RTCP, 6 in RTP. */
  iv({ salt }: SessionKeys, ssrc: number, index: number): Buffer {
    const iv = Buffer.alloc(12)
    iv.writeUInt32BE(ssrc, 2)
    iv.writeUIntBE(index, 6, 6)
    for (let i = 0; i < iv.length; i++) iv[i]! ^= salt[i]!
    return iv
  },
  seal({ key }: SessionKeys, iv: Buffer, clear: Buffer, text: Buffer): Buffer[] {
    const cipher = createCipheriv('aes-128-gcm', key, iv)
    cipher.setAAD(clear)
    const sealed = cipher.update(text)
    cipher.final()
    return [sealed, cipher.getAuthTag()]
  },
  open({ key }: SessionKeys, iv: Buffer, clear: Buffer, sealed: Buffer): Buffer {
    const decipher = createDecipheriv('aes-128-gcm', key, iv, { authTagLength: 16 })
    decipher.setAAD(clear)
    decipher.setAuthTag(sealed.subarray(-16))
    const text = decipher.update(sealed.subarray(0, -16))
    decipher.final()
    return text
  },
}

const aes128Gcm: Protection = {
  tagBytes: 16,
  sealRtp: (keys, header, payload, ssrc, index) =>
    Buffer.concat([header, ...gcm.seal(keys, gcm.iv(keys, ssrc, index), header, payload)]),
  openRtp: (keys, bytes, { ssrc, payloadAt }, index) =>
    gcm.open(keys, gcm.iv(keys, ssrc, index), bytes.subarray(0, payloadAt), bytes.subarray(payloadAt)),
  sealRtcp(keys, bytes, index) {
    const header = bytes.subarray(0, rtcpHeaderBytes)
    const trailer = uint32Bytes(encryptedFlag + index)
    const iv = gcm.iv(keys, bytes.readUInt32BE(4), index)
    const clear = Buffer.concat([header, trailer])
    return Buffer.concat([header, ...gcm.seal(keys, iv, clear, bytes.subarray(rtcpHeaderBytes)), trailer])
  },
  openRtcp(keys, bytes, index) {
    const header = bytes.subarray(0, rtcpHeaderBytes)
    const iv = gcm.iv(keys, bytes.readUInt32BE(4), index)
    const clear = Buffer.concat([header, bytes.subarray(-4)])
    return Buffer.concat([header, gcm.open(keys, iv, clear, bytes.subarray(rtcpHeaderBytes, -4))])
  },
}

const cm = {
  crypt({ key, salt }: SessionKeys, ssrc: number, index: number, text: Buffer): Buffer {
    const iv = Buffer.alloc(16)
    iv.writeUInt32BE(ssrc, 4)
    iv.writeUIntBE(index, 8, 6)
    for (let i = 0; i < salt.length; i++) iv[i]! ^= salt[i]!
    return createCipheriv('aes-128-ctr', key, iv).update(text)
  },
  tag({ authentication }: SessionKeys, ...parts: Buffer[]): Buffer {
    const hmac = createHmac('sha1', authentication)
    for (const part of parts) hmac.update(part)
    return hmac.digest().subarray(0, 10)
  },
  check(tag: Buffer, expected: Buffer): void {
    if (tag.length !== expected.length || !timingSafeEqual(tag, expected)) throw new NotAuthenticError()
  },
}

const rolloversOf = (index: number): Buffer => uint32Bytes(Math.floor(index / 65_536))

const aes128CmSha1: Protection = {
  tagBytes: 10,
  sealRtp(keys, header, payload, ssrc, index) {
    const sealed = cm.crypt(keys, ssrc, index, payload)
    return Buffer.concat([header, sealed, cm.tag(keys, header, sealed, rolloversOf(index))])
  },
  openRtp(keys, bytes, { ssrc, payloadAt }, index) {
    const signed = bytes.subarray(0, -10)
    cm.check(bytes.subarray(-10), cm.tag(keys, signed, rolloversOf(index)))
    return cm.crypt(keys, ssrc, index, signed.subarray(payloadAt))
  },
  sealRtcp(keys, bytes, index) {
    const ssrc = bytes.readUInt32BE(4)
    const header = bytes.subarray(0, rtcpHeaderBytes)
    const signed = Buffer.concat([
      header,
      cm.crypt(keys, ssrc, index, bytes.subarray(rtcpHeaderBytes)),
      uint32Bytes(encryptedFlag + index),
    ])
    return Buffer.concat([signed, cm.tag(keys, signed)])
  },
  openRtcp(keys, bytes, index) {
    const signed = bytes.subarray(0, -10)
    cm.check(bytes.subarray(-10), cm.tag(keys, signed))
    const header = signed.subarray(0, rtcpHeaderBytes)
    const text = signed.subarray(rtcpHeaderBytes, -4)
    return Buffer.concat([header, cm.crypt(keys, bytes.readUInt32BE(4), index, text)])
  },
}

const protections: Record<SrtpProfile, Protection> = {
  [srtpProfiles.aes128Gcm]: aes128Gcm,
  [srtpProfiles.aes128CmSha1]: aes128CmSha1,
}

/** Encrypts the packets that one side sends. */
export class SrtpSender {
  readonly #protection: Protection
  readonly #rtp: SessionKeys
  readonly #rtcp: SessionKeys
  #rtcpIndex = 0

  constructor(profile: SrtpProfile, master: MasterKey) {
    this.#protection = protections[profile]
    this.#rtp = new SessionKeys(master, 0)
    this.#rtcp = new SessionKeys(master, 3)
  }

  /** Encrypts a packet. `index` is the sequence number that does not wrap; no two packets may have the same. */
  rtp(header: Buffer, payload: Buffer, index: number): Buffer {
    return this.#protection.sealRtp(this.#rtp, header, payload, header.readUInt32BE(8), index)
  }

  rtcp(bytes: Buffer): Buffer {
    return this.#protection.sealRtcp(this.#rtcp, bytes, this.#rtcpIndex++)
  }
}

/** Decrypts the packets of the other side: those of one source, each once. */
export class SrtpReceiver {
  readonly #protection: Protection
  readonly #rtp: SessionKeys
  readonly #rtcp: SessionKeys
  readonly #seen = new ReplayWindow()
  readonly #seenRtcp = new ReplayWindow()
  #ssrc: number | undefined
  #highest: number | undefined

  constructor(profile: SrtpProfile, master: MasterKey) {
    this.#protection = protections[profile]
    this.#rtp = new SessionKeys(master, 0)
    this.#rtcp = new SessionKeys(master, 3)
  }

  /** Decrypts a packet; undefined if it is not authentic, was received before, or is of a source other than the first. */
  rtp(bytes: Buffer): ReceivedRtp | undefined {
    const end = bytes.length - this.#protection.tagBytes
    const packet = end < 0 ? undefined : readRtp(bytes, end)
    if (packet === undefined || packet.ssrc !== (this.#ssrc ?? packet.ssrc)) return undefined
    const index = extendSequence(packet.sequence, this.#highest)
    if (!this.#seen.isNew(index)) return undefined
    const opened = this.#open(() => this.#protection.openRtp(this.#rtp, bytes, packet, index))
    if (opened === undefined) return undefined
    this.#ssrc = packet.ssrc
    this.#seen.mark(index)
    this.#highest = Math.max(this.#highest ?? 0, index)
    const payload = packet.isPadded ? unpadded(opened) : opened
    return payload && { ...packet, payload, index }
  }

  /** Decrypts reports; undefined if they are not authentic or were received before. */
  rtcp(bytes: Buffer): Buffer | undefined {
    const indexAt = bytes.length - 4 - (this.#protection === aes128Gcm ? 0 : this.#protection.tagBytes)
    if (bytes.length < rtcpHeaderBytes + 4 + this.#protection.tagBytes) return undefined
    const trailer = bytes.readUInt32BE(indexAt)
    // No client sends reports unencrypted.
    if (trailer < encryptedFlag) return undefined
    const index = trailer - encryptedFlag
    if (!this.#seenRtcp.isNew(index)) return undefined
    const opened = this.#open(() => this.#protection.openRtcp(this.#rtcp, bytes, index))
    if (opened !== undefined) this.#seenRtcp.mark(index)
    return opened
  }

  #open(open: () => Buffer): Buffer | undefined {
    try {
      return open()
    } catch {
      return undefined
    }
  }
}
