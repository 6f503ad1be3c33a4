/** The places in a request where its key may stand. */
import type { IncomingHttpHeaders } from 'node:http'

/** A place for the key beside `Authorization`, for clients that cannot or do not set that header. */
export interface KeySource {
  /** The place's name among the security schemes of the OpenAPI document. */
  scheme: string
  /** The name of the header, in small letters. */
  header: string
  /** If set, the header is a list with commas, and the key follows this prefix in one of the items. If absent, the whole header is the key. */
  prefix?: string
  description: string
}

/** The key of a request: from `Authorization` if present, else from the first source that has one. */
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

/** Whether a key stands anywhere in the request where the route takes one: then it alone is judged, whether it is valid or not. */
export const namesKey = (headers: IncomingHttpHeaders, sources: readonly KeySource[] = []): boolean =>
  headers.authorization !== undefined ||
  sources.some(({ header, prefix }) => {
    const text = headers[header]
    if (text === undefined || prefix === undefined) return text !== undefined
    return String(text)
      .split(',')
      .some((item) => item.trim().startsWith(prefix))
  })

/** If a list contains two keys, neither is used: they may belong to two payers. */
function keyAt({ prefix }: KeySource, header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  if (prefix === undefined) return header
  const [secret, second] = header
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item.startsWith(prefix))
  return second === undefined ? secret?.slice(prefix.length) : undefined
}
