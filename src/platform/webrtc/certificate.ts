/** The certificate of this process: new at each start, signed by itself, and proven by its fingerprint in the answer. */
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { CipherContext, HashAlgorithm, NamedCurveAlgorithm, SignatureAlgorithm } from 'werift'

export interface Certificate {
  der: Buffer
  key: KeyObject
  /** SHA-256, as `AB:CD…`. */
  fingerprint: string
}

export async function newCertificate(): Promise<Certificate> {
  const { certPem, keyPem } = await CipherContext.createSelfSignedCertificateWithKey(
    { signature: SignatureAlgorithm.ecdsa_3, hash: HashAlgorithm.sha256_4 },
    NamedCurveAlgorithm.secp256r1_23,
  )
  const { raw, fingerprint256 } = new X509Certificate(certPem)
  return { der: raw, key: createPrivateKey(keyPem), fingerprint: fingerprint256 }
}

export const fingerprintOf = (der: Buffer): Buffer => createHash('sha256').update(der).digest()
