/** Databases as one process uses them: opened by the first use, closed when nobody has used them for a while. */
import type { Failure } from '#platform/errors'
import type { OpenDatabase } from './databases.ts'

export interface OpenedDatabase {
  connections: OpenDatabase
  /** Called each time the last user leaves; the database stays open for a while. */
  onUnused?(): void
  /** Closes the database; work that still uses it fails. Called once; throws nothing. */
  end(): Promise<void>
}

/** Acts on a database that is opening or open, and does nothing on one that is closed. */
export interface DatabaseCloser {
  close(): void
  /** False where the database is in use. */
  closeIfUnused(): boolean
  /** New uses get this refusal, and the database is closed once the current ones have ended; undefined admits new uses again. */
  refuse(refusal: Failure | undefined): void
}

export interface InUseOptions<Database> {
  idleMs: number
  open(database: Database, closing: DatabaseCloser): Promise<OpenedDatabase>
}

interface DatabaseEntry {
  ref: string
  opening: Promise<OpenedDatabase>
  users: number
  refusal?: Failure | undefined
  idle?: NodeJS.Timeout | undefined
}

export class DatabasesInUse<Database extends { ref: string }> implements AsyncDisposable {
  readonly #options: InUseOptions<Database>
  readonly #entries = new Map<string, DatabaseEntry>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: InUseOptions<Database>) {
    this.#options = options
  }

  /** Runs `work` and keeps the database open until it ends. Throws what opening it and `work` throw, and the refusal. */
  async use<Result>(database: Database, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    const entry = this.#entries.get(database.ref) ?? this.#open(database)
    if (entry.refusal) throw entry.refusal
    entry.users++
    clearTimeout(entry.idle)
    try {
      const { connections } = await entry.opening
      return await work(connections)
    } finally {
      entry.users--
      if (entry.users === 0) this.#closeLater(entry)
    }
  }

  /** Closes the database; work that uses it now fails. */
  async close({ ref }: { ref: string }): Promise<void> {
    const entry = this.#entries.get(ref)
    if (entry) await this.#close(entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#close(entry)))
    await Promise.all(this.#closing)
  }

  #open(database: Database): DatabaseEntry {
    const opening = Promise.withResolvers<OpenedDatabase>()
    const entry: DatabaseEntry = { ref: database.ref, opening: opening.promise, users: 0 }
    this.#entries.set(entry.ref, entry)
    const opened = this.#options.open(database, {
      close: () => void this.#close(entry),
      closeIfUnused: () => {
        if (entry.users > 0) return false
        void this.#close(entry)
        return true
      },
      refuse: (refusal) => {
        entry.refusal = refusal
        if (refusal && entry.users === 0) void this.#close(entry)
      },
    })
    opening.resolve(opened)
    opened.catch(() => {
      if (this.#isCurrent(entry)) this.#entries.delete(entry.ref)
    })
    return entry
  }

  #closeLater(entry: DatabaseEntry): void {
    if (!this.#isCurrent(entry)) return
    if (entry.refusal) {
      void this.#close(entry)
      return
    }
    entry.idle = setTimeout(() => void this.#close(entry), this.#options.idleMs).unref()
    entry.opening.then(
      (opened) => opened.onUnused?.(),
      () => undefined,
    )
  }

  /** Closes this entry alone: another one that is open under the same ref stays open. */
  async #close(entry: DatabaseEntry): Promise<void> {
    if (!this.#isCurrent(entry)) return
    clearTimeout(entry.idle)
    this.#entries.delete(entry.ref)
    const closing = entry.opening.then(
      (opened) => opened.end(),
      () => undefined,
    )
    this.#closing.add(closing)
    await closing.finally(() => this.#closing.delete(closing))
  }

  #isCurrent(entry: DatabaseEntry): boolean {
    return this.#entries.get(entry.ref) === entry
  }
}
