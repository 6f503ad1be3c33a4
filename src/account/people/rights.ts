/** What each role may do: scopes of the contract, and permissions over the account. */
import { type Permission, permissions, type Role, roles, type Scope, scopes } from '#platform/auth'

export const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

const ofDeveloper: readonly Permission[] = [
  'account:read',
  'projects:read',
  'keys:read',
  'keys:write',
  'members:read',
  'talk',
]
const ofBilling: readonly (Permission | Scope)[] = [
  'usage:read',
  'models:read',
  'account:read',
  'account:write',
  'money:read',
  'projects:read',
  'audit:read',
]
const ofViewer: readonly Permission[] = ['account:read', 'projects:read', 'keys:read', 'members:read']

/** Owners and admins differ only in what is done to owners and to the account as a whole, which handlers check. */
const rightsOf: Record<Role, () => Iterable<string>> = {
  owner: () => [...scopes, ...permissions],
  admin: () => [...scopes, ...permissions],
  developer: () => [...scopes, ...ofDeveloper],
  billing: () => ofBilling,
  viewer: () => [
    ...scopes.filter((scope) => scope.endsWith(':read') && scope !== 'workspace:read'),
    ...ofViewer,
  ],
}

const known = new Map<Role, ReadonlySet<string>>()

/** The scopes and permissions of a role. Every room has declared its own before the first call. */
export function permissionsOf(role: Role): ReadonlySet<string> {
  const rights = known.get(role) ?? new Set(rightsOf[role]())
  known.set(role, rights)
  return rights
}
