import { beforeAll, describe, expect, test } from 'vitest'
import { CipherContext, DtlsServer, type DtlsSocket, HashAlgorithm, SignatureAlgorithm } from 'werift'
import fc from '../../../tests/harness/fast-check.ts'
import { uint } from './bytes-reader.ts'
import { type Certificate, fingerprintOf, newCertificate } from './certificate.ts'
import { DtlsClient, type SecuredMedia } from './dtls-client.ts'
import { type HandshakeMessage, HandshakeOrder } from './dtls-handshake.ts'
import { contentType, encodeRecord, recordsOf } from './dtls-records.ts'
import { keyBytes, saltBytes, srtpProfiles } from './srtp.ts'

type Keys = Awaited<ReturnType<typeof CipherContext.createSelfSignedCertificateWithKey>>
const newKeys = (): Promise<Keys> =>
  CipherContext.createSelfSignedCertificateWithKey({
    signature: SignatureAlgorithm.ecdsa_3,
    hash: HashAlgorithm.sha256_4,
  })
const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

interface PairOptions {
  /** The fingerprint in the offer; if absent, that of the server. */
  fingerprint?: Buffer
  /** Whether a datagram of the server is lost. */
  isLost?(datagram: Buffer): boolean
}

/** The client of this room, and a server of another implementation. */
class Pair {
  readonly server: DtlsSocket
  readonly client: DtlsClient
  readonly sent: Buffer[] = []
  readonly received: Buffer[] = []
  media: SecuredMedia | undefined
  failure: Error | undefined
  isClosed = false

  constructor(certificate: Certificate, keys: Keys, { fingerprint, isLost }: PairOptions = {}) {
    const transport = {
      type: 'test',
      onData: (_bytes: Buffer) => undefined as unknown,
      send: async (bytes: Buffer) => {
        const copy = Buffer.from(bytes)
        if (!isLost?.(copy)) setImmediate(() => this.client.receive(copy))
      },
      close: async () => undefined,
    }
    this.client = new DtlsClient({
      certificate,
      fingerprint: fingerprint ?? fingerprintOf(derOf(keys.certPem)),
      send: (bytes) => {
        this.sent.push(bytes)
        setImmediate(() => transport.onData(Buffer.from(bytes)))
      },
      secured: (media) => {
        this.media = media
      },
      data: (bytes) => this.received.push(Buffer.from(bytes)),
      closed: () => {
        this.isClosed = true
      },
      failed: (error) => {
        this.failure = error
      },
    })
    this.server = new DtlsServer({
      transport: transport as never,
      cert: keys.certPem,
      key: keys.keyPem,
      signatureHash: keys.signatureHash,
      srtpProfiles: [srtpProfiles.aes128Gcm],
      extendedMasterSecret: true,
      certificateRequest: true,
    } as never)
    this.client.start()
  }
}

describe('DTLS as client', () => {
  let certificate: Certificate
  let keys: Keys
  beforeAll(async () => {
    certificate = await newCertificate()
    keys = await newKeys()
  })
  const connect = (theirs: Keys, options?: PairOptions): Pair => new Pair(certificate, theirs, options)

  test('agrees on keys with another implementation, and carries data both ways', async () => {
    const pair = connect(keys)
    await expect.poll(() => pair.media).toBeDefined()
    const profile = srtpProfiles.aes128Gcm
    const theirs = pair.server.extractSessionKeys(keyBytes, saltBytes(profile))
    expect(pair.media).toEqual({
      profile,
      ours: { key: theirs.remoteKey, salt: theirs.remoteSalt },
      theirs: { key: theirs.localKey, salt: theirs.localSalt },
    })
    expect(fingerprintOf(pair.server.remoteCertificate!)).toEqual(fingerprintOf(certificate.der))
    const heard = new Promise((resolve) => pair.server.onData.once(resolve))
    pair.client.send(Buffer.from('ours'))
    expect(await heard).toEqual(Buffer.from('ours'))
    await pair.server.send(Buffer.from('theirs'))
    await expect.poll(() => pair.received).toEqual([Buffer.from('theirs')])
  })

  test('whoever has the certificate and not its key is refused', async () => {
    const others = await newKeys()
    const pair = connect({ ...keys, keyPem: others.keyPem })
    await expect.poll(() => pair.failure?.message).toBe('a wrong signature')
    expect(pair.media).toBeUndefined()
  })

  test('a server that has heard something else is refused by its last message', async () => {
    const pair = connect(keys)
    const { cipher } = pair.server as unknown as { cipher: { verifyData(heard: Buffer): Buffer } }
    const verifyData = cipher.verifyData.bind(cipher)
    cipher.verifyData = (heard) => verifyData(Buffer.concat([heard, Buffer.from([0])]))
    await expect.poll(() => pair.failure?.message).toBe('the two sides have not heard the same')
    expect(pair.media).toBeUndefined()
  })

  test('another certificate than the one of the offer is refused', async () => {
    const pair = connect(keys, { fingerprint: Buffer.alloc(32) })
    await expect.poll(() => pair.failure?.message).toBe('another certificate')
    expect(pair.media).toBeUndefined()
  })

  test('where the last message is lost it is sent again, and no nonce is used twice', async () => {
    let lost = 0
    const isLast = (datagram: Buffer): boolean => recordsOf(datagram).some(({ epoch }) => epoch === 1)
    const pair = connect(keys, { isLost: (datagram) => isLast(datagram) && lost++ < 2 })
    await expect.poll(() => pair.media).toBeDefined()
    expect(lost).toBeGreaterThan(1)
    for (let i = 0; i < 20; i++) pair.client.send(Buffer.from('data'))
    const numbers = pair.sent.flatMap(recordsOf).map(({ epoch, sequence }) => `${epoch} ${sequence}`)
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('nothing in the clear ends it, and no record counts twice', async () => {
    const records: Buffer[] = []
    const isLost = (datagram: Buffer): boolean => records.push(datagram) < 0
    const pair = connect(keys, { isLost })
    await expect.poll(() => pair.media).toBeDefined()
    for (const type of [...Object.values(contentType), 40])
      for (const epoch of [0, 1])
        pair.client.receive(encodeRecord({ type, epoch, sequence: 9, fragment: Buffer.alloc(40, 2) }))
    await pair.server.send(Buffer.from('once'))
    await expect.poll(() => pair.received.length).toBe(1)
    for (const datagram of records) pair.client.receive(datagram)
    expect(pair.received).toEqual([Buffer.from('once')])
    expect([pair.failure, pair.isClosed]).toEqual([undefined, false])
  })

  test('any bytes are read or refused, and the handshake goes on', async () => {
    const pair = connect(keys)
    const byte = fc.uint8Array({ maxLength: 80 })
    const fragment = fc.tuple(fc.constantFrom(20, 21, 22, 23), fc.integer({ min: 0, max: 1 }), byte)
    fc.assert(
      fc.property(fc.oneof(byte, fragment), (bytes) => {
        if (bytes instanceof Uint8Array) pair.client.receive(Buffer.from(bytes))
        else {
          const [type, epoch, text] = bytes
          // The fragment belongs to a message that has not begun, since anybody may spoil an unencrypted message.
          const sequence = Buffer.from([2, 0, 0, 90, 255, 255, 0, 0, 0, 0, 0, text.length])
          const whole = type === 22 ? Buffer.concat([sequence, text]) : Buffer.from(text)
          pair.client.receive(encodeRecord({ type, epoch, sequence: 1, fragment: whole }))
        }
      }),
    )
    await expect.poll(() => pair.media).toBeDefined()
    expect(pair.failure).toBeUndefined()
  })
})

describe('handshake messages', () => {
  const message = (sequence: number, body: Buffer): HandshakeMessage => ({ type: 11, sequence, body })

  test('leave whole, in their order and once, however their fragments come', () => {
    const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        bodies,
        fc.integer({ min: 1, max: 20 }),
        fc.infiniteStream(fc.nat()),
        (sent, size, draw) => {
          const fragments = sent.flatMap((body, sequence) => fragmentsOf(sequence, Buffer.from(body), size))
          const keyed = [...fragments, ...fragments].map((bytes) => ({ bytes, key: draw.next().value }))
          const order = new HandshakeOrder()
          const left: HandshakeMessage[] = []
          for (const { bytes } of keyed.sort((a, b) => a.key - b.key)) {
            order.push(bytes)
            for (let next = order.shift(); next; next = order.shift()) left.push(next)
          }
          expect(left).toEqual(sent.map((body, sequence) => message(sequence, Buffer.from(body))))
        },
      ),
    )
  })

  test('may have 16,384 bytes and no more', () => {
    const header = (length: number): Buffer => Buffer.concat([uint(11, 1), uint(length, 3), Buffer.alloc(8)])
    expect(new HandshakeOrder().push(header(16_384))).toBe(false)
    expect(() => new HandshakeOrder().push(header(16_385))).toThrow(RangeError)
  })

  function fragmentsOf(sequence: number, body: Buffer, size: number): Buffer[] {
    const fragments: Buffer[] = []
    for (let at = 0; at < body.length; at += size) {
      const part = body.subarray(at, at + size)
      const fields = [uint(11, 1), uint(body.length, 3), uint(sequence, 2), uint(at, 3), uint(part.length, 3)]
      fragments.push(Buffer.concat([...fields, part]))
    }
    return fragments
  }
})
