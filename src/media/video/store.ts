/** SQL of video jobs: the rows, and who may change them when. */
import { sql } from 'kysely'
import type { Attempt } from '#core/routing'
import type { ReferenceMode, VideoResolution } from '#core/turn'
import type { Db, Tx } from '#platform/db'
import { type Judge, lapseIntervalSql } from '#platform/processes'
import type { VideoErrorCode } from './phrases.ts'

declare module '#platform/db' {
  interface Tables {
    'videos.jobs': VideoRow
  }
}

/**
 * The states of a job. `submitting`: an upstream is about to be called, or was; `recordSubmitted`: the vendor has named its job; `fetching`: its bytes are
 * fetched.
 */
export type VideoState =
  | 'queued'
  | 'submitting'
  | 'submitted'
  | 'processing'
  | 'fetching'
  | 'completed'
  | 'failed'

/** The settings of the order, without prompt and pictures. */
export interface VideoSettingsOrdered {
  resolution: VideoResolution
  seconds: number
  aspectRatio: string
  withAudio: boolean
  references: number
  referenceMode?: ReferenceMode
  seed?: number
}

/** A reference picture whose bytes are in the store until the order is sent. */
export interface StoredPicture {
  key: string
  mediaType: string
  width?: number | undefined
  height?: number | undefined
}

export interface VideoRow {
  account_id: string
  job_id: string
  project_id: string
  key_id: string
  receipt_id: string
  provider_job_id: string
  endpoint: string
  model: string
  answered_model: string | null
  prompt: string | null
  settings: VideoSettingsOrdered
  pictures: readonly StoredPicture[]
  keep_days: number
  callback_url: string | null
  held: bigint
  status: VideoState
  owner: string | null
  takes: number
  rounds: number
  wait_until: Date | null
  attempts: readonly Attempt[]
  deployment: string | null
  provider: string | null
  upstream_model: string | null
  ordered: bigint | null
  hook_hash: Buffer | null
  ticket: string | null
  claimed_ticket: string | null
  ambiguous_until: Date | null
  progress: number | null
  queue_position: number | null
  looks: number
  /** Consecutive looks at a job that its vendor does not know; for a finished one, failed fetches that were no fault of its bytes. */
  missing: number
  missing_since: Date | null
  cost_usd: number | null
  fetches: number
  next_at: Date
  error_code: VideoErrorCode | null
  charged: bigint | null
  file_id: string | null
  width: number | null
  height: number | null
  seconds: number | null
  bytes: bigint | null
  has_audio: boolean | null
  created_at: Date
  submitted_at: Date | null
  ended_at: Date | null
  expires_at: Date | null
}

export interface VideoKey {
  accountId: string
  jobId: string
}

export const keyOf = ({ account_id, job_id }: Pick<VideoRow, 'account_id' | 'job_id'>): VideoKey => ({
  accountId: account_id,
  jobId: job_id,
})

const jsonOf = <Value>(value: Value) => sql<Value>`${JSON.stringify(value)}::json`

type JsonColumn = 'settings' | 'pictures' | 'attempts'
const jsonColumns: readonly JsonColumn[] = ['settings', 'pictures', 'attempts']

/** The row with its JSON columns as the database takes them. */
function withJsonColumns<Row extends Partial<VideoRow>>(row: Row): Row {
  const json = jsonColumns.flatMap((column) =>
    row[column] === undefined ? [] : [[column, jsonOf(row[column])]],
  )
  return { ...row, ...Object.fromEntries(json) }
}

export const insertVideo = (tx: Tx, row: VideoRow) =>
  tx.insertInto('videos.jobs').values(withJsonColumns(row)).execute()

/** Locks the project until the transaction ends: meanwhile no other job of it is accepted or begun. */
export async function lockProject(tx: Tx, projectId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('videos ' || ${projectId}, 0))`.execute(tx)
}

export interface ProjectKey {
  accountId: string
  projectId: string
}

/** A vendor may know a job half a minute after its order only: it is lost after so many looks over so much time at which it is not known. */
const lostAfterMissing = 2
const lostAfterMs = 30_000

/** The time at which a job must have been missing first to be lost. */
const lostSince = (nowMs: number): Date => new Date(nowMs - lostAfterMs)

/** Whether the vendor of a job does not know it, so that it holds no place; `countOpen` decides the same. */
export const isLost = (
  { missing, missing_since: since }: Pick<VideoRow, 'missing' | 'missing_since'>,
  nowMs: number,
): boolean => missing >= lostAfterMissing && since !== null && since <= lostSince(nowMs)

export interface OpenVideos {
  /** Those that hold a place. */
  running: number
  queued: number
  /** Those whose end nobody may ever know: the answer to their order was lost, or their vendor does not know them. */
  lost: number
}

/** The number of open jobs of a project. */
export async function countOpen(
  tx: Tx,
  { accountId, projectId }: ProjectKey,
  nowMs: number,
): Promise<OpenVideos> {
  const { rows } = await sql<{ open: bigint; queued: bigint; lost: bigint }>`
    select count(*) as open, count(*) filter (where status = 'queued') as queued, count(*) filter (where
      (status = 'submitting' and ambiguous_until is not null)
      or (status in ('submitted', 'processing') and missing >= ${lostAfterMissing} and missing_since <= ${lostSince(nowMs)})) as lost
    from videos.jobs where account_id = ${accountId} and project_id = ${projectId} and ended_at is null`.execute(
    tx,
  )
  const { open, queued, lost } = rows[0]!
  return { running: Number(open - queued - lost), queued: Number(queued), lost: Number(lost) }
}

/** The next queued job of a project; one that waits for a busy upstream lets others go first. */
export const nextQueued = (
  tx: Tx,
  { accountId, projectId }: ProjectKey,
  now: Date,
): Promise<VideoRow | undefined> =>
  tx
    .selectFrom('videos.jobs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('ended_at', 'is', null)
    .where('status', '=', 'queued')
    .where((of) => of.or([of('wait_until', 'is', null), of('wait_until', '<=', now)]))
    .orderBy('job_id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

/** How many jobs of the project precede a queued one. */
export async function queuedBefore(db: Db, row: VideoRow): Promise<number> {
  const [found] = await db.query<{ before: bigint }>(
    {
      name: 'videos.before',
      text: `select count(*) as before from videos.jobs where account_id = $1 and project_id = $2 and ended_at is null
        and status = 'queued' and job_id < $3`,
    },
    [row.account_id, row.project_id, row.job_id],
  )
  return Number(found!.before)
}

/** Locks the row until the transaction ends. */
export const lockVideo = (tx: Tx, { accountId, jobId }: VideoKey): Promise<VideoRow | undefined> =>
  tx
    .selectFrom('videos.jobs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('job_id', '=', jobId)
    .forUpdate()
    .executeTakeFirst()

/** Locks the row and returns it if the job is open and `holds`, the fence of the code that changes it. */
export async function lockOpen(
  tx: Tx,
  key: VideoKey,
  holds: (row: VideoRow) => boolean,
): Promise<VideoRow | undefined> {
  const row = await lockVideo(tx, key)
  return row && row.ended_at === null && holds(row) ? row : undefined
}

export const changeVideo = async (
  tx: Tx,
  { accountId, jobId }: VideoKey,
  change: Partial<VideoRow>,
): Promise<void> => {
  await tx
    .updateTable('videos.jobs')
    .set(withJsonColumns(change))
    .where('account_id', '=', accountId)
    .where('job_id', '=', jobId)
    .execute()
}

export interface VideoOwner {
  accountId: string
  projectId: string
}

export const findRow = (db: Db, owner: VideoOwner, jobId: string): Promise<VideoRow | undefined> =>
  db.kysely
    .selectFrom('videos.jobs')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('job_id', '=', jobId)
    .where('project_id', '=', owner.projectId)
    .executeTakeFirst()

export const readVideo = (db: Db, { accountId, jobId }: VideoKey): Promise<VideoRow | undefined> =>
  db.kysely
    .selectFrom('videos.jobs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('job_id', '=', jobId)
    .executeTakeFirst()

/** The row with this id, of any account: for webhooks of vendors, which name no account. */
export const findAnyVideo = (db: Db, jobId: string): Promise<VideoRow | undefined> =>
  db.kysely.selectFrom('videos.jobs').selectAll().where('job_id', '=', jobId).executeTakeFirst()

/** The columns of a due job that the poller needs. */
export interface DueVideo
  extends Pick<
    VideoRow,
    | 'account_id'
    | 'job_id'
    | 'project_id'
    | 'status'
    | 'deployment'
    | 'provider'
    | 'upstream_model'
    | 'ticket'
    | 'claimed_ticket'
    | 'ambiguous_until'
    | 'progress'
    | 'queue_position'
    | 'looks'
    | 'missing'
    | 'missing_since'
    | 'takes'
    | 'created_at'
  > {
  /** The time until which no other poller looks at the job. */
  next_at: Date
  /** False if the process that submits the job has died. */
  owner_lives: boolean
}

/** Takes jobs that are due; they are due again at `until`, in case this process cannot write another time. */
export const takeDue = (
  db: Db,
  { id, leaseMs, beatAt }: Judge,
  { now, until, most }: { now: Date; until: Date; most: number },
): Promise<DueVideo[]> =>
  db.query(
    {
      name: 'videos.due',
      text: `with due as (
          select account_id, job_id from videos.jobs where ended_at is null and next_at <= $1
          order by next_at limit $4 for update skip locked)
        update videos.jobs j set
          next_at = case when j.status = 'submitting' and j.ambiguous_until is null then $1 + $3 * interval '1 millisecond' else $2 end
        from due where j.account_id = due.account_id and j.job_id = due.job_id
        returning j.account_id, j.job_id, j.project_id, j.status, j.deployment, j.provider, j.upstream_model, j.ticket, j.claimed_ticket,
          j.ambiguous_until, j.progress, j.queue_position, j.looks, j.missing, j.missing_since, j.takes, j.created_at, j.next_at,
          case when j.status = 'submitting' then ledger.lives(j.owner, ${lapseIntervalSql('$3', '$5', '$6')}) else true end as owner_lives`,
    },
    [now, until, leaseMs, most, id, beatAt],
  )

/** The result of a look at a job that goes on. */
export interface LookResult {
  account_id: string
  job_id: string
  status: 'submitted' | 'processing'
  progress: number | null
  queue_position: number | null
  missing: number
  missing_since: Date | null
  /** The `next_at` that `takeDue` has set: a webhook that came meanwhile has changed it, and wins. */
  taken_until: Date
  next_at: Date
}

/** Writes the results of looks at many jobs in one statement. */
export const writeLookResults = (db: Db, results: readonly LookResult[]): Promise<unknown> =>
  db.query(
    {
      name: 'videos.looked',
      text: `update videos.jobs j set status = r.status, progress = r.progress, queue_position = r.queue_position, missing = r.missing,
          missing_since = r.missing_since, looks = j.looks + 1,
          next_at = case when j.next_at = r.taken_until then r.next_at else j.next_at end
        from json_to_recordset($1::json) as r(account_id uuid, job_id uuid, status text, progress real, queue_position int, missing smallint,
          missing_since timestamptz, taken_until timestamptz, next_at timestamptz)
        where j.account_id = r.account_id and j.job_id = r.job_id and j.status in ('submitted', 'processing')`,
    },
    [JSON.stringify(results)],
  )

export async function hasOpen(db: Db): Promise<boolean> {
  const [row] = await db.query<{ open: boolean }>(
    {
      name: 'videos.open',
      text: 'select exists (select from videos.jobs where ended_at is null) as open',
    },
    [],
  )
  return row!.open
}

/** Deletes jobs that ended before `before`, and whose files are gone since. */
export const deleteOld = (db: Db, before: Date): Promise<unknown> =>
  db.query(
    {
      text: 'delete from videos.jobs where ended_at < $1 and coalesce(expires_at, ended_at) < $1',
    },
    [before],
  )
