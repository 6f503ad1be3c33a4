/** Finds the caller of a cloud: by its key, or as the app user whose session the request has. */
import type { IncomingHttpHeaders } from 'node:http'
import { hashOfKey, type LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { AppCaller } from './area.ts'

/** Returns whose session this token is. Throws where it is no valid token of this cloud. */
export type VerifyToken = (cloud: LiveCloud, token: string) => Promise<AppCaller>

export interface Credentials {
  headers: IncomingHttpHeaders
  /** The key of the query: WebSockets of browsers cannot set headers. */
  queryKey?: string | undefined
  /** Whether a key or a session in `Authorization` is enough. */
  isBearerEnough?: boolean | undefined
}

/** Longer than every key; a session's length is bounded by that of all headers. */
const maxKeyLength = 200

/**
 * The key says which cloud is called and whether as its service; a session beside the key wins, as common clients expect: they send the session, or
 * the key once more where nobody is signed in. Throws CLOUD_KEY_INVALID, CLOUD_SERVICE_KEY_EXPOSED, and what `verify` throws.
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

/** A value with another scheme than Bearer is a token that no cloud has signed. */
const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  textOf(authorization?.replace(/^Bearer /i, ''))

/** Whether a browser sends the request, whose page shows its key to everybody: programs on servers send neither header. */
const isBrowser = ({ origin, 'user-agent': agent }: IncomingHttpHeaders): boolean =>
  origin !== undefined || /^\s*Mozilla\//i.test(agent ?? '')
