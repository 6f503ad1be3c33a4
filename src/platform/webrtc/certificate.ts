/** The certificate of this process: it is new at each start and self-signed; the fingerprint in the SDP answer proves it. */
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { CipherContext, HashAlgorithm, NamedCurveAlgorithm, SignatureAlgorithm } from 'werift'

export interface Certificate {
  der: Buffer
  key: KeyObject
  /** The SHA-256 fingerprint, as `AB:CD…`. */
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
