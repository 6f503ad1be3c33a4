/** Accounts, projects and API keys, and the lookup of a key's caller without a database query on the hot path. */
import { fail } from '#platform/errors'
import type { ManagementCaller } from './management-keys.ts'
import { isPermission, type Permission, type Role } from './permissions.ts'
import type { Scope } from './scopes.ts'
import './errors.ts'

export { authHolding } from './holding.ts'
export { type ClientSecret, type KeyRingOptions, noPlan, openKeyRing } from './key-ring.ts'
export {
  createManagementKey,
  holdManagementKey,
  isManagementRight,
  type ManagementCaller,
  type ManagementKey,
  type ManagementRight,
  managementRights,
} from './management-keys.ts'
export { keySeries } from './metrics.ts'
export { readNetwork } from './networks.ts'
export { maxOrigins, readOrigin } from './origins.ts'
export {
  declarePermissions,
  isPermission,
  type Permission,
  type Permissions,
  permissions,
  type Role,
  roles,
} from './permissions.ts'
export { declareScopes, isScope, type Scope, type Scopes, scopes } from './scopes.ts'
export { callerOfPerson, type Place, type SessionRecord } from './session-caller.ts'
export { endSessionKeys, openSessionKey, sessionKeyIds } from './session-keys.ts'
export { openSessions, type PeopleLookup, type Sessions, type SessionsOptions } from './sessions.ts'
export {
  type Account,
  accountName,
  accounts,
  accountTimeZone,
  createAccount,
  createKey,
  createProject,
  type Key,
  type KeyKind,
  type KeyOptions,
  keys,
  lockAccount,
  lockIfNoAccount,
  lockKey,
  type Project,
  projects,
  revokeKey,
  setAccountDetails,
  setAccountState,
  setKey,
  setPlan,
  setProject,
  setProjectKeepDays,
} from './store.ts'

/**
 * The kinds of credentials: a project key, a person's session, a person's device, a client secret, which stands for a key for a while, or a management
 * key, which acts for an account.
 */
export type CredentialKind = 'key' | 'session' | 'device' | 'client' | 'management'

/** The caller of a request, as every capability sees it. */
export interface Caller {
  kind: CredentialKind
  accountId: string
  /** Empty for a management key that names no project. */
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
  /** The session that sent the request, or in which the client secret was made; undefined for a key and what it made. */
  sessionId?: string | undefined
  /** Who sent the request, if it was authenticated by a session. */
  person?: CallerPerson | undefined
  /** Present for a management key alone. */
  management?: ManagementCaller | undefined
}

/** The person of a session, as handlers see it. */
export interface CallerPerson {
  personId: string
  sessionId: string
  /** The role in the account of the request; undefined on routes of people, which name no project. */
  role: Role | undefined
  locale: 'fa' | 'en'
  isOperator: boolean
  /** When a factor was last given in this session, in Unix milliseconds; 0: never. */
  steppedUpAtMs: number
}

export interface KeyRing extends AsyncDisposable {
  /**
   * The caller of a key, a management key or a client secret; a client secret may do what its key may, within its own scopes. Throws INVALID_API_KEY
   * (401), ACCOUNT_SUSPENDED or PLAN_REQUIRED (403; a management key needs no plan here), or SERVICE_UNAVAILABLE (503).
   */
  caller(secret: string | undefined): Promise<Caller>
  /**
   * A project of the account of a management key: the one of this id, or without an id the only one. Undefined if there is none. Throws
   * SERVICE_UNAVAILABLE (503).
   */
  projectOf(
    caller: Caller,
    projectId: string | undefined,
  ): Promise<{ projectId: string; keepDays: number | undefined } | 'several' | undefined>
  /** Notes that a management key was used, at most every five minutes, after the request has gone on. */
  noteUse(caller: Caller): void
  /**
   * The caller of a valid key that was looked up lately, at once; undefined for any other key. `connection` is the connection of the request: clients
   * send the same key with every request of a connection, so its last key is not hashed again.
   */
  cachedCaller(secret: string | undefined, connection: object): Caller | undefined
  /**
   * The caller for work that a key requested earlier; throws as `caller` does once the key is no longer valid. Queries the database each time, so
   * that the result is exact in every process right after a commit; notifications take some milliseconds. Work that a session began belongs to the
   * project: it goes on when its person has left, so the end of a session's key does not end it.
   */
  callerOf(accountId: string, keyId: string): Promise<Caller>
  /**
   * The caller for a connection in which somebody takes part, such as a call: as `callerOf`, but the key of a session has the rights that its person
   * has now, and none once the person has left. With `sessionId` it is over when that session has ended, too (INVALID_API_KEY).
   */
  presentCallerOf(accountId: string, keyId: string, sessionId?: string): Promise<Caller>
  /** Whether any valid key lists this origin. Throws SERVICE_UNAVAILABLE (503). */
  isListedOrigin(origin: string): Promise<boolean>
}

/**
 * Throws when the caller lacks a scope or permission: INSUFFICIENT_ROLE for a session, MANAGEMENT_PERMISSION_REQUIRED for a management key,
 * INSUFFICIENT_SCOPE for a key that lacks a scope, and SESSION_REQUIRED for a key on what only people may do (each 403).
 */
export function requireScope(caller: Caller, right: Scope | Permission): void {
  if (caller.kind === 'management' && !caller.scopes.has(right))
    fail('MANAGEMENT_PERMISSION_REQUIRED', { right })
  if (caller.kind !== 'session' && caller.kind !== 'management' && isPermission(right))
    fail('SESSION_REQUIRED', {})
  if (caller.scopes.has(right)) return
  if (caller.kind === 'session') fail('INSUFFICIENT_ROLE', { right })
  fail('INSUFFICIENT_SCOPE', { scope: right })
}
