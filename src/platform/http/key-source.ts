/** Where in a request its key stands. */
import type { IncomingHttpHeaders } from 'node:http'

/** A place beside `Authorization`, for clients that cannot or do not set that header. */
export interface KeySource {
  /** Its name among the security schemes of the OpenAPI document. */
  scheme: string
  /** In small letters. */
  header: string
  /** The header is a list with commas, and the key is what follows this prefix in one of its items. Absent: the header is the key. */
  prefix?: string
  description: string
}

/** The key of a request: that of `Authorization` where there is one, else that of the first source which has one. */
export function secretOf(
  headers: IncomingHttpHeaders,
  sources: readonly KeySource[] = [],
): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  for (const source of sources) {
    const secret = keyAt(source, headers[source.header])
    if (secret !== undefined) return secret
  }
  return undefined
}

/** Of two keys in one list neither is taken: they may belong to two payers. */
function keyAt({ prefix }: KeySource, header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  if (prefix === undefined) return header
  const [secret, second] = header
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item.startsWith(prefix))
  return second === undefined ? secret?.slice(prefix.length) : undefined
}
