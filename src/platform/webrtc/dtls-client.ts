/**
 * DTLS 1.2 as the client of a browser (docs/decisions/voice/own-webrtc.md). The browser proves its identity by the certificate whose fingerprint is
 * in its offer, and by a signature with that certificate's key.
 */
import { randomBytes, sign } from 'node:crypto'
import { type Deadline, deadlines } from '#platform/clock'
import { uint, vector } from './bytes-reader.ts'
import { type Certificate, fingerprintOf } from './certificate.ts'
import {
  clientHello,
  encodeCertificate,
  encodeMessage,
  type HandshakeMessage,
  HandshakeOrder,
  messageType,
  readCertificate,
  readHelloVerifyRequest,
  readServerHello,
  readServerKeyExchange,
  signatures,
} from './dtls-handshake.ts'
import { agree, digestOf, expand, isSigned, type Randoms, recordKeys, srtpKeys } from './dtls-keys.ts'
import {
  contentType,
  type DtlsRecord,
  encodeRecord,
  RecordOpener,
  RecordSealer,
  recordsOf,
} from './dtls-records.ts'
import type { MasterKey, SrtpProfile } from './srtp.ts'

export interface SecuredMedia {
  profile: SrtpProfile
  ours: MasterKey
  theirs: MasterKey
}

export interface DtlsOptions {
  certificate: Certificate
  /** The SHA-256 of the certificate that the other side must have. */
  fingerprint: Buffer
  send(datagram: Buffer): void
  secured(media: SecuredMedia): void
  data(bytes: Buffer): void
  /** Called when the other side has closed the connection. */
  closed(): void
  /** Called when the other side is not the one that the offer promised. */
  failed(error: Error): void
}

/** The message that is expected from the server, in this order; a certificate request may be missing. */
type HandshakeStep = 'hello' | 'certificate' | 'key' | 'done' | 'finished' | 'secure' | 'over'

const firstRepeatMs = 200
const slowestRepeatMs = 3_000
/** The minimum pause between two answers to a repeated flight: its messages arrive one after another, and are answered once. */
const soonestRepeatMs = 50
/** The maximum of early records, which wait for the last message of the handshake; the client sends further ones again. */
const earlyRecords = 8
const verifyBytes = 12

export class DtlsClient {
  readonly #options: DtlsOptions
  readonly #plainOrder = new HandshakeOrder()
  /** The order of the encrypted messages. An unencrypted message, which anybody can write, must not take their place. */
  #encryptedOrder: HandshakeOrder | undefined
  readonly #random = randomBytes(32)
  readonly #repeat: Deadline
  #repeatMs = firstRepeatMs
  #sentAtMs = 0
  #step: HandshakeStep = 'over'
  /** The messages so far, which both sides sign. */
  #transcript: Buffer[] = []
  #messages = 0
  #plainRecords = 0
  /** This side's last messages, until they are answered. */
  #flight: { type: number; fragment: Buffer; sealed: boolean }[] = []
  #profile: SrtpProfile | undefined
  #serverRandom: Buffer = Buffer.alloc(0)
  #certificate: Buffer = Buffer.alloc(0)
  #agreed: { publicKey: Buffer; secret: Buffer } | undefined
  #mustProve = false
  #master: Buffer = Buffer.alloc(0)
  #sealer: RecordSealer | undefined
  #opener: RecordOpener | undefined
  #early: DtlsRecord[] = []

  constructor(options: DtlsOptions) {
    this.#options = options
    this.#repeat = deadlines.in(0, () => this.#sendAgain())
    this.#repeat.cancel()
  }

  start(): void {
    this.#step = 'hello'
    this.#sendHello(Buffer.alloc(0))
  }

  /** Sends encrypted data; sends nothing before the handshake is complete. */
  send(bytes: Buffer): void {
    if (this.#step === 'secure') this.#options.send(this.#sealer!.seal(contentType.data, bytes))
  }

  /** Notifies the other side and closes; nothing is received or sent afterwards. */
  close(): void {
    const closeNotify = Buffer.from([1, 0])
    if (this.#step === 'secure') this.#options.send(this.#sealer!.seal(contentType.alert, closeNotify))
    this.#end()
  }

  /** Receives a datagram, which anybody may have written. */
  receive(datagram: Buffer): void {
    try {
      for (const record of recordsOf(datagram)) this.#take(record)
    } catch (error) {
      // Anybody may have sent invalid fragments; a complete but wrong message came from the other side.
      if (!(error instanceof RangeError)) this.#fail(error as Error)
    }
  }

  #take(record: DtlsRecord): void {
    if (this.#step === 'over') return
    if (record.epoch === 0) this.#takePlain(record)
    else if (this.#step === 'secure' || record.type === contentType.handshake) this.#takeSealed(record)
    else if (this.#early.length < earlyRecords) this.#early.push(record)
  }

  /** Takes an unencrypted record. Anybody can write one: it may begin a handshake, never complete one. */
  #takePlain({ type, fragment }: DtlsRecord): void {
    if (type !== contentType.handshake || this.#step === 'secure') return
    const isRepeat = this.#plainOrder.push(fragment)
    if (this.#step !== 'finished') this.#takeMessages(this.#plainOrder)
    else if (isRepeat && performance.now() - this.#sentAtMs > soonestRepeatMs) this.#sendAgain()
  }

  #takeSealed(record: DtlsRecord): void {
    const text = this.#opener?.open(record)
    if (text === undefined) return
    if (this.#step === 'finished' && record.type === contentType.handshake) {
      this.#encryptedOrder!.push(text)
      this.#takeMessages(this.#encryptedOrder!)
    } else if (this.#step !== 'secure') return
    else if (record.type === contentType.data) this.#options.data(text)
    // A warning closes the connection or is unimportant, and browsers send no other; a fatal alert ends the connection as well.
    else if (record.type === contentType.alert) {
      this.#end()
      this.#options.closed()
    }
  }

  #takeMessages(order: HandshakeOrder): void {
    for (let message = order.shift(); message !== undefined; message = order.shift()) {
      if (message.type === messageType.finished) this.#finish(message)
      else this.#takeMessage(message)
      if (this.#step === 'secure' || this.#step === 'over') return
      // Unencrypted messages after the last expected one may come from anybody.
      if (message.type === messageType.serverHelloDone) return
    }
  }

  #takeMessage(message: HandshakeMessage): void {
    const { type, body } = message
    const expected = `${this.#step} ${type}`
    if (expected === `hello ${messageType.helloVerifyRequest}`) {
      this.#sendHello(readHelloVerifyRequest(body).cookie)
      return
    }
    this.#transcript.push(encodeMessage(message))
    if (expected === `hello ${messageType.serverHello}`) this.#takeHello(body)
    else if (expected === `certificate ${messageType.certificate}`) this.#takeCertificate(body)
    else if (expected === `key ${messageType.serverKeyExchange}`) this.#takeKey(body)
    else if (expected === `done ${messageType.certificateRequest}`) this.#mustProve = true
    else if (expected === `done ${messageType.serverHelloDone}`) this.#answer()
    else throw new Error(`a message of DTLS out of order: ${expected}`)
  }

  #takeHello(body: Buffer): void {
    const { random, srtpProfile } = readServerHello(body)
    this.#serverRandom = Buffer.from(random)
    this.#profile = srtpProfile
    this.#step = 'certificate'
  }

  #takeCertificate(body: Buffer): void {
    const der = readCertificate(body)
    if (!fingerprintOf(der).equals(this.#options.fingerprint)) throw new Error('another certificate')
    this.#certificate = Buffer.from(der)
    this.#step = 'key'
  }

  /**
   * Checks the signature. The fingerprint alone proves nothing, because certificates are sent unencrypted; whoever signs has the certificate's key.
   */
  #takeKey(body: Buffer): void {
    const { curve, publicKey, parameters, scheme, signature } = readServerKeyExchange(body)
    const signed = Buffer.concat([this.#random, this.#serverRandom, parameters])
    if (!isSigned(this.#certificate, scheme, signed, signature)) throw new Error('a wrong signature')
    this.#agreed = agree(curve, publicKey)
    this.#step = 'done'
  }

  get #randoms(): Randoms {
    return { client: this.#random, server: this.#serverRandom }
  }

  #answer(): void {
    const { certificate } = this.#options
    this.#flight = []
    if (this.#mustProve) this.#say(messageType.certificate, encodeCertificate(certificate.der))
    this.#say(messageType.clientKeyExchange, vector(1, this.#agreed!.publicKey))
    const session = digestOf(this.#transcript)
    this.#master = expand(this.#agreed!.secret, 'extended master secret', session, 48)
    if (this.#mustProve) {
      const signature = sign('sha256', Buffer.concat(this.#transcript), certificate.key)
      const proof = Buffer.concat([uint(signatures.ecdsaP256Sha256, 2), vector(2, signature)])
      this.#say(messageType.certificateVerify, proof)
    }
    this.#flight.push({ type: contentType.changeCipherSpec, fragment: Buffer.from([1]), sealed: false })
    const { ours, theirs } = recordKeys(this.#master, this.#randoms)
    this.#sealer = new RecordSealer(ours)
    this.#opener = new RecordOpener(theirs)
    this.#say(messageType.finished, this.#verifyData('client finished'), true)
    this.#encryptedOrder = new HandshakeOrder(this.#plainOrder.next)
    this.#step = 'finished'
    this.#sendFlight()
  }

  #verifyData(label: string): Buffer {
    return expand(this.#master, label, digestOf(this.#transcript), verifyBytes)
  }

  #finish({ body }: HandshakeMessage): void {
    if (this.#step !== 'finished' || !body.equals(this.#verifyData('server finished')))
      throw new Error('the two sides have not heard the same')
    this.#step = 'secure'
    this.#repeat.cancel()
    this.#flight = []
    this.#transcript = []
    const profile = this.#profile!
    this.#options.secured({ profile, ...srtpKeys(this.#master, this.#randoms, profile) })
    const early = this.#early.splice(0)
    for (const record of early) this.#take(record)
  }

  #sendHello(cookie: Buffer): void {
    this.#transcript = []
    this.#flight = []
    this.#say(messageType.clientHello, clientHello(this.#random, cookie))
    this.#sendFlight()
  }

  #say(type: number, body: Buffer, sealed = false): void {
    const fragment = encodeMessage({ type, sequence: this.#messages++, body })
    this.#transcript.push(fragment)
    this.#flight.push({ type: contentType.handshake, fragment, sealed })
  }

  #sendFlight(): void {
    this.#repeatMs = firstRepeatMs
    this.#send()
  }

  #sendAgain(): void {
    this.#repeatMs = Math.min(2 * this.#repeatMs, slowestRepeatMs)
    this.#send()
  }

  /** Sends the flight in one datagram. Each record gets a new number, because the other side drops a record whose number it has seen. */
  #send(): void {
    const records = this.#flight.map(({ type, fragment, sealed }) =>
      sealed
        ? this.#sealer!.seal(type, fragment)
        : encodeRecord({ type, epoch: 0, sequence: this.#plainRecords++, fragment }),
    )
    this.#sentAtMs = performance.now()
    this.#repeat.restart(this.#repeatMs)
    this.#options.send(Buffer.concat(records))
  }

  #fail(error: Error): void {
    if (this.#step === 'over') return
    this.#end()
    this.#options.failed(error)
  }

  #end(): void {
    this.#step = 'over'
    this.#repeat.cancel()
    this.#flight = []
    this.#early = []
  }
}
