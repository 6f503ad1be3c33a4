import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { Language } from '#platform/errors'
import { type Page, type PageOptions, readPage } from '#platform/lists'

declare module '#platform/db' {
  interface Tables {
    'batches.batches': BatchRow
  }
}

export interface BatchRow {
  account_id: string
  batch_id: string
  project_id: string
  key_id: string
  version: string
  betas: string[]
  language: Language
  customer_id: string | null
  reference_id: string | null
  total: number
  succeeded: number
  errored: number
  canceled: number
  expired: number
  created_at: Date
  deadline: Date
  cancel_initiated_at: Date | null
  ended_at: Date | null
  expires_at: Date
  archived_at: Date | null
}

/** The key of a row. */
export interface RowKey {
  accountId: string
  batchId: string
  position: number
}

export interface StartedRow
  extends Pick<
    BatchRow,
    'project_id' | 'key_id' | 'version' | 'betas' | 'language' | 'customer_id' | 'reference_id'
  > {
  /** The state before this start; `running` if another worker had started the row. */
  was: 'waiting' | 'running'
  effect_id: string
  params: string
}

export type RowEnd = 'succeeded' | 'errored' | 'canceled' | 'expired'

export const insertBatch = (tx: Tx, batch: BatchRow) =>
  tx.insertInto('batches.batches').values(batch).execute()

/** Characters of one statement: all rows of a batch in one statement would block the event loop while it is serialized. */
const statementCharacters = 1024 * 1024

export async function insertRows(
  tx: Tx,
  { account_id, batch_id }: BatchRow,
  customIds: readonly string[],
  params: readonly string[],
): Promise<void> {
  for (let start = 0, end = 0; start < params.length; start = end) {
    for (
      let size = 0;
      end < params.length && (end === start || size + params[end]!.length <= statementCharacters);
    )
      size += params[end++]!.length
    const [ids, texts] = [customIds.slice(start, end), params.slice(start, end)]
    await sql`insert into batches.rows (account_id, batch_id, position, custom_id, params)
      select ${account_id}, ${batch_id}, ${start}::int + place - 1, custom_id, params
      from unnest(${ids}::text[], ${texts}::text[]) with ordinality as r(custom_id, params, place)`.execute(
      tx,
    )
  }
}

export async function countOpen(tx: Tx, accountId: string): Promise<number> {
  const { open } = await tx
    .selectFrom('batches.batches')
    .select((of) => of.fn.countAll<bigint>().as('open'))
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(open)
}

export const findBatch = (
  db: Db,
  accountId: string,
  projectId: string,
  batchId: string,
): Promise<BatchRow | undefined> =>
  db.kysely
    .selectFrom('batches.batches')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('batch_id', '=', batchId)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

/** The batches of a project, newest first. */
export function listBatches(
  db: Db,
  of: { accountId: string; projectId: string },
  options: PageOptions,
): Promise<Page<BatchRow>> {
  const all = db.kysely
    .selectFrom('batches.batches')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .where('project_id', '=', of.projectId)
  return readPage(all, 'batch_id', options)
}

/** Marks a batch as being cancelled, unless it has ended. Returns the batch after that. */
export const cancelBatch = (
  tx: Tx,
  accountId: string,
  projectId: string,
  batchId: string,
  now: Date,
): Promise<BatchRow | undefined> =>
  tx
    .updateTable('batches.batches')
    .set((of) => ({
      cancel_initiated_at: of
        .case()
        .when('ended_at', 'is', null)
        .then(of.fn.coalesce('cancel_initiated_at', of.val(now)))
        .else(of.ref('cancel_initiated_at'))
        .end(),
    }))
    .where('account_id', '=', accountId)
    .where('batch_id', '=', batchId)
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst()

/** Deletes a batch with its rows. Returns false if there is no such batch that has ended. */
export async function deleteBatch(
  db: Db,
  accountId: string,
  projectId: string,
  batchId: string,
): Promise<boolean> {
  const done = await db.kysely
    .deleteFrom('batches.batches')
    .where('account_id', '=', accountId)
    .where('batch_id', '=', batchId)
    .where('project_id', '=', projectId)
    .where('ended_at', 'is not', null)
    .executeTakeFirst()
  return done.numDeletedRows === 1n
}

export const resultsAfter = (
  db: Db,
  accountId: string,
  batchId: string,
  position: number,
  limit: number,
): Promise<{ position: number; custom_id: string; state: RowEnd; result: string | null }[]> =>
  db.query(
    {
      name: 'batches.results',
      text: `select position, custom_id, state, result from batches.rows
        where account_id = $1 and batch_id = $2 and position > $3 order by position limit $4`,
    },
    [accountId, batchId, position, limit],
  )

/**
 * Starts a row under a new effect id. If another worker had started the row, returns it with the effect id of that start. Returns undefined if the
 * row has ended or may not start any more.
 */
export async function beginRow(
  db: Db,
  { accountId, batchId, position }: RowKey,
  effectId: string,
  now: Date,
): Promise<StartedRow | undefined> {
  const [row] = await db.query<StartedRow>(
    {
      name: 'batches.begin_row',
      text: `with was as (
          select state, effect_id from batches.rows where account_id = $1 and batch_id = $2 and position = $3 for update
        )
        update batches.rows r set state = 'running', effect_id = coalesce(was.effect_id, $4)
        from was, batches.batches b
        where r.account_id = $1 and r.batch_id = $2 and r.position = $3 and b.account_id = $1 and b.batch_id = $2
          and (was.state = 'running' or (was.state = 'waiting' and b.cancel_initiated_at is null and b.deadline > $5))
        returning was.state as was, r.effect_id, r.params, b.project_id, b.key_id, b.version, b.betas, b.language,
          b.customer_id, b.reference_id`,
    },
    [accountId, batchId, position, effectId, now],
  )
  return row
}

/** Replaces the effect id of an attempt that had no effect. Returns false if another worker has already replaced it. */
export async function replaceEffect(
  db: Db,
  { accountId, batchId, position }: RowKey,
  previousState: string,
  effectId: string,
): Promise<boolean> {
  const changed = await db.query(
    {
      name: 'batches.replace_effect',
      text: `update batches.rows set effect_id = $5
        where account_id = $1 and batch_id = $2 and position = $3 and effect_id = $4 and state = 'running' returning 1`,
    },
    [accountId, batchId, position, previousState, effectId],
  )
  return changed.length === 1
}

/** Ends a running row with its result, or sets it back to waiting. */
export async function releaseRow(
  tx: Tx,
  { accountId, batchId, position }: RowKey,
  endState: RowEnd | 'waiting',
  result: string | null,
  now: Date,
): Promise<void> {
  await sql`select batches.leave_row(${accountId}, ${batchId}, ${position}, ${endState}, ${result}, ${now})`.execute(
    tx,
  )
}

/** Ends all rows that have not started. */
export const endWaiting = (
  db: Db,
  accountId: string,
  batchId: string,
  endState: 'canceled' | 'expired',
  now: Date,
): Promise<unknown> =>
  db.query({ text: 'select batches.end_waiting($1, $2, $3, $4)' }, [accountId, batchId, endState, now])

/** Batches whose rows may not start any more. */
export const overdueBatches = (
  db: Db,
  now: Date,
  limit: number,
): Promise<{ account_id: string; batch_id: string }[]> =>
  db.query(
    {
      text: `select account_id, batch_id from batches.batches b
        where ended_at is null and deadline <= $1 and exists (
          select from batches.rows r where r.account_id = b.account_id and r.batch_id = b.batch_id and r.state = 'waiting')
        order by deadline limit $2`,
    },
    [now, limit],
  )

/** Deletes the rows of batches whose retention has ended. Returns the number of those batches. */
export async function archiveBatches(db: Db, now: Date, limit: number): Promise<number> {
  const archived = await db.query(
    {
      text: `with old as (
          select account_id, batch_id from batches.batches
          where archived_at is null and expires_at <= $1 and ended_at is not null order by expires_at limit $2
        ), gone as (
          delete from batches.rows r using old o where r.account_id = o.account_id and r.batch_id = o.batch_id
        )
        update batches.batches b set archived_at = $1 from old o
        where b.account_id = o.account_id and b.batch_id = o.batch_id returning 1`,
    },
    [now, limit],
  )
  return archived.length
}
