/**
 * Every host of every site, in the memory of each process: which site a visitor requests, and whether a certificate may be obtained. Changes come by
 * NOTIFY in the transaction that makes them; all is read anew each minute and whenever listening resumes.
 */

import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { Log } from '#platform/log'
import * as store from './directory-store.ts'

/** What a host leads to. */
export interface FoundSite {
  readonly accountId: string
  readonly siteId: string
  /** The version to be served: the live one, or that of a preview. Null: nothing was published yet. */
  readonly version: number | null
  readonly isPreview: boolean
  readonly takenDown: boolean
}

export interface SiteDirectory extends AsyncDisposable {
  /** Finds a site in memory. `host` is lower case, without port and trailing dot. */
  find(host: string): FoundSite | undefined
  /**
   * Reads one site anew, so that a client that learns of its change from this process finds it here, too; the answers of other processes follow by
   * NOTIFY. Resolves also where the reading takes too long or fails.
   */
  refresh(site: { accountId: string; siteId: string }): Promise<void>
  /** How many sites are known. */
  readonly size: number
}

export interface DirectoryOptions {
  db: Db
  log: Log
  /** The domain whose first labels are slugs and previews. */
  domain: string
}

const channel = 'sites'

/** Notifies every process, when the transaction commits, that names or the live version of a site have changed. */
export const announceSite = async (tx: Tx, accountId: string, siteId: string): Promise<void> =>
  void (await sql`select pg_notify(${channel}, ${`${accountId}/${siteId}`})`.execute(tx))

const reloadMs = 60_000
const retryMs = 1_000
const portion = 500
/** The longest wait for a database that does not answer. */
const refreshMs = 2_000
const firstId = '00000000-0000-0000-0000-000000000000'

/** Resolves once every site is known. */
export async function openSiteDirectory(options: DirectoryOptions): Promise<SiteDirectory> {
  const directory = new Directory(options)
  await directory.begin()
  return directory
}

interface PendingChange {
  accountId: string
  /** Resolves when the site has been read, or cannot be. */
  read: PromiseWithResolvers<void>
}

class Directory implements SiteDirectory {
  readonly #db: Db
  readonly #log: Log
  readonly #suffix: string
  readonly #hosts = new Map<string, FoundSite>()
  /** The hosts of each site. */
  readonly #sites = new Map<string, readonly string[]>()
  /** Sites to be read anew. */
  readonly #changed = new Map<string, PendingChange>()
  #mustReload = true
  #working: Promise<void> | undefined
  #stopped = false
  readonly #timer: NodeJS.Timeout
  readonly #listener: AsyncDisposable

  constructor({ db, log, domain }: DirectoryOptions) {
    this.#db = db
    this.#log = log
    this.#suffix = `.${domain}`
    this.#listener = db.listen([channel], {
      message: (_channel, payload) => this.#onChange(payload),
      up: () => this.#reload(),
      down: () => undefined,
    })
    this.#timer = setInterval(() => this.#reload(), reloadMs).unref()
  }

  /** Reads all sites. Throws if the database cannot be read. */
  async begin(): Promise<void> {
    const reading = this.#readAll()
    this.#working = reading.then(
      () => this.#next(),
      () => undefined,
    )
    await reading
  }

  get size(): number {
    return this.#sites.size
  }

  find(host: string): FoundSite | undefined {
    return this.#hosts.get(host)
  }

  async refresh({ accountId, siteId }: { accountId: string; siteId: string }): Promise<void> {
    const { read } = this.#change(siteId, accountId)
    this.#work()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, refreshMs)
    await Promise.race([read.promise, late.promise])
    clearTimeout(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#listener[Symbol.asyncDispose]()
    await this.#working
  }

  #change(siteId: string, accountId: string): PendingChange {
    const known = this.#changed.get(siteId)
    if (known) return known
    const change = { accountId, read: Promise.withResolvers<void>() }
    this.#changed.set(siteId, change)
    return change
  }

  #onChange(payload: string): void {
    const [accountId, siteId] = payload.split('/')
    if (accountId === undefined || siteId === undefined) return
    this.#change(siteId, accountId)
    this.#work()
  }

  #reload(): void {
    this.#mustReload = true
    this.#work()
  }

  /** Starts a reader unless one is at work: what changes while it reads is read after it, so that the older answer never wins. */
  #work(): void {
    if (this.#working || this.#stopped) return
    this.#working = this.#readChanges()
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, 'the names of sites could not be read; it is tried again')
        this.#mustReload = true
        setTimeout(() => this.#work(), retryMs).unref()
        return true
      })
      .then((failed) => this.#next(failed))
  }

  #next(failed = false): void {
    this.#working = undefined
    if (!failed && (this.#mustReload || this.#changed.size > 0)) this.#work()
  }

  async #readChanges(): Promise<false> {
    if (this.#mustReload) await this.#readAll()
    const changed = [...this.#changed]
    this.#changed.clear()
    try {
      for (const [siteId, { accountId, read }] of changed) {
        const site = await store.namedSite(this.#db, accountId, siteId)
        if (site) this.#keep(site)
        else this.#drop(siteId)
        read.resolve()
      }
    } finally {
      for (const [, { read }] of changed) read.resolve()
    }
    return false
  }

  async #readAll(): Promise<void> {
    this.#mustReload = false
    const seen = new Set<string>()
    let after = { accountId: firstId, siteId: firstId }
    for (let found = portion; found === portion && !this.#stopped; ) {
      const sites = await store.namedSites(this.#db, after, portion)
      for (const site of sites) {
        seen.add(site.site_id)
        this.#keep(site)
      }
      found = sites.length
      const last = sites.at(-1)
      if (last) after = { accountId: last.account_id, siteId: last.site_id }
    }
    if (this.#stopped) return
    // Sites that were made during the reading have been announced, and are kept when their turn comes.
    for (const siteId of this.#sites.keys())
      if (!seen.has(siteId) && !this.#changed.has(siteId)) this.#drop(siteId)
  }

  #keep(site: store.NamedSite): void {
    this.#drop(site.site_id)
    const common = { accountId: site.account_id, siteId: site.site_id, takenDown: site.taken_down }
    const live: FoundSite = { ...common, version: site.live_version, isPreview: false }
    const hosts = [site.slug + this.#suffix, ...site.domains]
    for (const host of hosts) this.#hosts.set(host, live)
    for (const { label, version } of site.previews) {
      const host = label + this.#suffix
      hosts.push(host)
      this.#hosts.set(host, { ...common, version, isPreview: true })
    }
    this.#sites.set(site.site_id, hosts)
  }

  #drop(siteId: string): void {
    for (const host of this.#sites.get(siteId) ?? [])
      if (this.#hosts.get(host)?.siteId === siteId) this.#hosts.delete(host)
    this.#sites.delete(siteId)
  }
}
