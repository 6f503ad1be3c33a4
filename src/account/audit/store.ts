import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { uuidOfHex } from '#platform/ids'
import { platformAccount } from '#platform/jobs'
import { type Page, type PageOptions, readPage } from '#platform/lists'

declare module '#platform/db' {
  interface Tables {
    'audit.entries': StoredEntry
  }
}

/** A row as the table has it, whose keys begin with an account: that of the platform for changes of the whole installation. */
type StoredEntry = Omit<EntryRow, 'account_id'> & { account_id: string }

/** The kinds of those who can have changed something. */
export const actorKinds = ['person', 'key', 'management_key', 'operator', 'system'] as const
export type ActorKind = (typeof actorKinds)[number]

export interface EntryRow {
  entry_id: string
  /** Null for a change of the whole installation. */
  account_id: string | null
  project_id: string | null
  at: Date
  actor_kind: ActorKind
  actor_id: string | null
  operation: string
  target_kind: string | null
  target_id: string | null
  before: unknown
  after: unknown
  request_id: string | null
  client: string | null
}

export async function insertEntry(tx: Tx, row: EntryRow): Promise<void> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  await tx
    .insertInto('audit.entries')
    .values({
      ...row,
      account_id: row.account_id ?? platformAccount,
      before: json(row.before),
      after: json(row.after),
    })
    .execute()
}

export interface AuditFilter {
  /** Rows of one account; null: those of the whole installation; absent: all rows. */
  accountId?: string | null | undefined
  actorKind?: EntryRow['actor_kind'] | undefined
  /** The id of a person or a key. */
  actorId?: string | undefined
  /** The id of what was changed. */
  targetId?: string | undefined
  /** What the operation begins with. */
  operation?: string | undefined
  /** Of these beginnings the operation must have one. */
  operations?: readonly string[] | undefined
  /** Only rows of these projects, and none of the account as a whole. */
  projectIds?: readonly string[] | undefined
  /** Rows from this time on match. */
  from?: Date | undefined
  /** Rows before this time match. */
  to?: Date | undefined
}

/** A page of rows, newest first; the cursor is the id of a row. */
export async function listAudit(
  db: Pick<Db, 'kysely'>,
  filter: AuditFilter,
  page: Pick<PageOptions, 'limit' | 'after_id'>,
): Promise<Page<EntryRow>> {
  const { accountId, projectIds, actorKind, actorId, targetId, operation, operations, from, to } = filter
  let query = db.kysely.selectFrom('audit.entries').selectAll()
  if (accountId !== undefined) query = query.where('account_id', '=', accountId ?? platformAccount)
  if (projectIds !== undefined)
    query = query.where(sql<boolean>`project_id = any(${[...projectIds]}::uuid[])`)
  if (actorKind !== undefined) query = query.where('actor_kind', '=', actorKind)
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId)
  if (targetId !== undefined) query = query.where('target_id', '=', targetId)
  if (operation !== undefined) query = query.where(sql<boolean>`starts_with(operation, ${operation})`)
  if (operations !== undefined)
    query = query.where(({ or }) =>
      or(operations.map((beginning) => sql<boolean>`starts_with(operation, ${beginning})`)),
    )
  // Ids ascend with time, and the index is ordered by them: rows of other times are not read.
  if (from) query = query.where('at', '>=', from).where('entry_id', '>=', idAt(from.getTime() - sameTimeMs))
  if (to) query = query.where('at', '<', to).where('entry_id', '<', idAt(to.getTime() + sameTimeMs))
  const { rows, hasMore } = await readPage(query, 'entry_id', page)
  return { rows: rows.map(entryOf), hasMore }
}

const entryOf = (row: StoredEntry): EntryRow => ({
  ...row,
  account_id: row.account_id === platformAccount ? null : row.account_id,
})

/** By how much the time in an id may be later than the time of its row, because many ids were made in one millisecond. */
const sameTimeMs = 1_000

/** The lowest id of the millisecond. */
const idAt = (ms: number): string =>
  uuidOfHex(Math.max(0, ms).toString(16).padStart(12, '0').slice(-12).padEnd(32, '0'))
