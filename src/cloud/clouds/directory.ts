/**
 * Every cloud by its ref, in the memory of each process. All refs are known; a cloud itself is read when its app first calls, and kept
 * for as long as changes arrive from the database: by NOTIFY in the transaction that makes them.
 */
import { sql } from 'kysely'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import { type Db, isDatabaseAway, type Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { Log } from '#platform/log'
import type { CloudDirectory, CloudKey, LiveCloud } from './clouds.ts'
import * as store from './directory-store.ts'

export interface DirectoryOptions {
  db: Db
  log: Log
  clock: Clock
  config: Pick<Config, 'clouds'>
}

const channel = 'clouds'

/** `stopped`: the cloud was suspended, or its deletion began. */
export type CloudChangeKind = 'changed' | 'stopped' | 'gone'

/** Notifies every process, when the transaction commits, that a cloud has changed, or is gone. */
export const announceCloud = async (
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  ref: string,
  news: CloudChangeKind = 'changed',
): Promise<void> =>
  void (await sql`select pg_notify(${channel}, ${[ref, accountId, cloudId, news].join('/')})`.execute(tx))

const reloadMs = 60_000
const retryMs = 1_000
const portion = 1_000
/** The most clouds that are kept; the one that was read first is forgotten first. */
const maxKept = 10_000

/** Resolves once every ref is known. */
export async function openCloudDirectory(options: DirectoryOptions): Promise<CloudDirectory> {
  const directory = new Directory(options)
  await directory.begin()
  return directory
}

interface CachedCloud {
  read: Promise<store.LoadedCloud | undefined>
  /** The cloud, once it has been read. */
  value?: store.LoadedCloud | undefined
}

class Directory implements CloudDirectory {
  readonly #options: DirectoryOptions
  #refs = new Set<string>()
  readonly #kept = new Map<string, CachedCloud>()
  /** The changes that were announced while all refs are read: they override what is read. */
  #announced: Map<string, boolean> | undefined
  #isListening = false
  #reading: Promise<void> | undefined
  #mustRead = false
  #stopped = false
  readonly #timer: NodeJS.Timeout
  readonly #listener: AsyncDisposable
  readonly #whenStopped = new Set<(cloud: CloudKey) => void>()

  constructor(options: DirectoryOptions) {
    this.#options = options
    this.#listener = options.db.listen([channel], {
      message: (_channel, payload) => this.#onChange(payload),
      up: () => {
        this.#kept.clear()
        this.#isListening = true
        this.#reload()
      },
      down: () => {
        this.#isListening = false
        this.#kept.clear()
      },
    })
    this.#timer = setInterval(() => this.#reload(), reloadMs).unref()
  }

  /** Reads all refs. Throws if the database cannot be read. */
  async begin(): Promise<void> {
    await this.#readRefs()
  }

  has(ref: string): boolean {
    return this.#refs.has(ref)
  }

  findCached(ref: string): LiveCloud | undefined {
    const value = this.#kept.get(ref)?.value
    return value && this.#isCurrent(value) ? value.cloud : undefined
  }

  async find(ref: string): Promise<LiveCloud | undefined> {
    if (!this.#refs.has(ref)) return undefined
    return this.findCached(ref) ?? (await this.#read(ref))?.cloud
  }

  async refresh(cloud: CloudKey): Promise<void> {
    try {
      const ref = await store.refOf(this.#options.db, cloud)
      if (ref === undefined) return
      this.#change(ref, true)
      await this.#read(ref)
    } catch (error) {
      // Other processes learn of the change by NOTIFY, and so does this one.
      this.#options.log.warn({ err: error }, 'a cloud could not be read anew')
    }
  }

  onStopped(listener: (cloud: CloudKey) => void): Disposable {
    this.#whenStopped.add(listener)
    return { [Symbol.dispose]: () => void this.#whenStopped.delete(listener) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#listener[Symbol.asyncDispose]()
    await this.#reading?.catch(() => undefined)
  }

  /** Whether a cloud is still as it was read. After `validUntilMs` it has keys that are over, so it is read anew. */
  #isCurrent({ validUntilMs }: store.LoadedCloud): boolean {
    return this.#options.clock.nowMs() < validUntilMs
  }

  /** Reads a cloud by one query for all callers at the same time; kept only if nothing changed meanwhile and changes still arrive. */
  async #read(ref: string): Promise<store.LoadedCloud | undefined> {
    const kept = this.#kept.get(ref)
    if (kept && (!kept.value || this.#isCurrent(kept.value))) return await kept.read
    const { db, clock, config } = this.#options
    const reading: CachedCloud = { read: store.readLiveCloud(db, config.clouds, ref, clock.nowMs()) }
    this.#keep(ref, reading)
    try {
      reading.value = await reading.read
      if (!reading.value || !this.#isListening) this.#forget(ref, reading)
      return reading.value
    } catch (error) {
      this.#forget(ref, reading)
      if (isDatabaseAway(error)) fail('SERVICE_UNAVAILABLE', { why: 'database' }, { cause: error })
      throw error
    }
  }

  #keep(ref: string, reading: CachedCloud): void {
    this.#kept.delete(ref)
    this.#kept.set(ref, reading)
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value!)
  }

  #forget(ref: string, reading: CachedCloud): void {
    if (this.#kept.get(ref) === reading) this.#kept.delete(ref)
  }

  #onChange(payload: string): void {
    const [ref, accountId, cloudId, news] = payload.split('/')
    if (ref === undefined || accountId === undefined || cloudId === undefined) return
    this.#change(ref, news !== 'gone')
    if (news !== 'changed') for (const listener of this.#whenStopped) listener({ accountId, cloudId })
  }

  #change(ref: string, exists: boolean): void {
    this.#kept.delete(ref)
    this.#announced?.set(ref, exists)
    if (exists) this.#refs.add(ref)
    else this.#refs.delete(ref)
  }

  /** Reads all refs, again after a reading that is under way, which may have missed what happened since it began. */
  #reload(): void {
    this.#mustRead = true
    if (this.#stopped || this.#reading) return
    this.#mustRead = false
    this.#reading = this.#readRefs()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the refs of clouds could not be read; it is tried again')
        setTimeout(() => this.#reload(), retryMs).unref()
      })
      .finally(() => {
        this.#reading = undefined
        if (this.#mustRead) this.#reload()
      })
  }

  async #readRefs(): Promise<void> {
    const announced = new Map<string, boolean>()
    this.#announced = announced
    const refs = new Set<string>()
    for (let after = '', found = portion; found === portion && !this.#stopped; ) {
      const more = await store.readRefs(this.#options.db, after, portion)
      for (const ref of more) refs.add(ref)
      found = more.length
      after = more.at(-1) ?? after
    }
    if (this.#stopped) return
    for (const [ref, exists] of announced) {
      if (exists) refs.add(ref)
      else refs.delete(ref)
    }
    this.#announced = undefined
    this.#refs = refs
  }
}
