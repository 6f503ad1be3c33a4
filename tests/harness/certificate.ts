import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

/** In PEM. */
export interface Certified {
  key: string
  cert: string
}

/** A key and a self-signed certificate for these DNS names, valid from 2020 to 2049; all in PEM. */
export function selfSigned(...names: string[]): Certified {
  const { publicKey, privateKey } = newKey()
  return {
    key: pemOf(privateKey),
    cert: certificate({
      subject: 'test',
      issuer: 'test',
      publicKey,
      signer: privateKey,
      extension: alternativeNames(names),
    }),
  }
}

/** A private certificate authority and the certificates it signs. Its own certificate is not valid for a server. */
export function privateAuthority(): { cert: string; issue(...names: string[]): Certified } {
  const { publicKey, privateKey: signer } = newKey()
  const issuer = `private authority ${randomUUID()}`
  return {
    cert: certificate({ subject: issuer, issuer, publicKey, signer, extension: authority() }),
    issue(...names) {
      const own = newKey()
      const extension = alternativeNames(names)
      return {
        key: pemOf(own.privateKey),
        cert: certificate({ subject: 'server', issuer, publicKey: own.publicKey, signer, extension }),
      }
    },
  }
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

interface CertificateOptions {
  subject: string
  issuer: string
  publicKey: KeyObject
  signer: KeyObject
  extension: Buffer
}

function certificate({ subject, issuer, publicKey, signer, extension }: CertificateOptions): string {
  const toBeSigned = sequence(
    element(0xa0, integer(2)), // version 3
    integer(Math.floor(Math.random() * 2 ** 30)),
    sequence(ecdsaWithSha256),
    named(issuer),
    sequence(time('200101000000Z'), time('491231235959Z')),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(extension)),
  )
  const signature = sign('sha256', toBeSigned, signer)
  const whole = sequence(
    toBeSigned,
    sequence(ecdsaWithSha256),
    element(0x03, Buffer.concat([Buffer.of(0), signature])),
  )
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`
}

/** X.509 (RFC 5280) is DER: a tag, a length, and the contents. */
function element(tag: number, ...held: Uint8Array[]): Buffer {
  const body = Buffer.concat(held)
  return Buffer.concat([Buffer.of(tag, ...lengthOf(body.length)), body])
}

/** In as few bytes as it can be: browsers refuse every other form. */
function lengthOf(bytes: number): number[] {
  if (bytes < 128) return [bytes]
  return bytes < 256 ? [0x81, bytes] : [0x82, bytes >> 8, bytes & 255]
}

const sequence = (...held: Uint8Array[]) => element(0x30, ...held)
const time = (text: string) => element(0x17, Buffer.from(text))
const objectId = (hex: string) => element(0x06, Buffer.from(hex, 'hex'))
const commonName = objectId('550403')
const ecdsaWithSha256 = objectId('2a8648ce3d040302')

function integer(value: number): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  // The first bit is the sign.
  return element(0x02, ...(bytes[0]! > 127 ? [Buffer.of(0)] : []), bytes)
}

const alternativeNames = (names: string[]) =>
  sequence(
    objectId('551d11'),
    element(0x04, sequence(...names.map((name) => element(0x82, Buffer.from(name))))),
  )

/** Basic constraints: a certificate authority. */
const authority = () =>
  sequence(
    objectId('551d13'),
    element(0x01, Buffer.of(0xff)),
    element(0x04, sequence(element(0x01, Buffer.of(0xff)))),
  )

const named = (name: string) =>
  sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from(name)))))
