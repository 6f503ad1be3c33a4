/** The scopes of keys in groups, and the ready choices; without imports, so that tests of the server compare the names. */

/** The scopes that these pages have words for, group by group. A scope that a later server adds is shown by its name. */
export const scopeGroups = [
  { name: 'text', scopes: ['models:read', 'responses:write'] },
  { name: 'media', scopes: ['studio:write', 'audio:write', 'files:read'] },
  {
    name: 'work',
    scopes: [
      'agents:write',
      'work:write',
      'knowledge:read',
      'knowledge:write',
      'workspace:read',
      'workspace:write',
    ],
  },
  { name: 'apps', scopes: ['cloud:read', 'cloud:write', 'cloud:hosting', 'cloud:functions'] },
  { name: 'project', scopes: ['usage:read', 'webhooks:read', 'webhooks:write'] },
] as const

export type ScopeName = (typeof scopeGroups)[number]['scopes'][number]

export const scopeNames: readonly ScopeName[] = scopeGroups.flatMap(({ scopes }) => [...scopes])

/** The ready choices. `read` has no scope of the workspace: it opens the chats of a person. */
export const presets = {
  text: ['models:read', 'responses:write', 'usage:read'],
  ai: [
    'models:read',
    'responses:write',
    'studio:write',
    'audio:write',
    'files:read',
    'agents:write',
    'work:write',
    'knowledge:read',
    'knowledge:write',
    'usage:read',
  ],
  read: ['models:read', 'files:read', 'knowledge:read', 'cloud:read', 'usage:read', 'webhooks:read'],
} as const satisfies Record<string, readonly ScopeName[]>

export type PresetName = keyof typeof presets
