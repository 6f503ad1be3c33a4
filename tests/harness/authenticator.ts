/** An authenticator in software: it makes passkeys (ES256, without attestation) and signs with them, as a browser would hand that to a page. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
  excludeCredentials?: { id: string }[]
}

export interface RequestOptions {
  challenge: string
  rpId: string
  allowCredentials?: { id: string }[]
}

/** What a test has an authenticator or a browser do otherwise than it should. */
export interface Deviation {
  origin?: string
  rpId?: string
  /** The counter that is reported. */
  counter?: number
  userVerified?: boolean
  /** The page stands in a frame of another site's page. */
  crossOrigin?: boolean
  /** The type of the ceremony, such as `webauthn.get`. */
  type?: string
  userHandle?: string
}

interface Credential {
  id: string
  rpId: string
  userHandle: string
  key: KeyObject
  counter: number
}

const flags = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 }

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

export class SoftAuthenticator {
  readonly #origin: string
  readonly #isSynced: boolean
  readonly #credentials: Credential[] = []

  /** `isSynced`: passkeys are kept in a cloud, so their counter is always 0. */
  constructor(origin: string, { isSynced = false } = {}) {
    this.#origin = origin
    this.#isSynced = isSynced
  }

  /** Another one of the same kind, without passkeys. */
  anew(): SoftAuthenticator {
    return new SoftAuthenticator(this.#origin, { isSynced: this.#isSynced })
  }

  /** Makes a passkey, as `navigator.credentials.create()` does. Throws if this authenticator has one that the site excludes. */
  create(options: CreationOptions, deviation: Deviation = {}) {
    if (options.excludeCredentials?.some(({ id }) => this.#credentials.some((own) => own.id === id)))
      throw new Error('InvalidStateError')
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(16)
    const rpId = deviation.rpId ?? options.rp.id
    const credential = {
      ...{ id: id.toString('base64url'), rpId, userHandle: options.user.id },
      ...{ key: privateKey, counter: 0 },
    }
    this.#credentials.push(credential)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
    const authData = Buffer.concat([this.#authData(credential, deviation, flags.attested), attested])
    const attestation = cborMap([
      ['fmt', cborText('none')],
      ['attStmt', cborMap([])],
      ['authData', cborBytes(authData)],
    ])
    return {
      ...this.#head(credential),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, deviation),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    }
  }

  /** Signs with a passkey, as `navigator.credentials.get()` does. Throws if this authenticator has none that fits. */
  get(options: RequestOptions, deviation: Deviation = {}) {
    const allowed = options.allowCredentials ?? []
    const credential = this.#credentials.findLast(
      ({ id, rpId }) =>
        rpId === options.rpId && (allowed.length === 0 || allowed.some((one) => one.id === id)),
    )
    if (!credential) throw new Error('NotAllowedError')
    if (!this.#isSynced) credential.counter++
    const authData = this.#authData(credential, deviation)
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, deviation)
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return {
      ...this.#head(credential),
      response: {
        clientDataJSON,
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, credential.key).toString('base64url'),
        userHandle: deviation.userHandle ?? credential.userHandle,
      },
    }
  }

  #head({ id }: Credential) {
    return {
      ...{ id, rawId: id, type: 'public-key' as const },
      ...{ authenticatorAttachment: 'platform' as const, clientExtensionResults: {} },
    }
  }

  #authData({ rpId, counter }: Credential, deviation: Deviation, more = 0): Buffer {
    const verified = deviation.userVerified === false ? 0 : flags.verified
    const synced = this.#isSynced ? flags.backupEligible | flags.backedUp : 0
    const tail = Buffer.alloc(5)
    tail.writeUInt8(flags.present | verified | synced | more)
    tail.writeUInt32BE(deviation.counter ?? counter, 1)
    return Buffer.concat([sha256(deviation.rpId ?? rpId), tail])
  }

  #clientData(type: string, challenge: string, deviation: Deviation): string {
    const { origin = this.#origin, crossOrigin = false } = deviation
    const data = { type: deviation.type ?? type, challenge, origin, crossOrigin }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }
}

/** The public key in the form of COSE (RFC 9053): elliptic curve, ES256, P-256. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x, y } = publicKey.export({ format: 'jwk' })
  return cborMap([
    [1, cborInteger(2)],
    [3, cborInteger(-7)],
    [-1, cborInteger(1)],
    [-2, cborBytes(Buffer.from(x!, 'base64url'))],
    [-3, cborBytes(Buffer.from(y!, 'base64url'))],
  ])
}

/** The parts of CBOR (RFC 8949) that passkeys need. */
function cborHead(major: number, value: number): Buffer {
  const type = major << 5
  if (value < 24) return Buffer.from([type | value])
  return value < 256 ? Buffer.from([type | 24, value]) : Buffer.from([type | 25, value >> 8, value & 0xff])
}
const cborInteger = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string): Buffer =>
  Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const cborMap = (members: [string | number, Buffer][]): Buffer =>
  Buffer.concat([
    cborHead(5, members.length),
    ...members.flatMap(([name, value]) => [
      typeof name === 'string' ? cborText(name) : cborInteger(name),
      value,
    ]),
  ])
