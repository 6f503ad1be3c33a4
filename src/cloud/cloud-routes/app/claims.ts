/** The caller as the database of a dedicated cloud knows it: the role of a request, and what `auth.jwt()` and `request.*` return there. */
import type { DatabaseCaller } from '#cloud/databases'
import { exactText } from '#platform/json'
import type { AppCall, AppCaller } from './area.ts'

/** Headers with credentials are withheld from code of the app, which is given the claims instead. */
const secretHeaders = new Set(['authorization', 'apikey', 'cookie', 'x-api-key', 'x-signature'])

export const databaseCaller = ({
  caller,
  method,
  path,
  headers,
  clientAddress,
}: AppCall): DatabaseCaller => ({
  ...roleAndClaims(caller),
  ...{ method, path },
  headers: JSON.stringify({
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.has(name))),
    'x-forwarded-for': clientAddress,
  }).replaceAll('\\u0000', ''),
})

type RoleAndClaims = Pick<DatabaseCaller, 'role' | 'claims'>

const withoutUser = (role: RoleAndClaims['role']): RoleAndClaims => ({
  role,
  claims: JSON.stringify({ role }),
})
const anon = withoutUser('anon')
const service = withoutUser('service_role')

/** Roles by the claims of a checked token, which are in memory for as long as the token is used. */
const ofTokens = new WeakMap<object, RoleAndClaims>()

function roleAndClaims(caller: AppCaller): RoleAndClaims {
  if (caller.role === 'service') return service
  if (caller.role !== 'authenticated') return anon
  const known = ofTokens.get(caller.claims) ?? {
    role: 'authenticated',
    claims: exactText(caller.claims),
  }
  ofTokens.set(caller.claims, known)
  return known
}
