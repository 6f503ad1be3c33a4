import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { Localized } from '#platform/errors'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import type { InputFile, WorkKind } from '#work/pipelines'

declare module '#platform/db' {
  interface Tables {
    'work.runs': RunRow
  }
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelling' | 'cancelled'

export interface RunRow {
  account_id: string
  run_id: string
  project_id: string
  key_id: string
  receipt_id: string
  agent_id: string | null
  knowledge_id: string | null
  files: readonly InputFile[]
  kind: WorkKind
  title: string | null
  input: string
  instructions: string | null
  language: 'fa' | 'en'
  model: string
  sandbox: boolean
  status: RunStatus
  owner: string | null
  percent: number
  words: Localized | null
  partial: boolean
  error_code: string | null
  /** The depth of the run, from 1. */
  depth: number
  held: bigint
  spent: bigint
  promised: bigint
  losses: number
  waits: number
  events: number
  created_at: Date
  started_at: Date | null
  deadline: Date
  retry_at: Date | null
  cancel_requested_at: Date | null
  ended_at: Date | null
  expires_at: Date | null
}

export interface RunKey {
  accountId: string
  runId: string
}

/** The key of a run with its owner: writes are refused once another worker has taken the run over. */
export interface LeaseKey extends RunKey {
  owner: string
}

/** Thrown if another worker has the run, or it has ended. */
export class LeaseLost extends Error {
  override name = 'Superseded'
}

export type NewRun = Omit<
  RunRow,
  | 'status'
  | 'owner'
  | 'percent'
  | 'words'
  | 'partial'
  | 'error_code'
  | 'spent'
  | 'promised'
  | 'losses'
  | 'waits'
  | 'events'
  | 'started_at'
  | 'retry_at'
  | 'cancel_requested_at'
  | 'ended_at'
  | 'expires_at'
>

const jsonOf = (value: unknown) => sql`${JSON.stringify(value)}::json`

export const insertRun = (tx: Tx, run: NewRun) =>
  tx
    .insertInto('work.runs')
    .values({ ...(run as RunRow), files: jsonOf(run.files) as unknown as InputFile[] })
    .execute()

export async function countOpen(tx: Tx, accountId: string): Promise<number> {
  const { open } = await tx
    .selectFrom('work.runs')
    .select((of) => of.fn.countAll<bigint>().as('open'))
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(open)
}

export interface RunProject {
  accountId: string
  projectId: string
}

export const findRun = (db: Db, project: RunProject, runId: string): Promise<RunRow | undefined> =>
  db.kysely
    .selectFrom('work.runs')
    .selectAll()
    .where('account_id', '=', project.accountId)
    .where('run_id', '=', runId)
    .where('project_id', '=', project.projectId)
    .executeTakeFirst()

/** The runs of a project, newest first. */
export function listRuns(db: Db, project: RunProject, options: PageOptions): Promise<Page<RunRow>> {
  const all = db.kysely
    .selectFrom('work.runs')
    .selectAll()
    .where('account_id', '=', project.accountId)
    .where('project_id', '=', project.projectId)
  return readPage(all, 'run_id', options)
}

/** Locks the row of a run until the transaction ends. */
export const lockRun = (tx: Tx, { accountId, runId }: RunKey): Promise<RunRow | undefined> =>
  tx
    .selectFrom('work.runs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .forUpdate()
    .executeTakeFirst()

/** Locks a run for the worker that has it. Throws `LeaseLost` if another worker has it or it has ended. */
export async function lockLeased(tx: Tx, held: LeaseKey): Promise<RunRow> {
  const run = await lockRun(tx, held)
  if (!run || run.ended_at || run.owner !== held.owner) throw new LeaseLost()
  return run
}

export const changeRun = async (
  tx: Tx,
  { accountId, runId }: RunKey,
  change: Partial<Omit<RunRow, 'words'>> & { words?: Localized },
): Promise<void> => {
  const { words, ...plain } = change
  await tx
    .updateTable('work.runs')
    .set({ ...plain, ...(words && { words: sql<Localized>`${JSON.stringify(words)}::json` }) })
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .execute()
}

/** The owner of each run, and whether the run was cancelled or has ended. */
export const readRunStates = (
  db: Db,
  runKeys: readonly RunKey[],
): Promise<{ run_id: string; owner: string | null; cancel: boolean; ended: boolean }[]> =>
  db.query(
    {
      name: 'work.watch',
      text: `select r.run_id, r.owner, r.cancel_requested_at is not null as cancel, r.ended_at is not null as ended
        from unnest($1::uuid[], $2::uuid[]) p(account_id, run_id)
        join work.runs r on r.account_id = p.account_id and r.run_id = p.run_id`,
    },
    [runKeys.map(({ accountId }) => accountId), runKeys.map(({ runId }) => runId)],
  )

/** Open runs that are past their deadline. */
export const overdueRuns = (
  db: Db,
  before: Date,
  limit: number,
): Promise<{ account_id: string; run_id: string }[]> =>
  db.query(
    {
      text: `select account_id, run_id from work.runs where ended_at is null and deadline <= $1 order by deadline limit $2`,
    },
    [before, limit],
  )

/** Ended runs whose retention is over. */
export const expiredRuns = (
  db: Db,
  now: Date,
  limit: number,
): Promise<{ account_id: string; run_id: string }[]> =>
  db.query(
    {
      text: `select account_id, run_id from work.runs where ended_at is not null and expires_at <= $1 order by expires_at limit $2`,
    },
    [now, limit],
  )

/** Deletes a run that has ended, with its steps, events and files. */
export const deleteRun = (db: Db, { accountId, runId }: RunKey): Promise<unknown> =>
  db.query({ text: 'delete from work.runs where account_id = $1 and run_id = $2 and ended_at is not null' }, [
    accountId,
    runId,
  ])
