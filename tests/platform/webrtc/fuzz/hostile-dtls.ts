/**
 * The server of DTLS of a hostile client: it proves itself as a browser does, on Node's crypto, and lets a case change each message before it is
 * signed, each fragment, each record and each datagram.
 */
import {
  constants,
  createECDH,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { CipherContext, HashAlgorithm, SignatureAlgorithm } from 'werift'
import { BytesReader, uint, vector } from '../../../../src/platform/webrtc/bytes-reader.ts'
import { type Certificate, newCertificate } from '../../../../src/platform/webrtc/certificate.ts'
import {
  curves,
  encodeCertificate,
  encodeMessage,
  type HandshakeMessage,
  HandshakeOrder,
  messageType,
  signatures,
} from '../../../../src/platform/webrtc/dtls-handshake.ts'
import {
  digestOf,
  expand,
  type Randoms,
  recordKeys,
  srtpKeys,
} from '../../../../src/platform/webrtc/dtls-keys.ts'
import {
  contentType,
  type DtlsRecord,
  encodeRecord,
  RecordOpener,
  RecordSealer,
  recordsOf,
  recordVersion,
} from '../../../../src/platform/webrtc/dtls-records.ts'
import {
  type SrtpProfile,
  SrtpReceiver,
  SrtpSender,
  srtpProfiles,
} from '../../../../src/platform/webrtc/srtp.ts'

export interface Certificates {
  ecdsa: Certificate
  rsa: Certificate
}

/** What a case changes on its way; what it leaves out goes as an honest server sends it. */
export interface HandshakeShape {
  /** Whether a cookie is requested first. */
  hasCookie?: boolean
  /** Whether the endpoint has to prove its certificate. */
  hasRequest?: boolean
  profile?: SrtpProfile
  curve?: keyof typeof curves
  /** How the server proves its key; the certificate is of its kind. */
  scheme?: keyof typeof signatures
  /** Changes the parameters of the key exchange, which are signed afterwards. */
  parameters?(bytes: Buffer): Buffer
  /** Changes the messages of a flight before both sides count them. */
  messages?(flight: HandshakeMessage[]): HandshakeMessage[]
  /** The fragments in which a message is sent. */
  fragments?(message: HandshakeMessage): Buffer[]
  /** The datagrams in which the records of a flight are sent. */
  datagrams?(records: Buffer[]): Buffer[]
}

export interface HostileDtlsOptions {
  certificates: Certificates
  shape: HandshakeShape
  send(datagram: Buffer): void
  /** Called for each record of data that came. */
  data(bytes: Buffer): void
}

const datagramBytes = 1_200
const x25519Prefix = Buffer.from('302a300506032b656e032100', 'hex')

/** The certificates of hostile clients: as browsers have them, and of RSA. */
export async function newCertificates(): Promise<Certificates> {
  const { certPem, keyPem } = await CipherContext.createSelfSignedCertificateWithKey({
    signature: SignatureAlgorithm.rsa_1,
    hash: HashAlgorithm.sha256_4,
  })
  const { raw, fingerprint256 } = new X509Certificate(certPem)
  const rsa = { der: raw, key: createPrivateKey(keyPem), fingerprint: fingerprint256 }
  return { ecdsa: await newCertificate(), rsa }
}

export const certificateOf = ({ ecdsa, rsa }: Certificates, { scheme }: HandshakeShape): Certificate =>
  scheme === undefined || scheme === 'ecdsaP256Sha256' ? ecdsa : rsa

const x25519Of = (point: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([x25519Prefix, point]), format: 'der', type: 'spki' })

interface Agreement {
  /** The public key of this side. */
  point: Buffer
  secretOf(theirs: Buffer): Buffer
}

function newAgreement(curve: keyof typeof curves): Agreement {
  if (curve === 'p256') {
    const ecdh = createECDH('prime256v1')
    return { point: ecdh.generateKeys(), secretOf: (theirs) => ecdh.computeSecret(theirs) }
  }
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return {
    point: publicKey.export({ format: 'der', type: 'spki' }).subarray(x25519Prefix.length),
    secretOf: (theirs) => diffieHellman({ privateKey, publicKey: x25519Of(theirs) }),
  }
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

const extensionOf = (type: number, body: Buffer): Buffer => Buffer.concat([uint(type, 2), vector(2, body)])

export class HostileDtls {
  readonly #options: HostileDtlsOptions
  readonly #profile: SrtpProfile
  readonly #curve: keyof typeof curves
  readonly #scheme: keyof typeof signatures
  readonly #agreement: Agreement
  readonly #random = randomBytes(32)
  readonly #order = new HandshakeOrder()
  #transcript: Buffer[] = []
  #clientRandom: Buffer = Buffer.alloc(32)
  #master: Buffer = Buffer.alloc(0)
  #messages = 0
  #plainRecords = 0
  #opener: RecordOpener | undefined
  #sealer: RecordSealer | undefined
  /** The keys of sound, when both sides have agreed on them. */
  sound: { sender: SrtpSender; receiver: SrtpReceiver } | undefined

  constructor(options: HostileDtlsOptions) {
    this.#options = options
    const { profile = srtpProfiles.aes128Gcm, curve = 'x25519', scheme = 'ecdsaP256Sha256' } = options.shape
    this.#profile = profile
    this.#curve = curve
    this.#scheme = scheme
    this.#agreement = newAgreement(curve)
  }

  receive(datagram: Buffer): void {
    for (const record of recordsOf(datagram)) this.#take(record)
  }

  /** Encrypts bytes as a record of this type; undefined before there are keys. */
  seal(type: number, bytes: Buffer): Buffer | undefined {
    return this.#sealer?.seal(type, bytes)
  }

  #take(record: DtlsRecord): void {
    if (record.epoch === 0) {
      if (record.type === contentType.handshake) this.#takeFragments(record.fragment)
      return
    }
    const text = this.#opener?.open(record)
    if (text === undefined) return
    if (record.type === contentType.handshake) this.#takeFragments(text)
    else if (record.type === contentType.data) this.#options.data(text)
  }

  #takeFragments(fragments: Buffer): void {
    this.#order.push(fragments)
    for (let next = this.#order.shift(); next !== undefined; next = this.#order.shift())
      this.#takeMessage(next)
  }

  #takeMessage(message: HandshakeMessage): void {
    if (message.type === messageType.clientHello) {
      this.#greet(message)
      return
    }
    this.#transcript.push(encodeMessage(message))
    if (message.type === messageType.clientKeyExchange) this.#agree(message.body)
    else if (message.type === messageType.finished) this.#finish()
  }

  #greet(hello: HandshakeMessage): void {
    const reader = new BytesReader(hello.body)
    reader.take(2)
    this.#clientRandom = Buffer.from(reader.take(32))
    reader.vector(1)
    const isFirst = reader.vector(1).length === 0
    this.#transcript = [encodeMessage(hello)]
    if (this.#options.shape.hasCookie === true && isFirst) {
      const body = Buffer.concat([uint(recordVersion, 2), vector(1, randomBytes(20))])
      this.#send(this.#shaped([this.#message(messageType.helloVerifyRequest, body)]))
    } else this.#answer()
  }

  #message(type: number, body: Buffer): HandshakeMessage {
    return { type, sequence: this.#messages++, body }
  }

  #answer(): void {
    const { certificates, shape } = this.#options
    const certificate = certificateOf(certificates, shape)
    const extensions = [
      extensionOf(23, Buffer.alloc(0)),
      extensionOf(14, Buffer.concat([vector(2, uint(this.#profile, 2)), uint(0, 1)])),
    ]
    const hello = [
      uint(recordVersion, 2),
      this.#random,
      vector(1),
      uint(certificate === certificates.ecdsa ? 0xc02b : 0xc02f, 2),
      uint(0, 1),
    ]
    const honest = Buffer.concat([uint(3, 1), uint(curves[this.#curve], 2), vector(1, this.#agreement.point)])
    const parameters = shape.parameters?.(honest) ?? honest
    const signed = Buffer.concat([this.#clientRandom, this.#random, parameters])
    const padding = this.#scheme === 'rsaPssSha256' ? pss : {}
    const signature = sign('sha256', signed, { key: certificate.key, ...padding })
    const flight = [
      this.#message(messageType.serverHello, Buffer.concat([...hello, vector(2, ...extensions)])),
      this.#message(messageType.certificate, encodeCertificate(certificate.der)),
      this.#message(
        messageType.serverKeyExchange,
        Buffer.concat([parameters, uint(signatures[this.#scheme], 2), vector(2, signature)]),
      ),
    ]
    if (shape.hasRequest === true)
      flight.push(
        this.#message(
          messageType.certificateRequest,
          Buffer.concat([vector(1, uint(64, 1)), vector(2, uint(signatures.ecdsaP256Sha256, 2)), vector(2)]),
        ),
      )
    flight.push(this.#message(messageType.serverHelloDone, Buffer.alloc(0)))
    const shaped = this.#shaped(flight)
    this.#transcript.push(...shaped.map(encodeMessage))
    this.#send(shaped)
  }

  #shaped(flight: HandshakeMessage[]): HandshakeMessage[] {
    return this.#options.shape.messages?.(flight) ?? flight
  }

  #agree(body: Buffer): void {
    const theirs = new BytesReader(body).vector(1)
    const secret = this.#agreement.secretOf(theirs)
    this.#master = expand(secret, 'extended master secret', digestOf(this.#transcript), 48)
    const randoms: Randoms = { client: this.#clientRandom, server: this.#random }
    const records = recordKeys(this.#master, randoms)
    // The names of the keys are those of the endpoint, which is the client.
    this.#opener = new RecordOpener(records.ours)
    this.#sealer = new RecordSealer(records.theirs)
    const sound = srtpKeys(this.#master, randoms, this.#profile)
    this.sound = {
      sender: new SrtpSender(this.#profile, sound.theirs),
      receiver: new SrtpReceiver(this.#profile, sound.ours),
    }
  }

  #finish(): void {
    const body = expand(this.#master, 'server finished', digestOf(this.#transcript), 12)
    const change = this.#plain(contentType.changeCipherSpec, Buffer.from([1]))
    const finished = this.#shaped([this.#message(messageType.finished, body)])
    const records = this.#fragmentsOf(finished).map((bytes) =>
      this.#sealer!.seal(contentType.handshake, bytes),
    )
    this.#sendRecords([change, ...records])
  }

  #fragmentsOf(flight: HandshakeMessage[]): Buffer[] {
    return flight.flatMap((message) => this.#options.shape.fragments?.(message) ?? [encodeMessage(message)])
  }

  #plain(type: number, fragment: Buffer): Buffer {
    return encodeRecord({ type, epoch: 0, sequence: this.#plainRecords++, fragment })
  }

  #send(flight: HandshakeMessage[]): void {
    this.#sendRecords(
      this.#fragmentsOf(flight).map((fragment) => this.#plain(contentType.handshake, fragment)),
    )
  }

  #sendRecords(records: Buffer[]): void {
    const datagrams = this.#options.shape.datagrams?.(records) ?? packed(records)
    for (const datagram of datagrams) this.#options.send(datagram)
  }
}

/** As many records in each datagram as fit. */
export function packed(records: readonly Buffer[]): Buffer[] {
  const datagrams: Buffer[][] = [[]]
  let bytes = 0
  for (const record of records) {
    if (bytes + record.length > datagramBytes && bytes > 0) {
      datagrams.push([])
      bytes = 0
    }
    datagrams.at(-1)!.push(record)
    bytes += record.length
  }
  return datagrams.map((parts) => Buffer.concat(parts))
}
