import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'

/** Announces a key in a transaction, like `insertPendingBlob`. */
export async function announcePendingBlob(tx: Tx, key: string, dueAt: Date): Promise<void> {
  await sql`insert into storage.pending_blobs as b (key, due_at) values (${key}, ${dueAt})
    on conflict (key) do update set due_at = excluded.due_at where not b.deleting`.execute(tx)
}

/** Announces a key. A key whose first writing failed may be announced again. */
export const insertPendingBlob = (db: Db, key: string, dueAt: Date): Promise<unknown> =>
  db.query(
    {
      name: 'storage.stage',
      text: `insert into storage.pending_blobs as b (key, due_at) values ($1, $2)
        on conflict (key) do update set due_at = excluded.due_at where not b.deleting`,
    },
    [key, dueAt],
  )

export const insertAnnounced = (db: Db, keys: readonly string[], dueAt: Date): Promise<unknown> =>
  db.query(
    {
      name: 'storage.announce',
      text: 'insert into storage.pending_blobs (key, due_at) select key, $2 from unnest($1::text[]) as k(key)',
    },
    [keys, dueAt],
  )

/** Moves the due time of a pending blob whose bytes are still being written. Returns false if the blob is being deleted or was deleted. */
export async function renewPendingBlob(db: Db, key: string, dueAt: Date): Promise<boolean> {
  const rows = await db.query(
    { text: 'update storage.pending_blobs set due_at = $2 where key = $1 and not deleting returning key' },
    [key, dueAt],
  )
  return rows.length === 1
}

export async function insertPendingBlobs(tx: Tx, keys: readonly string[], now: Date): Promise<void> {
  if (keys.length === 0) return
  await sql`insert into storage.pending_blobs (key, due_at) select key, ${now} from unnest(${keys}::text[]) as k(key)
    on conflict (key) do nothing`.execute(tx)
}

/** Commits the pending blobs; returns how many of the keys were pending. */
export async function commitPendingBlobs(tx: Tx, keys: readonly string[]): Promise<number> {
  const { rows } =
    await sql`delete from storage.pending_blobs where key = any(${keys}) and not deleting returning 1`.execute(
      tx,
    )
  return rows.length
}

/** Marks the named pending blobs, or those that are due, as being deleted, and returns their keys. */
export async function claimForDeletion(
  db: Db,
  now: Date,
  keys: readonly string[] | null,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ key: string }>(
    {
      text: `with due as (
          select key from storage.pending_blobs
          where case when $2::text[] is null then due_at <= $1 else key = any($2) end
          order by due_at limit $3 for update skip locked
        )
        update storage.pending_blobs b set deleting = true from due where b.key = due.key returning b.key`,
    },
    [now, keys, keys === null ? limit : keys.length],
  )
  return rows.map(({ key }) => key)
}

export const removeDeleted = (db: Db, keys: readonly string[]): Promise<unknown> =>
  db.query({ text: 'delete from storage.pending_blobs where key = any($1)' }, [keys])
