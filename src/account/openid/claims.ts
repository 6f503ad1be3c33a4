/** What a provider says about a person, and which of it is believed (docs/decisions/account/openid.md). */
import type { IDToken, UserInfoResponse } from 'openid-client'
import { isRecord } from '#platform/json'

/** The claims of a person: those of the signed token, and beside them what the UserInfo endpoint adds. */
export interface Claims {
  /** Who the person is at the provider; with the issuer, the identity. */
  subject: string
  /** The address as the provider writes it, and whether the provider has proven it. It identifies nobody. */
  email: { address: string; isVerified: boolean } | undefined
  name: string | undefined
  /** When the person gave a factor to the provider, in Unix seconds. */
  authTime: number | undefined
  /** All of them, for the rules of memberships. */
  all: Readonly<Record<string, unknown>>
}

const maxSubjectLength = 255

export function mergedClaims(token: IDToken, userInfo: Partial<UserInfoResponse>): Claims {
  const all = { ...userInfo, ...token }
  return {
    subject: token.sub,
    // Address and mark come from one place: the mark of one address must not prove another.
    email: emailOf(token['email_verified'] === undefined && userInfo.email !== undefined ? userInfo : token),
    name: nameOf(all),
    authTime: typeof token.auth_time === 'number' ? token.auth_time : undefined,
    all,
  }
}

/** Whether the subject can be stored: the standard allows 255 ASCII characters. */
export const isSubject = (subject: string): boolean =>
  subject.length > 0 && subject.length <= maxSubjectLength && /^[\x20-\x7e]*$/.test(subject)

/** Only `true` proves: an address that is marked by a text, as "true" or "false", or not at all, is not proven. */
function emailOf(source: Readonly<Record<string, unknown>>): Claims['email'] {
  const { email, email_verified: verified } = source
  if (typeof email !== 'string' || email.length > 320) return undefined
  return { address: email, isVerified: verified === true }
}

function nameOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const names = [claims['name'], claims['preferred_username'], claims['nickname']]
  for (const name of names) {
    const clean = typeof name === 'string' ? name.replace(/[\p{C}<>]/gu, '').trim() : ''
    if (clean) return [...clean].slice(0, 60).join('')
  }
  return undefined
}

/** Whether one of these claims is absent, so that it is worth to ask the UserInfo endpoint. */
export const lacks = (claims: Readonly<Record<string, unknown>>, wanted: readonly string[]): boolean =>
  wanted.some((name) => claimOf(claims, name) === undefined)

/**
 * Whether the claim is or contains the value. Undefined where the provider has not said: Entra leaves out the groups of people who have too many, and
 * names the place where they could be asked for in `_claim_names`.
 */
export function claimHas(
  claims: Readonly<Record<string, unknown>>,
  { claim, value }: { claim: string; value: string },
): boolean | undefined {
  const found = claimOf(claims, claim)
  if (found === undefined || found === null) return isElsewhere(claims, claim) ? undefined : false
  return [found].flat().some((one) => isPlain(one) && String(one) === value)
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** A claim by its name, or by the path to a member of an object, such as `realm_access.roles` of Keycloak. */
function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let at: unknown = claims
  for (const step of name.split('.')) {
    if (!isRecord(at) || !Object.hasOwn(at, step)) return undefined
    at = at[step]
  }
  return at
}

function isElsewhere(claims: Readonly<Record<string, unknown>>, name: string): boolean {
  const names = claims['_claim_names']
  return isRecord(names) && (Object.hasOwn(names, name) || Object.hasOwn(names, name.split('.')[0]!))
}
