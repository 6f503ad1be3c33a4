import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and a certificate of its own signature for these DNS names, valid from 2020 to 2049; all in PEM. */
export function selfSigned(...names: string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from('test')))))
  const toBeSigned = sequence(
    element(0xa0, integer(2)), // version 3
    integer(Math.floor(Math.random() * 2 ** 30)),
    sequence(ecdsaWithSha256),
    subject,
    sequence(time('200101000000Z'), time('491231235959Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(alternativeNames(names))),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const certificate = sequence(
    toBeSigned,
    sequence(ecdsaWithSha256),
    element(0x03, Buffer.concat([Buffer.of(0), signature])),
  )
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

/** X.509 (RFC 5280) is DER: a tag, a length, and what it holds. */
function element(tag: number, ...held: Uint8Array[]): Buffer {
  const body = Buffer.concat(held)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.of(tag, ...length), body])
}

const sequence = (...held: Uint8Array[]) => element(0x30, ...held)
const time = (text: string) => element(0x17, Buffer.from(text))
const objectId = (hex: string) => element(0x06, Buffer.from(hex, 'hex'))
const commonName = objectId('550403')
const ecdsaWithSha256 = objectId('2a8648ce3d040302')

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return element(0x02, bytes.subarray(Math.min(3, Math.floor(Math.clz32(value) / 8))))
}

const alternativeNames = (names: string[]) =>
  sequence(
    objectId('551d11'),
    element(0x04, sequence(...names.map((name) => element(0x82, Buffer.from(name))))),
  )
