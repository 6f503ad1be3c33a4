/** Accounts, projects and API keys, and the lookup of a key's caller without a database query on the hot path. */
import { fail } from '#platform/errors'
import type { Scope } from './scopes.ts'
import './errors.ts'

export { type ClientSecret, type KeyRingOptions, noPlan, openKeyRing } from './key-ring.ts'
export { keySeries } from './metrics.ts'
export { maxOrigins, readOrigin } from './origins.ts'
export { declareScopes, isScope, type Scope, type Scopes, scopes } from './scopes.ts'
export {
  type Account,
  accounts,
  createAccount,
  createKey,
  createProject,
  type Key,
  type KeyOptions,
  keys,
  lockIfNoAccount,
  type Project,
  projects,
  revokeKey,
  setAccountState,
  setKey,
  setPlan,
  setProjectKeepDays,
} from './store.ts'

/** The kinds of credentials: a project key, a person's session, a person's device, or a client secret, which stands for a key for a while. */
export type CredentialKind = 'key' | 'session' | 'device' | 'client'

/** The caller of a request, as every capability sees it. */
export interface Caller {
  kind: CredentialKind
  accountId: string
  projectId: string
  keyId: string
  plan: string
  scopes: ReadonlySet<string>
  /** Ids of the models that the key may use; undefined allows all. */
  models: ReadonlySet<string> | undefined
  /** The output token limit of a Responses call that names none; undefined: the server's own default. */
  responsesMaxOutputTokens?: number | undefined
  /** The number of days for which results of its calls are kept, as its key or project says. */
  keepDays?: number | undefined
  /** Origins of pages that may use the key from a browser; undefined: no browser access. */
  origins?: ReadonlySet<string> | undefined
  /** The SHA-256 of the client secret, if the caller used one. */
  clientSecretHash?: Buffer
}

export interface KeyRing extends AsyncDisposable {
  /**
   * The caller of a key or a client secret; a client secret may do what its key may, within its own scopes. Throws INVALID_API_KEY (401),
   * ACCOUNT_SUSPENDED or PLAN_REQUIRED (403), or SERVICE_UNAVAILABLE (503).
   */
  caller(secret: string | undefined): Promise<Caller>
  /**
   * The caller of a valid key that was looked up lately, at once; undefined for any other key. `connection` is the connection of the request: clients
   * send the same key with every request of a connection, so its last key is not hashed again.
   */
  cachedCaller(secret: string | undefined, connection: object): Caller | undefined
  /**
   * The caller for work that a key requested earlier; throws as `caller` does once the key is no longer valid. Queries the database each time, so
   * that the result is exact in every process right after a commit; notifications take some milliseconds.
   */
  callerOf(accountId: string, keyId: string): Promise<Caller>
  /** Whether any valid key lists this origin. Throws SERVICE_UNAVAILABLE (503). */
  isListedOrigin(origin: string): Promise<boolean>
}

/** Throws INSUFFICIENT_SCOPE (403) when the caller's key lacks `scope`. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope)) fail('INSUFFICIENT_SCOPE', { scope })
}
