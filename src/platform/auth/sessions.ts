/** Sessions of people that were looked up lately, and the connections that they have open. */
import { type Clock, type Repetition, repetitions } from '#platform/clock'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { couldBeSession, sha256 } from '#platform/secrets'
import type { Caller } from './auth.ts'
import { orUnavailable } from './or-unavailable.ts'
import { callerAt, type Place, refusalOf, type SessionRecord, type UseOfPlace } from './session-caller.ts'

/** How sessions are found; the room of people implements it. */
export interface PeopleLookup {
  /** The open session of an existing person, by the SHA-256 of its token or by its id. */
  session(by: { hash: Buffer } | { sessionId: string }): Promise<SessionRecord | undefined>
  /** The project of a person. Without an id: the only project that the person has, or `several`. */
  place(personId: string, projectId: string | undefined): Promise<Place | 'several' | undefined>
  /** Returns the key by which the person pays in the project, and makes it at the first call; undefined if the person has left meanwhile. */
  openKey(place: Place, personId: string): Promise<string | undefined>
  /** Replaces the token whose hash this is; undefined if it was replaced meanwhile. */
  renew(session: { sessionId: string; hash: Buffer }): Promise<string | undefined>
  noteUse(sessionId: string, nowMs: number): Promise<void>
}

export interface SessionsOptions {
  db: Db
  clock: Clock
  log: Log
  metrics?: Metrics | undefined
  lookup: PeopleLookup
  /** The id of this installation, which the names of cookies contain. */
  installationId: string
  /** A session that is not used for so long has ended, in milliseconds. */
  idleMs: number
}

export interface Sessions extends AsyncDisposable {
  /** The first eight digits of the installation's id. */
  readonly installation: string
  /** The session of a token; undefined for one that is unknown, ended or expired. Throws SERVICE_UNAVAILABLE (503). */
  find(token: string): Promise<SessionRecord | undefined>
  /** Gives the session a new token; undefined if it has one already. Throws SERVICE_UNAVAILABLE (503). */
  renew(session: SessionRecord, token: string): Promise<string | undefined>
  /** As `find`, but as the database has it now: a change is announced some milliseconds after it was made. */
  findNow(token: string): Promise<SessionRecord | undefined>
  /**
   * The caller of a session in a project, and without `projectId` in the only project of the person. With `needsKey` the caller has the id of the key
   * by which the person pays, which is made if they have not paid yet; otherwise it may be empty. Returns undefined for a project that is not one of the person. Throws PROJECT_REQUIRED
   * (400), ACCOUNT_SUSPENDED, unless it only `reads` ACCOUNT_CLOSING, with `needsPlan` PLAN_REQUIRED (403), or SERVICE_UNAVAILABLE (503).
   */
  caller(
    session: SessionRecord,
    projectId: string | undefined,
    use: UseOfPlace & { needsKey: boolean },
  ): Promise<Caller | undefined>
  /** How many changes of people and accounts have been announced. */
  readonly changes: number
  /**
   * Calls `end` once the session has ended, or the person has lost any of the rights of the caller; until disposed. `changes` is what it was before the
   * caller was looked up: a change that was announced in between has found nobody who watches.
   */
  watch(caller: Caller, end: () => void, changes: number): Disposable
  /** Whether the session of this id is open, as the database has it now. Throws SERVICE_UNAVAILABLE (503). */
  isOpen(sessionId: string): Promise<boolean>
  /** Whether the caller's session is still open, with all rights of the caller. Throws SERVICE_UNAVAILABLE (503). */
  isStillAdmitted(caller: Caller): Promise<boolean>
}

/** Opens the sessions of this process; disposing it stops listening for changes of people. */
export const openSessions = (options: SessionsOptions): Sessions => new CachedSessions(options)

interface CachedSession {
  record: SessionRecord
  /** The key is the id of the project; the only project of the person is also under an empty id. */
  places: Map<string, Place>
}

/** A connection that is to end with the session. */
interface Connection {
  caller: Caller
  end: () => void
}

/** Maximum cached sessions; the oldest is evicted first. */
const cacheSize = 20_000
const maxPlaces = 50
/** The time of the last use is written at most so often. */
const noteEveryMs = 300_000
/** What the database did not answer is asked again after so long. */
const recheckMs = 250
/** All connections are checked at this interval, because a listener whose line is dead notices it later. */
const checkAllMs = 5_000
/** So many people are checked at once, so that requests keep connections of the pool. */
const recheckBatch = 8

/**
 * The cache is used only while it listens for changes: each end of a session, changed role or account is announced by NOTIFY in its transaction, and
 * what is cached of that person or account is dropped. While it does not listen, every call queries the database.
 */
class CachedSessions implements Sessions {
  readonly installation: string
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, CachedSession>()
  readonly #hashesOf = new Map<string, Set<string>>()
  /** The hash of each record that is or was cached. */
  readonly #hashOf = new WeakMap<SessionRecord, string>()
  readonly #watched = new Map<string, Set<Connection>>()
  /** The people whose connections are checked once more. */
  readonly #rechecks = new Map<string, NodeJS.Timeout>()
  readonly #lookups = { hit: 0, miss: 0 }
  readonly #listener: AsyncDisposable
  readonly #checks: Repetition
  #isListening = false
  /** Counts changes, so that a result read before a change is not cached after it. */
  #changes = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    this.installation = options.installationId.replaceAll('-', '').slice(0, 8)
    options.metrics?.sessionLookups.setSource(() =>
      Object.entries(this.#lookups).map(([result, count]) => [{ result }, count]),
    )
    this.#listener = options.db.listen(['people_changed', 'auth_changed'], {
      message: (channel, id) => {
        this.#drop(id)
        if (channel === 'people_changed') void this.#recheck(id)
      },
      up: () => this.#listen(),
      down: () => this.#stopListening(),
    })
    this.#checks = repetitions.every(checkAllMs, 'check of connections of sessions', () => this.#recheckAll())
  }

  async find(token: string): Promise<SessionRecord | undefined> {
    if (!couldBeSession(token)) return undefined
    const hash = sha256(token)
    const key = hash.toString('base64')
    const nowMs = this.#options.clock.nowMs()
    const cached = this.#sessions.get(key)
    if (cached && this.#isOpen(cached.record, nowMs)) {
      this.#lookups.hit++
      this.#noteUse(cached.record, nowMs)
      return cached.record
    }
    return this.#load(hash, nowMs)
  }

  async findNow(token: string): Promise<SessionRecord | undefined> {
    return couldBeSession(token) ? this.#load(sha256(token), this.#options.clock.nowMs()) : undefined
  }

  renew({ sessionId }: SessionRecord, token: string): Promise<string | undefined> {
    return orUnavailable(this.#options.lookup.renew({ sessionId, hash: sha256(token) }))
  }

  async #load(hash: Buffer, nowMs: number): Promise<SessionRecord | undefined> {
    const key = hash.toString('base64')
    this.#lookups.miss++
    const changesBefore = this.#changes
    const record = await orUnavailable(this.#options.lookup.session({ hash }))
    if (!record || !this.#isOpen(record, nowMs)) return undefined
    if (this.#isListening && changesBefore === this.#changes) this.#add(key, record)
    this.#noteUse(record, nowMs)
    return record
  }

  async caller(
    session: SessionRecord,
    projectId: string | undefined,
    { needsKey, ...use }: UseOfPlace & { needsKey: boolean },
  ): Promise<Caller | undefined> {
    const cached = this.#cachedOf(session)
    let place = cached?.places.get(projectId ?? '')
    // What is refused is read again: that the account is open now may not have been announced yet.
    if (!place || (needsKey && place.keyId === undefined) || refusalOf(place, use)) {
      const changesBefore = this.#changes
      place = await this.#loadPlace(session, projectId, needsKey)
      if (!place) return undefined
      if (cached && this.#isListening && changesBefore === this.#changes)
        this.#addPlace(cached, projectId ?? '', place)
    }
    const refusal = refusalOf(place, use)
    if (refusal) fail(refusal, {})
    return callerAt(session, place)
  }

  get changes(): number {
    return this.#changes
  }

  watch(caller: Caller, end: () => void, changes: number): Disposable {
    const { personId } = caller.person!
    const watched = { caller, end }
    const all = this.#watched.get(personId) ?? new Set()
    this.#watched.set(personId, all.add(watched))
    if (changes !== this.#changes) void this.#recheck(personId)
    return {
      [Symbol.dispose]: () => {
        all.delete(watched)
        if (all.size === 0 && this.#watched.get(personId) === all) this.#watched.delete(personId)
      },
    }
  }

  async isOpen(sessionId: string): Promise<boolean> {
    const { lookup, clock } = this.#options
    const record = await orUnavailable(lookup.session({ sessionId }))
    return record !== undefined && this.#isOpen(record, clock.nowMs())
  }

  async isStillAdmitted({ person, accountId, projectId, scopes }: Caller): Promise<boolean> {
    const { lookup } = this.#options
    if (!(await this.isOpen(person!.sessionId))) return false
    const place = await orUnavailable(lookup.place(person!.personId, projectId))
    if (place === undefined || place === 'several' || place.accountId !== accountId) return false
    return (
      !(place.isSuspended || place.isClosing) &&
      (place.rights === scopes || [...scopes].every((one) => place.rights.has(one)))
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#rechecks.values()) clearTimeout(timer)
    await this.#checks.stop()
    await this.#listener[Symbol.asyncDispose]()
  }

  async #loadPlace(
    { personId }: SessionRecord,
    projectId: string | undefined,
    needsKey: boolean,
  ): Promise<Place | undefined> {
    const { lookup } = this.#options
    const place = await orUnavailable(lookup.place(personId, projectId))
    if (place === 'several') return fail('PROJECT_REQUIRED', {})
    if (!place || !needsKey || place.keyId !== undefined) return place
    const keyId = await orUnavailable(lookup.openKey(place, personId))
    return keyId === undefined ? undefined : { ...place, keyId }
  }

  #isOpen({ endsAtMs, lastUsedAtMs, leavesAtMs }: SessionRecord, nowMs: number): boolean {
    if (leavesAtMs !== undefined && nowMs >= leavesAtMs) return false
    return nowMs < endsAtMs && nowMs < lastUsedAtMs + this.#options.idleMs
  }

  /** Writes the time of the use after the request has gone on. */
  #noteUse(record: SessionRecord, nowMs: number): void {
    if (nowMs - record.lastUsedAtMs < noteEveryMs) return
    record.lastUsedAtMs = nowMs
    this.#options.lookup.noteUse(record.sessionId, nowMs).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'the last use of a session could not be written')
    })
  }

  /** Ends the connections of the person that are no longer admitted; where the database does not answer, as soon as it does. */
  async #recheck(personId: string): Promise<void> {
    const all = [...(this.#watched.get(personId) ?? [])]
    const groups = Map.groupBy(all, ({ caller }) => `${caller.person!.sessionId} ${caller.projectId}`)
    for (const group of groups.values()) {
      try {
        for (const roles of Map.groupBy(group, ({ caller }) => caller.scopes).values())
          if (!(await this.isStillAdmitted(roles[0]!.caller))) for (const { end } of roles) end()
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the connections of a session could not be checked')
        this.#recheckLater(personId)
      }
    }
  }

  /** One person after another, so that the check of many takes one connection of the pool. */
  async #recheckAll(): Promise<void> {
    const people = [...this.#watched.keys()]
    for (let at = 0; at < people.length; at += recheckBatch)
      await Promise.all(people.slice(at, at + recheckBatch).map((personId) => this.#recheck(personId)))
  }

  #recheckLater(personId: string): void {
    if (this.#rechecks.has(personId)) return
    const timer = setTimeout(() => {
      this.#rechecks.delete(personId)
      void this.#recheck(personId)
    }, recheckMs)
    this.#rechecks.set(personId, timer.unref())
  }

  /** What is cached of the session, unless a change has dropped it since it was found. */
  #cachedOf(session: SessionRecord): CachedSession | undefined {
    const cached = this.#sessions.get(this.#hashOf.get(session) ?? '')
    return cached?.record === session ? cached : undefined
  }

  #add(hash: string, record: SessionRecord): void {
    if (this.#sessions.size >= cacheSize) this.#evict(this.#sessions.keys().next().value!)
    this.#sessions.set(hash, { record, places: new Map() })
    this.#hashOf.set(record, hash)
    this.#index(record.personId, hash)
  }

  #addPlace(cached: CachedSession, projectId: string, place: Place): void {
    if (cached.places.size >= maxPlaces) cached.places.clear()
    cached.places.set(projectId, place)
    this.#index(place.accountId, this.#hashOf.get(cached.record)!)
  }

  /** Notes that a change of the person or the account drops the session. */
  #index(id: string, hash: string): void {
    const hashes = this.#hashesOf.get(id)
    if (hashes) hashes.add(hash)
    else this.#hashesOf.set(id, new Set([hash]))
  }

  #evict(hash: string): void {
    const cached = this.#sessions.get(hash)
    if (!cached) return
    this.#sessions.delete(hash)
    const accounts = [...cached.places.values()].map(({ accountId }) => accountId)
    for (const id of [cached.record.personId, ...accounts]) {
      const hashes = this.#hashesOf.get(id)
      hashes?.delete(hash)
      if (hashes?.size === 0) this.#hashesOf.delete(id)
    }
  }

  /** Drops what is cached of a person or of an account. */
  #drop(id: string): void {
    this.#changes++
    for (const hash of [...(this.#hashesOf.get(id) ?? [])]) this.#evict(hash)
    this.#hashesOf.delete(id)
  }

  #clear(): void {
    this.#changes++
    this.#sessions.clear()
    this.#hashesOf.clear()
  }

  #listen(): void {
    this.#clear()
    this.#isListening = true
    // Changes that were announced while nobody listened may have ended sessions.
    void this.#recheckAll()
  }

  #stopListening(): void {
    this.#isListening = false
    this.#clear()
    this.#options.log.warn(
      'the session cache lost its listener; sessions are read from the database until it is back',
    )
  }
}
