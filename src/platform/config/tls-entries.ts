import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CaConfig } from './config.ts'
import { refuse } from './refuse.ts'
import { words } from './words.ts'
import type { Place } from './yaml-reader.ts'

/** More is no file of certificates. */
const mostBytes = 4 * 1024 * 1024

/** `tls.ca_file`: the roots of a private authority, read and looked at here, so that a wrong file stops the start. */
export function readTls(place: Place | undefined): { ca?: CaConfig } {
  const file = place?.members(['ca_file']).get('ca_file')
  return file ? { ca: readCa(file) } : {}
}

function readCa(place: Place): CaConfig {
  const file = place.file({
    en: 'the path of a file of certificates (PEM)',
    fa: 'نشانی پروندهٔ گواهی‌ها (PEM)',
  })
  const pem = textOf(place, file)
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (certificates.length === 0 || !certificates.every(isCertificate))
    refuse(words.noCertificates(place.where(), file))
  return { file, pem: certificates.join('\n') }
}

function textOf(place: Place, file: string): string {
  try {
    const text = readFileSync(file, 'latin1')
    return text.length > mostBytes ? '' : text
  } catch (error) {
    return refuse(
      words.unreadable(place.where(), file, (error as NodeJS.ErrnoException).code ?? String(error)),
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
