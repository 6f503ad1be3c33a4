/** Key → Caller, without a database trip on the hot path; and the accounts, projects and keys themselves. */
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
  lockFirst,
  type Project,
  projects,
  revokeKey,
  setAccountState,
  setKey,
  setPlan,
  setProjectKeepDays,
} from './store.ts'

/** The kinds of credentials: a project key, a person's session, a device of theirs, or a client secret, which stands for a key for a while. */
export type CredentialKind = 'key' | 'session' | 'device' | 'client'

/** The caller, as every capability sees it. */
export interface Caller {
  kind: CredentialKind
  accountId: string
  projectId: string
  keyId: string
  plan: string
  scopes: ReadonlySet<string>
  /** Ids of the models that the key may use; undefined allows all. */
  models: ReadonlySet<string> | undefined
  /** Output tokens of a call of Responses that names no limit; undefined: the server's own default. */
  responsesMaxOutputTokens?: number | undefined
  /** Days for which what its calls make is kept, as its key or project says. */
  keepDays?: number | undefined
  /** Origins of pages that may use the key from a browser; undefined: no browser access. */
  origins?: ReadonlySet<string> | undefined
  /** Of a client secret: its SHA-256. */
  clientSecretHash?: Buffer
}

export interface KeyRing extends AsyncDisposable {
  /**
   * Of a key or a client secret; the latter may do what its key may, within its own scopes. Throws INVALID_API_KEY (401), ACCOUNT_SUSPENDED or
   * PLAN_REQUIRED (403), or SERVICE_UNAVAILABLE (503).
   */
  caller(secret: string | undefined): Promise<Caller>
  /**
   * The same at once, for a valid key that was asked for lately; undefined for any other. `connection`: where it came from; clients send the
   * same key with every request of a connection, so the last one is not hashed again.
   */
  known(secret: string | undefined, connection: object): Caller | undefined
  /**
   * For work that a key requested earlier; throws as `caller` does once the key is no longer valid. Queries the database each time, so that
   * it is exact in every process right after a commit; notifications take some milliseconds.
   */
  callerOf(accountId: string, keyId: string): Promise<Caller>
  /** Whether any valid key lists this origin. Throws SERVICE_UNAVAILABLE (503). */
  isOrigin(origin: string): Promise<boolean>
}

/** Throws INSUFFICIENT_SCOPE (403) when the caller's key lacks `scope`. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope)) fail('INSUFFICIENT_SCOPE', { scope })
}
