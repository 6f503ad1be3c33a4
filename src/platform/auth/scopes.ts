/** The scopes of the contract, section 5; nothing else is a scope. */
export const scopes = [
  'models:read',
  'responses:write',
  'usage:read',
  'studio:write',
  'files:read',
  'audio:write',
  'agents:write',
  'work:write',
  'knowledge:read',
  'knowledge:write',
  'cloud:read',
  'cloud:write',
  'cloud:hosting',
  'cloud:functions',
  'workspace:read',
  'workspace:write',
  'webhooks:read',
  'webhooks:write',
] as const

export type Scope = (typeof scopes)[number]

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)
