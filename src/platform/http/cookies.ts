/** The cookies of browsers that use this server. They are for this host alone, and no script can read them. */
import { randomBytes } from 'node:crypto'
import { sha256 } from '#platform/secrets'
import type { RequestContext } from './http.ts'

/** `session`: of a person who is signed in; `browser`: names the browser; `challenge`: between the first and the second factor. */
export type CookieKind = 'session' | 'browser' | 'challenge'

const suffixes: Record<CookieKind, string> = { session: '', browser: '-browser', challenge: '-challenge' }

/**
 * The name of a cookie at an origin. It contains the port and the installation, so that two servers of one host do not overwrite each other's cookies. On
 * HTTPS the prefix keeps other hosts from setting it.
 */
export function cookieName(origin: string, installation: string, kind: CookieKind): string {
  const { protocol, port } = new URL(origin)
  const isSecure = protocol === 'https:'
  const name = `kherad-${port || (isSecure ? '443' : '80')}-${installation}${suffixes[kind]}`
  return isSecure ? `__Host-${name}` : name
}

const ownName = /^(?:__Host-)?kherad-\d{1,5}-[0-9a-f]{8}(?:-browser|-challenge)?$/i

/** Whether this is the name of a cookie of a Kherad server, of this one or another. */
export const isOwnCookie = (name: string): boolean => ownName.test(name.trim())

/** A `Cookie` header without the cookies of Kherad servers; empty if it has no others. */
export const withoutOwnCookies = (header: string): string =>
  header
    .split(';')
    .filter((item) => !isOwnCookie(item.split('=', 1)[0]!))
    .join(';')
    .trim()

/** The value of a cookie. If there are two of the name, neither is used: one of them was set by another host of the domain. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined
  const [value, second] = header
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item.startsWith(`${name}=`))
  return second === undefined ? value?.slice(name.length + 1) : undefined
}

/** The value of `Set-Cookie`; without a value the browser deletes the cookie. */
export function cookieText(
  origin: string,
  name: string,
  value: string | undefined,
  maxAgeSeconds: number,
): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  const age = value === undefined ? 0 : maxAgeSeconds
  return `${name}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}

/** The slice of a request that cookies need. */
type CookieContext = Pick<RequestContext<unknown>, 'cookie' | 'setCookie'>

const daySeconds = 86_400

/** Signs the browser in: sets the cookie with the token of a session. */
export const sessionCookie = (context: CookieContext, token: string): void =>
  context.setCookie('session', token, 90 * daySeconds)

/** Signs the browser out: deletes the cookie of the session. */
export const endedSessionCookie = (context: CookieContext): void => context.setCookie('session', undefined, 0)

const browserName = /^[\w-]{43}$/

/** The SHA-256 of the cookie that names this browser; one without it is named. From each call the cookie lasts a year, so that a browser in use stays known. */
export function browserHashOf(context: CookieContext): Buffer {
  const given = context.cookie('browser')
  const name = given !== undefined && browserName.test(given) ? given : randomBytes(32).toString('base64url')
  context.setCookie('browser', name, 365 * daySeconds)
  return sha256(name)
}
