import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type Judge, lapseIntervalSql } from '#platform/processes'

export interface QueuedJob {
  account_id: string
  job_id: string
  data: unknown
  fence: number
  failures: number
  /** The number of processes in a row that died while running the job. */
  vanished: number
}

export interface NewJob {
  account_id: string
  job_id: string
  data: unknown
  run_at: Date | undefined
  singleton_key: string | undefined
}

/** How a claimed job ended; see `jobs.settle` in migrations/0006-jobs.sql. */
export interface JobResult {
  account_id: string
  job_id: string
  fence: number
  how: 'done' | 'later' | 'failed' | 'parked'
  delay_ms: number
  error?: string
}

export async function put(tx: Tx, name: string, rows: readonly NewJob[]): Promise<void> {
  await sql`with put as (
      insert into jobs.queue (account_id, job_id, name, data, singleton_key, run_at)
      select account_id, job_id, ${name}, data, singleton_key, coalesce(run_at, platform.now())
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(account_id uuid, job_id uuid, data json, run_at timestamptz, singleton_key text)
      on conflict do nothing
      returning run_at
    )
    select pg_notify('jobs', ${name}) where exists (select from put where run_at <= platform.now())`.execute(
    tx,
  )
}

export const claim = (
  db: Db,
  options: { name: string; processId: string; busy: readonly string[]; perAccount: number; max: number },
): Promise<QueuedJob[]> =>
  db.query(
    {
      name: 'jobs.claim',
      text: 'select account_id, job_id, data, fence, failures, vanished from jobs.claim($1, $2, $3, $4, $5)',
    },
    [options.name, options.processId, options.busy, options.perAccount, options.max],
  )

export async function isUnderWay(
  db: Db,
  { accountId, name, singletonKey }: { accountId: string; name: string; singletonKey: string },
): Promise<boolean> {
  const rows = await db.query(
    {
      text: `select from jobs.queue
        where account_id = $1 and name = $2 and singleton_key = $3 and parked_at is null`,
    },
    [accountId, name, singletonKey],
  )
  return rows.length > 0
}

export const settle = (db: Db, processId: string, ended: readonly JobResult[]): Promise<unknown> =>
  db.query({ name: 'jobs.settle', text: 'select jobs.settle($1, $2)' }, [processId, JSON.stringify(ended)])

/** Resets the count of processes that died; from now on `asFailures` of them count as failures. */
export const clearVanished = (
  db: Db,
  processId: string,
  job: QueuedJob,
  asFailures: number,
): Promise<unknown> =>
  db.query(
    {
      name: 'jobs.forgive',
      text: `update jobs.queue set vanished = 0, failures = failures + $5
        where account_id = $1 and job_id = $2 and fence = $3 and process_id = $4 and vanished > 0`,
    },
    [job.account_id, job.job_id, job.fence, processId, asFailures],
  )

/** Requeues the jobs of processes that are dead; returns their number. */
export async function sweep(db: Db, { id, leaseMs, beatAt }: Judge): Promise<bigint> {
  const [row] = await db.query<{ orphans: bigint }>(
    { text: `select jobs.sweep(${lapseIntervalSql('$1', '$2', '$3')}) as orphans` },
    [leaseMs, id, beatAt],
  )
  return row!.orphans
}

/**
 * The kinds of jobs that have waiting jobs, due or not, or jobs that this process has claimed, perhaps by a statement whose reply was lost. Takes two
 * index probes for each kind, however long the queue is.
 */
export async function waitingKinds(db: Db, names: readonly string[], processId: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    {
      name: 'jobs.waiting',
      text: `select k.name from unnest($1::text[]) as k(name)
        where exists (select from jobs.queue q where q.name = k.name and q.process_id is null and q.parked_at is null)
          or exists (select from jobs.queue q where q.name = k.name and q.process_id = $2)`,
    },
    [names, processId],
  )
  return rows.map(({ name }) => name)
}

/** A recurring job, with the id of its next run. */
export interface RecurringRun {
  name: string
  every_ms: number
  job_id: string
}

/** Queues the recurring jobs that are due; the first process that calls this does it. */
export const scheduleNext = (
  db: Db,
  { turns, accountId, now }: { turns: readonly RecurringRun[]; accountId: string; now: Date },
): Promise<unknown> =>
  db.query(
    {
      name: 'jobs.recur',
      // Rows are locked in the order of their names, so that two processes never deadlock.
      text: `with turns as (
          select * from json_to_recordset($1::json) as t(name text, every_ms bigint, job_id uuid)
        ), due as (
          insert into jobs.schedules as s (name, last_at) select name, $2 from turns order by name
          on conflict (name) do update set last_at = excluded.last_at
            where s.last_at <= excluded.last_at
              - (select every_ms from turns t where t.name = excluded.name) * interval '1 millisecond'
          returning name
        ), put as (
          insert into jobs.queue (account_id, job_id, name, data, singleton_key, run_at)
          select $3, job_id, name, 'null', 'recurring', platform.now() from turns join due using (name) order by name
          on conflict do nothing
          returning name
        )
        select pg_notify('jobs', name) from put`,
    },
    [JSON.stringify(turns), now, accountId],
  )
