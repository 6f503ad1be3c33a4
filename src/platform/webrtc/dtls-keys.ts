/** Keys of DTLS 1.2: agreement, derivation (RFC 5246, RFC 5705, RFC 7627) and signatures. */
import {
  constants,
  createECDH,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  verify,
  X509Certificate,
} from 'node:crypto'
import { curves, signatures } from './dtls-handshake.ts'
import type { RecordKey } from './dtls-records.ts'
import { keyBytes, type MasterKey, type SrtpProfile, saltBytes } from './srtp.ts'

/** The DER of an X25519 public key, up to its 32 bytes (RFC 8410). */
const x25519Prefix = Buffer.from('302a300506032b656e032100', 'hex')

/** Agrees on a secret. Throws if the curve was not offered, or the key is not valid on it. */
export function agree(curve: number, theirs: Buffer): { publicKey: Buffer; secret: Buffer } {
  if (curve === curves.p256) {
    const ecdh = createECDH('prime256v1')
    const publicKey = ecdh.generateKeys()
    return { publicKey, secret: ecdh.computeSecret(theirs) }
  }
  if (curve !== curves.x25519 || theirs.length !== 32) throw new Error('no common curve')
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const key = createPublicKey({ key: Buffer.concat([x25519Prefix, theirs]), format: 'der', type: 'spki' })
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(x25519Prefix.length),
    secret: diffieHellman({ privateKey, publicKey: key }),
  }
}

/** Whether the owner of the certificate signed the bytes. */
export function isSigned(der: Buffer, scheme: number, signed: Buffer, signature: Buffer): boolean {
  const key = new X509Certificate(der).publicKey
  const isEcdsa = scheme === signatures.ecdsaP256Sha256
  const isRsa = scheme === signatures.rsaPssSha256 || scheme === signatures.rsaSha256
  if (isEcdsa ? key.asymmetricKeyType !== 'ec' : !isRsa || key.asymmetricKeyType !== 'rsa') return false
  return verify('sha256', signed, { key, ...rsaPadding(scheme) }, signature)
}

const rsaPadding = (scheme: number): { padding?: number; saltLength?: number } =>
  scheme === signatures.rsaPssSha256
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {}

/** The pseudorandom function of TLS 1.2 with SHA-256. */
export function expand(secret: Buffer, label: string, seed: Buffer, length: number): Buffer {
  const hmac = (bytes: Buffer): Buffer => createHmac('sha256', secret).update(bytes).digest()
  const labelled = Buffer.concat([Buffer.from(label), seed])
  const blocks: Buffer[] = []
  let a: Buffer = labelled
  for (let made = 0; made < length; made += 32) {
    a = hmac(a)
    blocks.push(hmac(Buffer.concat([a, labelled])))
  }
  return Buffer.concat(blocks).subarray(0, length)
}

export const digestOf = (messages: Buffer[]): Buffer => {
  const hash = createHash('sha256')
  for (const message of messages) hash.update(message)
  return hash.digest()
}

/** Splits a key block into two keys and two salts, which follow one another; those of the client come first. */
function splitKeyBlock(block: Buffer, salts: number): { ours: MasterKey; theirs: MasterKey } {
  const part = (at: number, length: number): Buffer => block.subarray(at, at + length)
  const saltsAt = 2 * keyBytes
  return {
    ours: { key: part(0, keyBytes), salt: part(saltsAt, salts) },
    theirs: { key: part(keyBytes, keyBytes), salt: part(saltsAt + salts, salts) },
  }
}

export interface Randoms {
  client: Buffer
  server: Buffer
}

export const recordKeys = (
  master: Buffer,
  { client, server }: Randoms,
): { ours: RecordKey; theirs: RecordKey } =>
  splitKeyBlock(expand(master, 'key expansion', Buffer.concat([server, client]), 2 * (keyBytes + 4)), 4)

export function srtpKeys(
  master: Buffer,
  { client, server }: Randoms,
  profile: SrtpProfile,
): { ours: MasterKey; theirs: MasterKey } {
  const salts = saltBytes(profile)
  const seed = Buffer.concat([client, server])
  return splitKeyBlock(expand(master, 'EXTRACTOR-dtls_srtp', seed, 2 * (keyBytes + salts)), salts)
}
