/** Files of certificates that the configuration names. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { type ConfigNode, readingRules, refusals, refuseConfig } from '#platform/config'

/** The certificates of a file, in PEM. */
export interface CaConfig {
  file: string
  pem: string
}

/** The maximum bytes of a file: a larger one cannot be a file of certificates. */
const maxBytes = 4 * 1024 * 1024

/** Reads and checks the root certificates of a private authority, so that a wrong file stops the start. */
export const caFile = Type.Unsafe<CaConfig>({
  type: 'string',
  ...readingRules({
    file: true,
    expected: { en: 'the path of a file of certificates (PEM)', fa: 'نشانی فایل گواهی‌ها (PEM)' },
    convert: readCa,
  }),
})

function readCa(file: string, node: ConfigNode): CaConfig {
  const pem = textOf(node, file)
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0 || !certificates.every(isCertificate))
    refuseConfig(refusals.noCertificates(node.sourcePosition(), file))
  return { file, pem: certificates.join('\n') }
}

function textOf(node: ConfigNode, file: string): string {
  try {
    const text = readFileSync(file, 'latin1')
    return text.length > maxBytes ? '' : text
  } catch (error) {
    return refuseConfig(
      refusals.unreadable(
        node.sourcePosition(),
        file,
        (error as NodeJS.ErrnoException).code ?? String(error),
      ),
    )
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
