/** Key → Caller, without a database trip on the hot path; and the accounts, projects and keys themselves. */
import type { Clock } from '#platform/clock'
import { type Db, isDatabaseAway } from '#platform/db'
import { fail } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { couldBeKey, sha256 } from '#platform/secrets'
import { Origins } from './origins.ts'
import type { Scope } from './scopes.ts'
import * as store from './store.ts'
import './errors.ts'

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
} from './store.ts'

/** The kinds of credentials: a project key, a person's session, or a device of theirs. */
export type CredentialKind = 'key' | 'session' | 'device'

/** Who calls, as every capability sees it. */
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
  /** Of the pages that may use the key from a browser; undefined: it knows nothing of browsers. */
  origins?: ReadonlySet<string> | undefined
}

export interface KeyRing extends AsyncDisposable {
  /** Throws INVALID_API_KEY (401), ACCOUNT_SUSPENDED or PLAN_REQUIRED (403), or SERVICE_UNAVAILABLE (503). */
  caller(secret: string | undefined): Promise<Caller>
  /**
   * For work in the name of a key that once asked for it; throws as `caller` does, once the key may ask for no more. Asked of the database
   * each time, so that it is exact in every process from the commit on: news of a change takes some milliseconds.
   */
  callerOf(accountId: string, keyId: string): Promise<Caller>
  /** Whether any key that lives lists this origin. Throws SERVICE_UNAVAILABLE (503). */
  isOrigin(origin: string): Promise<boolean>
}

/** The plan of an account that may sign in and pay nothing yet. */
export const noPlan = 'none'

interface CachedKey {
  caller: Caller
  suspended: boolean
  expiresAtMs: number
}

/** Enough for every key in use; the oldest leaves first. */
const cacheSize = 50_000

/**
 * The cache is used only while it listens for changes: each revocation, suspension or new limit is announced by
 * NOTIFY in the transaction that makes it, and whatever was cached of that account is dropped. Not listening, every call asks the database.
 */
export function openKeyRing({
  db,
  clock,
  log,
  metrics,
  modelId = (name) => name,
}: {
  db: Db
  clock: Clock
  log: Log
  metrics?: Metrics
  /** The id of a model by any of its names: a list of models may have been written with others. */
  modelId?: (name: string) => string
}): KeyRing {
  const known = new Map<string, CachedKey>()
  const hashesOf = new Map<string, Set<string>>()
  const lookups = { hit: 0, miss: 0 }
  metrics?.keyLookups.from(() => Object.entries(lookups).map(([result, count]) => [{ result }, count]))
  const origins = new Origins(db)
  let listening = false
  /** Counts changes, so that an answer read before a change is not cached after it. */
  let changes = 0

  const clear = (): void => {
    changes++
    origins.clear()
    known.clear()
    hashesOf.clear()
  }
  const listener = db.listen(['auth_changed'], {
    message(_channel, accountId) {
      changes++
      origins.clear()
      for (const hash of hashesOf.get(accountId) ?? []) known.delete(hash)
      hashesOf.delete(accountId)
    },
    up() {
      clear()
      listening = true
    },
    down() {
      listening = false
      clear()
      log.warn('the key cache lost its listener; keys are read from the database until it is back')
    },
  })

  function addToCache(hash: string, entry: CachedKey): void {
    if (known.size >= cacheSize) known.delete(known.keys().next().value!)
    known.set(hash, entry)
    const account = entry.caller.accountId
    const hashes = hashesOf.get(account)
    if (hashes) hashes.add(hash)
    else hashesOf.set(account, new Set([hash]))
  }

  async function load(hash: string): Promise<CachedKey | undefined> {
    const before = changes
    const row = await orUnavailable(store.keyByHash(db, Buffer.from(hash, 'base64')))
    if (!row) return undefined
    const entry = cachedKeyOf(row, modelId)
    if (listening && before === changes) addToCache(hash, entry)
    return entry
  }

  return {
    async caller(secret) {
      if (secret === undefined || !couldBeKey(secret)) fail('INVALID_API_KEY', {})
      const hash = sha256(secret).toString('base64')
      const cached = known.get(hash)
      lookups[cached ? 'hit' : 'miss']++
      return requireUsable(cached ?? (await load(hash)), clock)
    },
    async callerOf(accountId, keyId) {
      const row = await orUnavailable(store.keyById(db, accountId, keyId))
      return requireUsable(row && cachedKeyOf(row, modelId), clock)
    },
    isOrigin: (origin) => orUnavailable(origins.has(origin, clock.nowMs(), listening)),
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
    },
  }
}

const cachedKeyOf = (row: store.KeyOfAccount, modelId: (name: string) => string): CachedKey => ({
  caller: {
    kind: 'key',
    accountId: row.account_id,
    projectId: row.project_id,
    keyId: row.key_id,
    plan: row.plan,
    scopes: new Set(row.scopes),
    models: row.models ? new Set(row.models.map(modelId)) : undefined,
    responsesMaxOutputTokens: row.responses_max_output_tokens ?? undefined,
    origins: row.origins ? new Set(row.origins) : undefined,
  },
  suspended: row.state === 'suspended',
  expiresAtMs: row.revoked_at ? 0 : (row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY),
})

function requireUsable(entry: CachedKey | undefined, clock: Clock): Caller {
  if (!entry || entry.expiresAtMs <= clock.nowMs()) fail('INVALID_API_KEY', {})
  if (entry.suspended) fail('ACCOUNT_SUSPENDED', {})
  if (entry.caller.plan === noPlan) fail('PLAN_REQUIRED', {})
  return entry.caller
}

const orUnavailable = <Row>(reading: Promise<Row>): Promise<Row> =>
  reading.catch((error: unknown) => {
    if (isDatabaseAway(error))
      fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000, cause: error })
    throw error
  })

/** Throws INSUFFICIENT_SCOPE (403) when the caller's key lacks `scope`. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope)) fail('INSUFFICIENT_SCOPE', { scope })
}
