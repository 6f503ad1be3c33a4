/** Who asks a cloud: by its key, or as the app user whose session the request bears. */
import type { IncomingHttpHeaders } from 'node:http'
import { hashOfKey, type LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { AppCaller } from './area.ts'

/** Whose session this token is. Throws where it is none of this cloud that is still valid. */
export type VerifyToken = (cloud: LiveCloud, token: string) => Promise<AppCaller>

export interface Credentials {
  headers: IncomingHttpHeaders
  /** From the query: WebSockets of browsers have no headers of their own. */
  queryKey?: string | undefined
  /** Whether what stands in `Authorization` is enough: a key, or a session. */
  isBearerEnough?: boolean | undefined
}

/** Longer than every key; a session's length is bounded by that of all headers. */
const maxKeyLength = 200

/**
 * The key says which cloud and whether as its service; a session beside it wins, as clients of the field expect: they send it, or the key once more
 * where nobody is signed in. Throws CLOUD_KEY_INVALID, CLOUD_SERVICE_KEY_EXPOSED, and what `verify` throws.
 */
export async function callerOf(
  cloud: LiveCloud,
  { headers, queryKey, isBearerEnough = false }: Credentials,
  verify: VerifyToken,
): Promise<AppCaller> {
  const token = bearerOf(headers)
  const key = textOf(headers['apikey']) ?? queryKey
  const isAlone = isBearerEnough && key === undefined && token !== undefined
  const kind = isAlone ? 'public' : key === undefined ? undefined : kindOf(cloud, key)
  if (kind === undefined) fail('CLOUD_KEY_INVALID', { given: key !== undefined })
  const tokenKind = token === undefined ? kind : token === key ? kind : kindOf(cloud, token)
  if ((kind === 'service' || tokenKind === 'service') && isBrowser(headers))
    fail('CLOUD_SERVICE_KEY_EXPOSED', {})
  if (tokenKind === undefined) return verify(cloud, token!)
  return tokenKind === 'service' ? { role: 'service' } : { role: 'anon' }
}

const kindOf = ({ keys }: LiveCloud, key: string): 'public' | 'service' | undefined =>
  key.length > maxKeyLength ? undefined : keys.get(hashOfKey(key))

const textOf = (value: string | string[] | undefined): string | undefined => {
  const text = String(value ?? '').trim()
  return text === '' ? undefined : text
}

/** Another scheme than Bearer is a token that no cloud has signed. */
const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  textOf(authorization?.replace(/^Bearer /i, ''))

/** A page shows its key to everybody: programs on servers send neither of the two. */
const isBrowser = ({ origin, 'user-agent': agent }: IncomingHttpHeaders): boolean =>
  origin !== undefined || /^\s*Mozilla\//i.test(agent ?? '')
