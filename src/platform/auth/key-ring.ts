/** Keys that were looked up lately. They stay cached as long as the database announces their changes. */
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { couldBeClientSecret, couldBeKey, couldBeManagementKey, sha256 } from '#platform/secrets'
import type { Caller, KeyRing } from './auth.ts'
import {
  managementCallerOf,
  managementKeyByHash,
  noteManagementKeyUse,
  projectOfAccount,
} from './management-keys.ts'
import { orUnavailable } from './or-unavailable.ts'
import { Origins } from './origins.ts'
import type { Scope } from './scopes.ts'
import * as store from './store.ts'

export interface KeyRingOptions {
  db: Db
  clock: Clock
  log: Log
  metrics?: Metrics
  /** Resolves names of models to ids, because a key's list of models may contain aliases. */
  modelId?: (name: string) => string
  /** Finds a client secret by its SHA-256; undefined for one that is unknown or expired. Without this function no client secrets are accepted. */
  clientSecret?: (hash: Buffer) => Promise<ClientSecret | undefined>
  /** Returns what a person may do in a project now; undefined for one who has left. Without this function no session has a key. */
  rightsOf?: (personId: string, projectId: string) => Promise<ReadonlySet<string> | undefined>
  /** Whether a session is still open. Without this function none is. */
  isSessionOpen?: (sessionId: string) => Promise<boolean>
}

/** The key that a client secret stands for, and the secret's scopes. */
export interface ClientSecret {
  accountId: string
  keyId: string
  scopes: readonly Scope[]
  /** The session in which it was made, with which it ends; undefined for one that a key made. */
  sessionId?: string | undefined
}

/** The plan of accounts that may sign in but not make paid calls yet. */
export const noPlan = 'none'

/** Opens the key ring of this process; disposing it stops listening for changes of keys. */
export const openKeyRing = (options: KeyRingOptions): KeyRing => new CachedKeyRing(options)

interface CachedKey {
  caller: Caller
  state: store.Account['state']
  expiresAtMs: number
}

/** Whether a text could be a key of a project or of an account. */
const couldBeAnyKey = (secret: string): boolean => couldBeKey(secret) || couldBeManagementKey(secret)

/** Maximum cached keys; the oldest is evicted first. */
const cacheSize = 50_000
/** The last use of a management key is written at most so often. */
const noteEveryMs = 300_000

/**
 * The cache is used only while it listens for changes: each revocation, suspension or changed limit is announced by NOTIFY in its transaction, and
 * the cached keys of that account are dropped. While it does not listen, every call queries the database.
 */
class CachedKeyRing implements KeyRing {
  readonly #db: Db
  readonly #clock: Clock
  readonly #log: Log
  readonly #modelId: (name: string) => string
  readonly #clientSecret: KeyRingOptions['clientSecret']
  readonly #rightsOf: KeyRingOptions['rightsOf']
  readonly #isSessionOpen: KeyRingOptions['isSessionOpen']
  readonly #keys = new Map<string, CachedKey>()
  readonly #hashesOf = new Map<string, Set<string>>()
  /** The last key that came over each open connection, with its hash. */
  readonly #lastOf = new WeakMap<object, { secret: string; hash: string }>()
  /** When a use of each management key was noted last, by its id, in Unix milliseconds. */
  readonly #notedMs = new Map<string, number>()
  readonly #lookups = { hit: 0, miss: 0 }
  readonly #origins: Origins
  readonly #listener: AsyncDisposable
  #isListening = false
  /** Counts changes, so that a result read before a change is not cached after it. */
  #changes = 0

  constructor(options: KeyRingOptions) {
    const { db, clock, log, metrics, modelId = (name: string) => name } = options
    this.#clientSecret = options.clientSecret
    this.#rightsOf = options.rightsOf
    this.#isSessionOpen = options.isSessionOpen
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#modelId = modelId
    this.#origins = new Origins(db)
    metrics?.keyLookups.setSource(() =>
      Object.entries(this.#lookups).map(([result, count]) => [{ result }, count]),
    )
    this.#listener = db.listen(['auth_changed'], {
      message: (_channel, accountId) => this.#drop(accountId),
      up: () => this.#listen(),
      down: () => this.#stopListening(),
    })
  }

  async caller(secret: string | undefined): Promise<Caller> {
    if (secret !== undefined && couldBeClientSecret(secret)) return this.#callerOfClient(sha256(secret))
    if (secret === undefined || !couldBeAnyKey(secret)) fail('INVALID_API_KEY', {})
    const hash = sha256(secret).toString('base64')
    const cached = this.#keys.get(hash)
    this.#lookups[cached ? 'hit' : 'miss']++
    return this.#requireUsable(cached ?? (await this.#load(hash, couldBeManagementKey(secret))))
  }

  cachedCaller(secret: string | undefined, connection: object): Caller | undefined {
    if (secret === undefined) return undefined
    let last = this.#lastOf.get(connection)
    if (last?.secret !== secret) {
      if (!couldBeAnyKey(secret)) return undefined
      last = { secret, hash: sha256(secret).toString('base64') }
      this.#lastOf.set(connection, last)
    }
    const key = this.#keys.get(last.hash)
    if (!key || whyUnusable(key, this.#clock.nowMs())) return undefined
    this.#lookups.hit++
    return key.caller
  }

  async callerOf(accountId: string, keyId: string): Promise<Caller> {
    const row = await orUnavailable(store.keyById(this.#db, accountId, keyId))
    // The key of a session ends when its person leaves; what it began belongs to the project.
    const key = row?.kind === 'session' ? { ...row, revoked_at: null } : row
    return this.#requireUsable(key && cachedKeyOf(key, this.#modelId))
  }

  async presentCallerOf(accountId: string, keyId: string, sessionId?: string): Promise<Caller> {
    const row = await orUnavailable(store.keyById(this.#db, accountId, keyId))
    const caller = this.#requireUsable(row && cachedKeyOf(row, this.#modelId))
    if (sessionId !== undefined && !(await this.#isSessionOpen?.(sessionId))) fail('INVALID_API_KEY', {})
    if (row?.kind !== 'session') return caller
    const scopes = await orUnavailable(Promise.resolve(this.#rightsOf?.(row.person_id!, caller.projectId)))
    return scopes ? { ...caller, scopes } : fail('INVALID_API_KEY', {})
  }

  /** Client secrets are never cached: each begins a few connections, and expires at an exact time. */
  async #callerOfClient(hash: Buffer): Promise<Caller> {
    const found = this.#clientSecret && (await orUnavailable(this.#clientSecret(hash)))
    if (!found) return fail('INVALID_API_KEY', {})
    const { accountId, keyId, sessionId } = found
    const caller = await this.presentCallerOf(accountId, keyId, sessionId)
    const scopes = new Set<string>(found.scopes.filter((scope) => caller.scopes.has(scope)))
    return { ...caller, kind: 'client', scopes, clientSecretHash: hash, sessionId }
  }

  projectOf({ accountId }: Caller, projectId: string | undefined) {
    return orUnavailable(projectOfAccount(this.#db, accountId, projectId))
  }

  noteUse(caller: Caller): void {
    const nowMs = this.#clock.nowMs()
    if (nowMs - (this.#notedMs.get(caller.keyId) ?? 0) < noteEveryMs) return
    if (this.#notedMs.size >= cacheSize) this.#notedMs.clear()
    this.#notedMs.set(caller.keyId, nowMs)
    const times = { now: new Date(nowMs), before: new Date(nowMs - noteEveryMs) }
    noteManagementKeyUse(this.#db, caller, times).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'the last use of a management key could not be written')
    })
  }

  isListedOrigin(origin: string): Promise<boolean> {
    return orUnavailable(this.#origins.has(origin, this.#clock.nowMs(), this.#isListening))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
  }

  async #load(hash: string, isManagement: boolean): Promise<CachedKey | undefined> {
    const changesBefore = this.#changes
    const bytes = Buffer.from(hash, 'base64')
    const key = await orUnavailable(isManagement ? this.#readManagementKey(bytes) : this.#readKey(bytes))
    if (!key) return undefined
    if (this.#isListening && changesBefore === this.#changes) this.#add(hash, key)
    return key
  }

  async #readKey(hash: Buffer): Promise<CachedKey | undefined> {
    const row = await store.keyByHash(this.#db, hash)
    return row && cachedKeyOf(row, this.#modelId)
  }

  async #readManagementKey(hash: Buffer): Promise<CachedKey | undefined> {
    const row = await managementKeyByHash(this.#db, hash)
    if (!row) return undefined
    const expiresAtMs = row.revoked_at ? 0 : row.expires_at.getTime()
    return { caller: managementCallerOf(row), state: row.state, expiresAtMs }
  }

  #requireUsable(key: CachedKey | undefined): Caller {
    if (!key) fail('INVALID_API_KEY', {})
    const why = whyUnusable(key, this.#clock.nowMs())
    if (why) fail(why, {})
    return key.caller
  }

  #add(hash: string, key: CachedKey): void {
    if (this.#keys.size >= cacheSize) this.#keys.delete(this.#keys.keys().next().value!)
    this.#keys.set(hash, key)
    const { accountId } = key.caller
    const hashes = this.#hashesOf.get(accountId)
    if (hashes) hashes.add(hash)
    else this.#hashesOf.set(accountId, new Set([hash]))
  }

  #drop(accountId: string): void {
    this.#changes++
    this.#origins.clear()
    for (const hash of this.#hashesOf.get(accountId) ?? []) this.#keys.delete(hash)
    this.#hashesOf.delete(accountId)
  }

  #clear(): void {
    this.#changes++
    this.#origins.clear()
    this.#keys.clear()
    this.#hashesOf.clear()
  }

  #listen(): void {
    this.#clear()
    this.#isListening = true
  }

  #stopListening(): void {
    this.#isListening = false
    this.#clear()
    this.#log.warn('the key cache lost its listener; keys are read from the database until it is back')
  }
}

function whyUnusable(
  { expiresAtMs, state, caller }: CachedKey,
  nowMs: number,
): 'INVALID_API_KEY' | 'ACCOUNT_SUSPENDED' | 'ACCOUNT_CLOSING' | 'PLAN_REQUIRED' | undefined {
  if (expiresAtMs <= nowMs) return 'INVALID_API_KEY'
  if (state === 'suspended') return 'ACCOUNT_SUSPENDED'
  if (state !== 'active') return 'ACCOUNT_CLOSING'
  // Whoever manages an account without a plan may see it; routes that need the plan ask for it.
  return caller.plan === noPlan && caller.kind !== 'management' ? 'PLAN_REQUIRED' : undefined
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
    keepDays: row.keep_days ?? undefined,
    origins: row.origins ? new Set(row.origins) : undefined,
  },
  state: row.state,
  expiresAtMs: row.revoked_at ? 0 : (row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY),
})
