/** The permissions of management keys in groups; without imports, so that tests of the server compare the names. */
export const rightGroups = [
  { name: 'keys', rights: ['keys:read', 'keys:write', 'projects:read', 'projects:write'] },
  { name: 'money', rights: ['usage:read', 'models:read', 'account:read', 'account:write'] },
  { name: 'news', rights: ['audit:read', 'webhooks:read', 'webhooks:write'] },
] as const

export type RightName = (typeof rightGroups)[number]['rights'][number]

export const rightNames: readonly RightName[] = rightGroups.flatMap(({ rights }) => [...rights])
