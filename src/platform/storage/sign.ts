/** Signature Version 4 of AWS, as every S3-compatible store checks it: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
import { createHash, createHmac } from 'node:crypto'

export interface Signer {
  region: string
  accessKeyId: string
  secretAccessKey: string
}

export interface SignAsk {
  method: string
  url: URL
  /** Sent and signed, all of them; names in lower case. `host` follows from the address. */
  headers: Record<string, string>
  /** SHA-256 of the body in hexadecimal digits: the store refuses bytes that are not these. */
  bodyHash: string
  nowMs: number
}

export const hashOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const keyed = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The headers of a request with its signature among them. */
export function signed(
  signer: Signer,
  { method, url, headers, bodyHash, nowMs }: SignAsk,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const sent = { ...headers, 'x-amz-content-sha256': bodyHash, 'x-amz-date': time }
  const all = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = all.map(([name]) => name).join(';')
  const canonical = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...all.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    bodyHash,
  ].join('\n')
  const scope = `${day}/${signer.region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hashOf(canonical)].join('\n')
  const signature = keyed(signingKey(signer, day), text).toString('hex')
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${signer.accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`,
  }
}

const signingKey = ({ region, secretAccessKey }: Signer, day: string): Buffer =>
  keyed(keyed(keyed(keyed(`AWS4${secretAccessKey}`, day), region), 's3'), 'aws4_request')

/** Encoded once, where other services of AWS encode twice. */
const canonicalPath = (url: URL): string =>
  url.pathname
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/')

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')

/** RFC 3986: everything but its unreserved characters. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
