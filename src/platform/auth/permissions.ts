/** The roles of people in accounts, and what people may do beside the scopes: rights over an account that no project key can have. */

export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const

/** What a person is in an account. The room of people says which scopes and permissions each role has. */
export type Role = (typeof roles)[number]

/** All names of permissions. Rooms add theirs by declaration merging and register them with `declarePermissions`. */
export interface Permissions {
  'account:read': true
  'account:write': true
  'members:read': true
  'members:write': true
  'projects:read': true
  'projects:write': true
  'keys:read': true
  'keys:write': true
  'audit:read': true
  'money:read': true
  'management_keys:read': true
  'management_keys:write': true
}

export type Permission = keyof Permissions & string

const declared: Permission[] = [
  'account:read',
  'account:write',
  'members:read',
  'members:write',
  'projects:read',
  'projects:write',
  'keys:read',
  'keys:write',
  'audit:read',
  'money:read',
  'management_keys:read',
  'management_keys:write',
]

/** All permissions. */
export const permissions: readonly Permission[] = declared

export function declarePermissions(...names: Permission[]): void {
  for (const name of names) {
    if (declared.includes(name)) throw new Error(`The permission ${name} is declared twice.`)
    declared.push(name)
  }
}

export const isPermission = (text: string): text is Permission =>
  (permissions as readonly string[]).includes(text)
