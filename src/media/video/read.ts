/** A video job as callers read it. Reading calls no vendor. */
import { findFile } from '#core/files'
import { isUuid } from '#platform/ids'
import type { VideoApp } from './app.ts'
import type { VideoErrorCode } from './phrases.ts'
import { findRow, queuedBefore, type VideoOwner, type VideoRow, type VideoSettingsOrdered } from './store.ts'

export interface VideoJob {
  id: string
  /** The id made here, `pj_…`: one for each job, whichever provider makes it. */
  providerJobId: string
  status: 'queued' | 'processing' | 'completed' | 'failed'
  /** The model that took the order; until then the requested one. */
  model: string
  /** The id of the request that ordered it, which names its receipt. */
  requestId: string
  endpoint: string
  settings: VideoSettingsOrdered
  /** Per cent, if the vendor reports it. */
  progress: number | null
  /** How many jobs precede a queued one here, or as the vendor reports. */
  queuePosition?: number
  createdAt: Date
  /** The time at which an upstream took the order. */
  submittedAt: Date | null
  endedAt: Date | null
  /** The time at which the file expires. */
  expiresAt: Date | null
  /** The error; its sentence comes from `sentenceOf`. A completed job whose file is gone has EXPIRED. */
  error?: { code: VideoErrorCode }
  video?: {
    /** The id of the file; absent once the file is gone. */
    fileId?: string
    width: number
    height: number
    durationSeconds: number
    sizeBytes: number
    hasAudio: boolean
  }
  /** The charge in micro-credits; 0 while the job is open. */
  microcredits: bigint
  /** The held micro-credits; 0 once the job has ended. */
  reservedMicrocredits: bigint
  /** Whether the job is open, so that its charge is not known yet. */
  pending: boolean
  callbackUrl?: string
}

export interface VideoQuery {
  id: string
  /** The second id of the job; absent where the route finds jobs by `id` alone. */
  providerJobId?: string
}

/** A job of the project; undefined where there is none, it is another project's, or the two ids do not belong together. */
export async function findVideo(
  app: Pick<VideoApp, 'clock' | 'db'>,
  owner: VideoOwner,
  query: VideoQuery,
): Promise<VideoJob | undefined> {
  const row = await findVideoRow(app, owner, query)
  if (!row) return undefined
  const job = jobOf(row)
  if (row.status === 'queued') return { ...job, queuePosition: await queuedBefore(app.db, row) }
  if (!job.video?.fileId || (await hasFile(app, row))) return job
  const { fileId: _, ...video } = job.video
  return { ...job, video, error: { code: 'EXPIRED' } }
}

export async function findVideoRow(
  { db }: Pick<VideoApp, 'db'>,
  owner: VideoOwner,
  { id, providerJobId }: VideoQuery,
): Promise<VideoRow | undefined> {
  const row = isUuid(id) ? await findRow(db, owner, id) : undefined
  return providerJobId === undefined || row?.provider_job_id === providerJobId ? row : undefined
}

const hasFile = async ({ db, clock }: Pick<VideoApp, 'clock' | 'db'>, row: VideoRow): Promise<boolean> => {
  const owner = { accountId: row.account_id, projectId: row.project_id }
  return (await findFile(db, owner, row.file_id!, new Date(clock.nowMs()))) !== undefined
}

const shown: Record<VideoRow['status'], VideoJob['status']> = {
  queued: 'queued',
  submitting: 'queued',
  submitted: 'queued',
  processing: 'processing',
  fetching: 'processing',
  completed: 'completed',
  failed: 'failed',
}

export function jobOf(row: VideoRow): VideoJob {
  const isOpen = row.ended_at === null
  return {
    id: row.job_id,
    providerJobId: row.provider_job_id,
    status: shown[row.status],
    model: row.answered_model ?? row.model,
    requestId: row.receipt_id,
    endpoint: row.endpoint,
    settings: row.settings,
    progress: row.status === 'completed' ? 100 : isOpen ? row.progress : null,
    ...(row.status === 'submitted' && row.queue_position !== null && { queuePosition: row.queue_position }),
    createdAt: row.created_at,
    submittedAt: row.submitted_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
    ...(row.error_code && { error: { code: row.error_code } }),
    ...(row.status === 'completed' && {
      video: {
        fileId: row.file_id!,
        width: row.width!,
        height: row.height!,
        durationSeconds: row.seconds!,
        sizeBytes: Number(row.bytes!),
        hasAudio: row.has_audio!,
      },
    }),
    microcredits: row.charged ?? 0n,
    reservedMicrocredits: isOpen ? row.held : 0n,
    pending: isOpen,
    ...(row.callback_url !== null && { callbackUrl: row.callback_url }),
  }
}
