import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { LeaseKey, RunKey } from '../store.ts'

declare module '#platform/db' {
  interface Tables {
    'work.files': FileRow
  }
}

export interface FileRow {
  account_id: string
  run_id: string
  path: string
  media_type: string
  bytes: bigint
  sha256: string
  title: string
  storage_key: string
  created_at: Date
}

/** The files of a run, in the order in which they were first made. */
export const filesOf = (
  kysely: Pick<Db, 'kysely'>['kysely'] | Tx,
  { accountId, runId }: RunKey,
): Promise<FileRow[]> =>
  kysely
    .selectFrom('work.files')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .orderBy('path')
    .execute()

/** Stores a file. A file with the same path is replaced and keeps its position in the list. */
export async function putFile(tx: Tx, file: FileRow): Promise<void> {
  await sql`insert into work.files (account_id, run_id, path, media_type, bytes, sha256, title, storage_key, created_at)
    values (${file.account_id}, ${file.run_id}, ${file.path}, ${file.media_type}, ${file.bytes}, ${file.sha256}, ${file.title},
      ${file.storage_key}, ${file.created_at})
    on conflict (account_id, run_id, path) do update set media_type = excluded.media_type, bytes = excluded.bytes,
      sha256 = excluded.sha256, title = excluded.title, storage_key = excluded.storage_key`.execute(tx)
}

/** Records the key before the bytes are stored. Returns false if another worker has the run. */
export async function recordBlob(
  db: Db,
  { accountId, runId, owner }: LeaseKey,
  key: string,
): Promise<boolean> {
  const recorded = await db.query(
    {
      name: 'work.note_blob',
      text: `with mine as (
          select account_id, run_id from work.runs where account_id = $1 and run_id = $2 and owner = $3 and ended_at is null
        ), put as (
          insert into work.blobs (account_id, run_id, storage_key) select account_id, run_id, $4 from mine on conflict do nothing
        )
        select from mine`,
    },
    [accountId, runId, owner, key],
  )
  return recorded.length === 1
}

export const blobsOf = async (db: Db, { accountId, runId }: RunKey): Promise<string[]> => {
  const rows = await db.query<{ storage_key: string }>(
    { text: 'select storage_key from work.blobs where account_id = $1 and run_id = $2' },
    [accountId, runId],
  )
  return rows.map(({ storage_key }) => storage_key)
}

/** The files of runs that these keys of the account have paid for, in the order of runs and paths. */
export async function filesOfKeys(
  { kysely }: Db,
  { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
  after: { runId: string; path: string } | null,
  limit: number,
): Promise<(FileRow & { project_id: string; receipt_id: string })[]> {
  const { rows } = await sql<FileRow & { project_id: string; receipt_id: string }>`
    select f.*, r.project_id, r.receipt_id from work.files f join work.runs r using (account_id, run_id)
    where f.account_id = ${accountId} and r.key_id = any(${[...keyIds]}::uuid[])
      and (${after?.runId ?? null}::uuid is null
        or (f.run_id, f.path) > (${after?.runId ?? null}::uuid, ${after?.path ?? null}::text))
    order by f.run_id, f.path limit ${limit}`.execute(kysely)
  return rows
}
