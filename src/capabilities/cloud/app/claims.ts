/** Who asks, as the database of a dedicated cloud knows it: the role of a request, and what `auth.jwt()` says there. */
import type { AppCaller } from './area.ts'

export interface DatabaseClaims {
  role: 'anon' | 'authenticated' | 'service_role'
  /** All claims of the access token, or only the role where there is none. */
  claims: Readonly<Record<string, unknown>>
  /** The same as JSON, for `request.jwt.claims`. */
  text: string
}

const withoutUser = (role: 'anon' | 'service_role'): DatabaseClaims => ({
  role,
  claims: { role },
  text: JSON.stringify({ role }),
})
const anon = withoutUser('anon')
const service = withoutUser('service_role')

/** By the claims of a checked token, which are in memory for as long as it is used. */
const ofTokens = new WeakMap<object, DatabaseClaims>()

export function databaseClaims(caller: AppCaller): DatabaseClaims {
  if (caller.role === 'service') return service
  if (caller.role !== 'authenticated') return anon
  const { claims } = caller
  let known = ofTokens.get(claims)
  if (!known) {
    known = { role: 'authenticated', claims, text: JSON.stringify(claims) }
    ofTokens.set(claims, known)
  }
  return known
}
