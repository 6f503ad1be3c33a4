/** What a database uses of its package: the time that it is awake, its disk, and about how many rows it has. */
import type { CloudKey } from '#cloud/clouds'
import type { Db } from '#platform/db'
import { Failure } from '#platform/errors'
import type { DatabasesApp } from './app.ts'
import './phrases.ts'

const dayMs = 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The first moment of the next month (UTC). */
function nextMonthMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

/** An interval, split by the days (UTC) that it touches. */
function* byDays(fromMs: number, toMs: number): Generator<{ day: string; ms: number }> {
  for (let at = fromMs; at < toMs; ) {
    const end = Math.min(toMs, (Math.floor(at / dayMs) + 1) * dayMs)
    yield { day: dayOf(at), ms: end - at }
    at = end
  }
}

/**
 * Adds an interval in which the database was awake to the days that it lies in. One process alone calls this for an interval: processes that share a
 * server agree on which of them measures. For a cloud that is gone nothing is written.
 */
export async function addAwakeTime(
  { db }: Pick<DatabasesApp, 'db'>,
  { accountId, cloudId }: CloudKey,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<void> {
  const days = [...byDays(fromMs, toMs)]
  if (days.length === 0) return
  await db.query(
    {
      text: `insert into databases.usage_days as u (account_id, cloud_id, day, awake_ms)
        select c.account_id, c.cloud_id, d.day, d.ms from clouds.clouds c, json_to_recordset($3::json) as d(day date, ms bigint)
        where c.account_id = $1 and c.cloud_id = $2 for key share of c
        on conflict (account_id, cloud_id, day) do update set awake_ms = u.awake_ms + excluded.awake_ms`,
    },
    [accountId, cloudId, JSON.stringify(days)],
  )
}

/** The time that the database was awake in the month (UTC) of `nowMs`. */
export async function awakeMsOfMonth(
  db: Db,
  { accountId, cloudId }: CloudKey,
  nowMs: number,
): Promise<number> {
  const [row] = await db.query<{ ms: bigint }>(
    {
      text: `select coalesce(sum(awake_ms), 0)::bigint as ms from databases.usage_days
        where account_id = $1 and cloud_id = $2 and day >= date_trunc('month', $3::date) and day <= $3::date`,
    },
    [accountId, cloudId, dayOf(nowMs)],
  )
  return Number(row!.ms)
}

/** Called before a database is woken. Throws DATABASE_HOURS_USED where its package has no hours left for this month. */
export async function requireAwakeTime(
  { db, clock }: Pick<DatabasesApp, 'db' | 'clock'>,
  cloud: CloudKey,
  { awakeHours }: { awakeHours: number },
): Promise<void> {
  const nowMs = clock.nowMs()
  if ((await awakeMsOfMonth(db, cloud, nowMs)) < awakeHours * hourMs) return
  throw new Failure('DATABASE_HOURS_USED', { max: awakeHours }, { retryAfterMs: nextMonthMs(nowMs) - nowMs })
}

export interface DatabaseUsage {
  diskBytes: number
  /** The approximate number, as PostgreSQL counts them. */
  rows: number
}

/** Records what was measured of a database. The record stays while the database sleeps and nothing is measured. */
export async function recordMeasurement(
  { db, clock }: Pick<DatabasesApp, 'db' | 'clock'>,
  { accountId, cloudId }: CloudKey,
  { diskBytes, rows }: DatabaseUsage,
): Promise<void> {
  await db.query(
    {
      text: `update databases.databases set disk_bytes = $3, rows_estimate = $4, measured_at = $5
        where account_id = $1 and cloud_id = $2`,
    },
    [accountId, cloudId, diskBytes, rows, new Date(clock.nowMs())],
  )
}

/** The last measurement of a database; undefined where there is none. */
export async function lastMeasurement(
  db: Db,
  { accountId, cloudId }: CloudKey,
): Promise<DatabaseUsage | undefined> {
  const [row] = await db.query<{ disk_bytes: bigint; rows_estimate: bigint | null }>(
    {
      text: `select disk_bytes, rows_estimate from databases.databases
        where account_id = $1 and cloud_id = $2 and measured_at is not null`,
    },
    [accountId, cloudId],
  )
  return row && { diskBytes: Number(row.disk_bytes), rows: Number(row.rows_estimate ?? 0) }
}

/** The hours, rounded up: an hour that has begun is used. */
export const hoursOf = (ms: number): number => Math.ceil(ms / hourMs)
