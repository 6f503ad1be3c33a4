/** The scopes of the contract, section 5. */
const ofContract = [
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

type Names = Record<(typeof ofContract)[number], true>

/** All names of scopes. Rooms add theirs by declaration merging and register them with `declareScopes`. */
export interface Scopes extends Names {}

export type Scope = keyof Scopes & string

const declared: Scope[] = [...ofContract]

/** All scopes. */
export const scopes: readonly Scope[] = declared

export function declareScopes(...names: Scope[]): void {
  for (const name of names) {
    if (declared.includes(name)) throw new Error(`The scope ${name} is declared twice.`)
    declared.push(name)
  }
}

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)
