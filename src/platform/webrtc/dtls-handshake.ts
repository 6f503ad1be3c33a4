/** Handshake messages of DTLS 1.2: fragments are assembled in order, and the fields of a server's messages are read. */
import { BytesReader, uint, vector } from './bytes-reader.ts'
import { recordVersion } from './dtls-records.ts'
import { type SrtpProfile, srtpProfiles } from './srtp.ts'

export const messageType = {
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
} as const

export interface HandshakeMessage {
  type: number
  /** The number of the message among those of one side. */
  sequence: number
  body: Buffer
}

/** The message as it is signed and sent: in one fragment. */
export const encodeMessage = ({ type, sequence, body }: HandshakeMessage): Buffer =>
  Buffer.concat([
    uint(type, 1),
    uint(body.length, 3),
    uint(sequence, 2),
    uint(0, 3),
    uint(body.length, 3),
    body,
  ])

const bounds = {
  /** The maximum bytes of a message; a chain of certificates is the longest one. */
  bytes: 16_384,
  /** The maximum messages ahead of a missing one. */
  ahead: 8,
} as const

interface PartialMessage {
  type: number
  body: Buffer
  /** For each byte, whether it has arrived. */
  arrived: Uint8Array
  missing: number
}

/** Assembles messages. Datagrams arrive in any order, twice, or not at all; `shift` returns complete messages in order, each once. */
export class HandshakeOrder {
  readonly #partial = new Map<number, PartialMessage>()
  /** The number of the message that `shift` returns next. */
  next: number

  constructor(next = 0) {
    this.next = next
  }

  /** Adds fragments. Returns true if one belongs to a message that was returned before: the other side did not receive the answer to it. */
  push(fragments: Buffer): boolean {
    const reader = new BytesReader(fragments)
    let isRepeat = false
    while (reader.rest > 0) {
      const type = reader.uint(1)
      const length = reader.uint(3)
      const sequence = reader.uint(2)
      const at = reader.uint(3)
      const bytes = reader.vector(3)
      if (length > bounds.bytes || at + bytes.length > length) throw new RangeError('no fragment')
      if (sequence < this.next) isRepeat = true
      else if (sequence < this.next + bounds.ahead) this.#add(sequence, type, length, at, bytes)
    }
    return isRepeat
  }

  #add(sequence: number, type: number, length: number, at: number, bytes: Buffer): void {
    const known = this.#partial.get(sequence)
    const partial = known ?? {
      type,
      body: Buffer.alloc(length),
      arrived: new Uint8Array(length),
      missing: length,
    }
    if (partial.type !== type || partial.body.length !== length) return
    this.#partial.set(sequence, partial)
    for (let i = 0; i < bytes.length; i++) {
      if (partial.arrived[at + i] === 1) continue
      partial.arrived[at + i] = 1
      partial.body[at + i] = bytes[i]!
      partial.missing--
    }
  }

  /** The next message, if it is complete. */
  shift(): HandshakeMessage | undefined {
    const sequence = this.next
    const partial = this.#partial.get(sequence)
    if (partial === undefined || partial.missing > 0) return undefined
    this.#partial.delete(sequence)
    this.next++
    return { type: partial.type, sequence, body: partial.body }
  }
}

export const curves = { x25519: 0x001d, p256: 0x0017 } as const
export const signatures = { ecdsaP256Sha256: 0x0403, rsaPssSha256: 0x0804, rsaSha256: 0x0401 } as const
const cipherSuites = { ecdsaAes128Gcm: 0xc02b, rsaAes128Gcm: 0xc02f } as const
const extension = {
  groups: 10,
  pointFormats: 11,
  signatures: 13,
  useSrtp: 14,
  extendedMasterSecret: 23,
  renegotiation: 0xff01,
} as const

const uints = (values: object): Buffer[] => Object.values(values).map((value: number) => uint(value, 2))

export function clientHello(random: Buffer, cookie: Buffer): Buffer {
  const extensions: [number, Buffer][] = [
    [extension.groups, vector(2, ...uints(curves))],
    [extension.pointFormats, vector(1, uint(0, 1))],
    [extension.signatures, vector(2, ...uints(signatures))],
    // The preferred profile comes first: it takes one pass over a packet instead of two.
    [
      extension.useSrtp,
      Buffer.concat([
        vector(2, uint(srtpProfiles.aes128Gcm, 2), uint(srtpProfiles.aes128CmSha1, 2)),
        uint(0, 1),
      ]),
    ],
    [extension.extendedMasterSecret, Buffer.alloc(0)],
    [extension.renegotiation, vector(1)],
  ]
  return Buffer.concat([
    uint(recordVersion, 2),
    random,
    vector(1),
    vector(1, cookie),
    vector(2, ...uints(cipherSuites)),
    vector(1, uint(0, 1)),
    vector(2, ...extensions.map(([type, body]) => Buffer.concat([uint(type, 2), vector(2, body)]))),
  ])
}

export function readHelloVerifyRequest(body: Buffer): { cookie: Buffer } {
  const reader = new BytesReader(body)
  reader.take(2)
  return { cookie: reader.vector(1) }
}

/** Reads the server's hello. Throws if the server chose something that was not offered. */
export function readServerHello(body: Buffer): { random: Buffer; srtpProfile: SrtpProfile } {
  const reader = new BytesReader(body)
  const version = reader.uint(2)
  const random = reader.take(32)
  reader.vector(1)
  const suite = reader.uint(2)
  const compression = reader.uint(1)
  const extensions = new Map<number, Buffer>()
  const list = new BytesReader(reader.rest > 0 ? reader.vector(2) : Buffer.alloc(0))
  while (list.rest > 0) extensions.set(list.uint(2), list.vector(2))
  const isKnown = Object.values<number>(cipherSuites).includes(suite)
  if (version !== recordVersion || !isKnown || compression !== 0) throw new Error('no common cipher')
  // Without this extension the keys would not depend on all messages (RFC 7627); every browser has it.
  if (!extensions.has(extension.extendedMasterSecret)) throw new Error('no extended master secret')
  const profiles = new BytesReader(extensions.get(extension.useSrtp) ?? Buffer.alloc(0)).vector(2)
  const profile = profiles.length === 2 ? profiles.readUInt16BE() : undefined
  const srtpProfile = Object.values(srtpProfiles).find((known) => known === profile)
  if (srtpProfile === undefined) throw new Error('no common profile of SRTP')
  return { random, srtpProfile }
}

/** The first certificate of the chain, in DER. */
export const readCertificate = (body: Buffer): Buffer =>
  new BytesReader(new BytesReader(body).vector(3)).vector(3)

export const encodeCertificate = (der: Buffer): Buffer => vector(3, vector(3, der))

export interface ServerKeyExchange {
  curve: number
  publicKey: Buffer
  /** The parameters that are signed, after both randoms. */
  parameters: Buffer
  scheme: number
  signature: Buffer
}

export function readServerKeyExchange(body: Buffer): ServerKeyExchange {
  const reader = new BytesReader(body)
  const kind = reader.uint(1)
  const curve = reader.uint(2)
  const publicKey = reader.vector(1)
  if (kind !== 3) throw new Error('no named curve')
  const parameters = body.subarray(0, body.length - reader.rest)
  return { curve, publicKey, parameters, scheme: reader.uint(2), signature: reader.vector(2) }
}
