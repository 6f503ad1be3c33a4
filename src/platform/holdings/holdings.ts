/** What each room holds of an account and of a person: how it stops, how it is deleted in portions, and what of it a person's export has. */
import type { Readable } from 'node:stream'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { deletePortion } from './store.ts'

/** `more`: something was deleted, and there may be more. `wait`: other work has to end first. */
export type Portion = 'done' | 'more' | 'wait'

/** Whose files are wanted: those of the keys by which one person pays in an account. */
export interface MadeBy {
  accountId: string
  keyIds: readonly string[]
}

/** A file that was made by such a key. */
export interface MadeFile {
  fileId: string
  projectId: string
  name: string
  mediaType: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
  createdAt: Date
  /** The paid call that made it; null where it was uploaded. */
  receiptId: string | null
  /** Undefined where the bytes are gone. */
  open: () => Promise<Readable | undefined>
}

/** A list of the export of a person: rows as JSON, in pages. */
export interface PersonList {
  /** Also that of its file in the archive. */
  name: string
  pages: AsyncIterable<readonly Record<string, unknown>[]>
}

/** What a person may do in an account now. */
export interface PersonPlace {
  accountId: string
  /** Null: all projects of the account. */
  projectIds: readonly string[] | null
  rights: ReadonlySet<string>
}

export interface Holding<App> {
  /** The room, for the log. */
  room: string
  /** The tables that have no row of the account any more once `erase` has returned `done`. */
  tables: readonly string[]
  /** Stops what strangers reach or what runs by itself, while the deletion of the account can be undone. It may run again. */
  pause?: (app: App, accountId: string) => Promise<void>
  /** Undoes `pause`, and nothing that somebody else has stopped. */
  resume?: (app: App, accountId: string) => Promise<void>
  /** Deletes a portion. It may run again after a crash, and beside another process. */
  erase: (app: App, accountId: string) => Promise<Portion>
  /** The files of a person, oldest first; absent where the room has none. */
  filesMadeBy?: (app: App, by: MadeBy) => AsyncIterable<MadeFile>
  /** What the room has of a person beside files, in the places that they may use now; absent where it has nothing that is a person's own. */
  listsOf?: (app: App, personId: string, places: readonly PersonPlace[]) => readonly PersonList[]
  /** Deletes a portion of what is a person's own, before the person is deleted. It may run again after a crash, and beside another process. */
  erasePerson?: (app: App, personId: string) => Promise<Portion>
}

/** A holding whose functions know their app. */
export interface BoundHolding {
  room: string
  tables: readonly string[]
  pause: (accountId: string) => Promise<void>
  resume: (accountId: string) => Promise<void>
  erase: (accountId: string) => Promise<Portion>
  filesMadeBy: (by: MadeBy) => AsyncIterable<MadeFile>
  listsOf: (personId: string, places: readonly PersonPlace[]) => readonly PersonList[]
  erasePerson: (personId: string) => Promise<Portion>
}

async function* noFiles(): AsyncGenerator<MadeFile> {
  // A room that names no files has none.
}

export const bindHolding = <App>(holding: Holding<App>, app: App): BoundHolding => ({
  room: holding.room,
  tables: holding.tables,
  pause: async (accountId) => holding.pause?.(app, accountId),
  resume: async (accountId) => holding.resume?.(app, accountId),
  erase: (accountId) => holding.erase(app, accountId),
  filesMadeBy: (by) => holding.filesMadeBy?.(app, by) ?? noFiles(),
  listsOf: (personId, places) => holding.listsOf?.(app, personId, places) ?? [],
  erasePerson: async (personId) => (await holding.erasePerson?.(app, personId)) ?? 'done',
})

/** A table whose rows are deleted by themselves. */
export interface HeldTable {
  name: string
  /** The storage keys of a row's bytes, as an SQL expression of a text array over the row `t`; the bytes are deleted with the row. */
  blobs?: string
  /** Further tables, whose rows go with those of this one by foreign keys. */
  cascades?: readonly string[]
}

interface TablesApp {
  db: Db
  clock: Clock
}

const portion = 500

/** The holding of a room that has nothing but rows, and bytes that they name; tables are emptied in their order. */
export const heldTables = (
  room: string,
  tables: readonly HeldTable[],
): Pick<Holding<TablesApp>, 'room' | 'tables' | 'erase'> => ({
  room,
  tables: tables.flatMap(({ name, cascades = [] }) => [name, ...cascades]),
  async erase({ db, clock }, accountId) {
    for (const table of tables)
      if ((await deletePortion(db, table, { accountId, limit: portion, now: new Date(clock.nowMs()) })) > 0)
        return 'more'
    return 'done'
  },
})
