/** Accepts a video: its job, its hold, its claim and the room for its file are written to the database together, or none of them is. */
import { type CreationCall, CreationReservation } from '#core/files'
import { type VideoModel, videoModels } from '#core/models'
import { maxAmount } from '#core/paid'
import type { VideoOrder } from '#core/turn'
import type { Caller } from '#platform/auth'
import { Failure, fail } from '#platform/errors'
import { randomBase62, uuidv7 } from '#platform/ids'
import { type Claim, ClaimTaken, creditsUp, holdInTx, microcreditsPerCredit } from '#platform/ledger'
import type { VideoApp } from './app.ts'
import { candidatesFor } from './candidates.ts'
import { commitPictures, dropPictures, stagePictures } from './pictures.ts'
import { pricedSettings } from './plan.ts'
import { wakePoller } from './poll.ts'
import { jobOf, type VideoJob } from './read.ts'
import { startJob } from './start.ts'
import { countOpen, insertVideo, lockProject, type StoredPicture, type VideoRow } from './store.ts'
import './phrases.ts'

export interface SubmitVideoOptions {
  caller: Caller
  requestId: string
  claim?: Claim | undefined
  /** The endpoint for the receipt, such as `/v1/studio/video`. */
  endpoint: string
  model: VideoModel
  /** The order that `planVideo` returned. */
  order: VideoOrder
  customerId?: string | undefined
  referenceId?: string | undefined
  /** The days for which the file is kept. Absent: the setting of the key, project or configuration; 0: one day, in no list. */
  keepDays?: number | undefined
  /** The address at which the caller is notified of the end, beside the project's webhooks. */
  callbackUrl?: string | undefined
  /** The body of the 202, which is stored for repeats of the request. */
  replyOf: (job: VideoJob) => string | Promise<string>
}

/** The most bytes of one video. */
export const maxVideoBytes = 200 * 1024 * 1024
/** The longest time from accepting a video to its end, whatever happens. */
export const maxVideoMs = 45 * 60_000
/** After this time the poller starts a job that no worker has taken. */
export const restartAfterMs = 30_000
const acceptedStatus = 202

/**
 * Reserves the worst case and the room, and puts the job into the queue. Returns the job and the body of its 202. Throws VIDEO_TOO_EXPENSIVE (400),
 * VIDEO_QUEUE_FULL (429), FILES_QUOTA_EXCEEDED (403), and what `Ledger.hold` throws, `ClaimTaken` included.
 */
export async function submitVideo(
  app: VideoApp,
  options: SubmitVideoOptions,
): Promise<{ job: VideoJob; reply: string }> {
  const drafted = newRow(app, options)
  const { references } = options.order
  const key = { accountId: drafted.account_id, jobId: drafted.job_id }
  const pictures = await stagePictures(app, key, references)
  const row = { ...drafted, pictures }
  try {
    return await accept(app, options, row)
  } catch (error) {
    // After any other error the job may have been committed.
    if (error instanceof Failure || error instanceof ClaimTaken) await dropPictures(app, pictures)
    throw error
  }
}

async function accept(
  app: VideoApp,
  { caller, requestId, claim, endpoint, customerId, referenceId, replyOf }: SubmitVideoOptions,
  row: VideoRow & { pictures: readonly StoredPicture[] },
): Promise<{ job: VideoJob; reply: string }> {
  const owner = { accountId: row.account_id, projectId: row.project_id }
  const job = jobOf(row)
  const reply = await replyOf(job)
  await app.db.tx(async (tx) => {
    await lockProject(tx, row.project_id)
    await CreationReservation.reserveIn(tx, app.files, creationOf(row), roomOfVideo, () =>
      // The hold comes before anything is counted, so that a repeat gets its answer whatever has changed since.
      holdInTx(
        tx,
        {
          payer: caller,
          receiptId: requestId,
          endpoint,
          model: row.model,
          microcredits: row.held,
          claim,
          customerId,
          referenceId,
          accepted: { statusCode: acceptedStatus, reply },
        },
        row.created_at,
      ),
    )
    const { running, queued, lost } = await countOpen(tx, owner, app.clock.nowMs())
    const { videosRunning, videosQueued } = app.config.studio
    const maxOpen = videosRunning + videosQueued
    if (running + queued >= maxOpen || lost >= maxOpen + moreLost)
      fail(
        'VIDEO_QUEUE_FULL',
        { running: videosRunning, queued: videosQueued },
        { retryAfterMs: queueRetryMs },
      )
    await insertVideo(tx, row)
    await commitPictures(tx, row.pictures)
    await app.jobs.enqueue(tx, startJob, {
      accountId: row.account_id,
      data: { projectId: row.project_id },
    })
    await wakePoller(app, tx)
  })
  app.metrics.heldMicrocredits.inc(Number(row.held))
  return { job, reply }
}

const queueRetryMs = 30_000
/** Lost orders hold no place, but a vendor that loses every one must not fill the table: so many more are open than may be made and wait. */
const moreLost = 20
const roomOfVideo = { creations: 1, bytes: maxVideoBytes }

/** The creation to which the file of a video belongs. */
export const creationOf = (row: VideoRow): CreationCall => ({
  accountId: row.account_id,
  projectId: row.project_id,
  keyId: row.key_id,
  receiptId: row.receipt_id,
  source: 'video',
  keepDays: row.keep_days,
})

function newRow(app: Pick<VideoApp, 'clock' | 'config' | 'models'>, options: SubmitVideoOptions): VideoRow {
  const { caller, model, order, requestId } = options
  const { defaults, studio } = app.config
  const candidates = candidatesFor(app, caller.models, model, order)
  const held = maxAmount(
    candidates.map((one) => videoModels.worstCase(one.model, defaults, pricedSettings(one.model, one.order))),
  )
  if (held > BigInt(studio.maxCreditsPerCall) * microcreditsPerCredit)
    fail('VIDEO_TOO_EXPENSIVE', { credits: creditsUp(held), maxCredits: studio.maxCreditsPerCall })
  const nowMs = app.clock.nowMs()
  return {
    ...blank,
    account_id: caller.accountId,
    job_id: uuidv7(nowMs),
    project_id: caller.projectId,
    key_id: caller.keyId,
    receipt_id: requestId,
    provider_job_id: `pj_${randomBase62(22)}`,
    endpoint: options.endpoint,
    model: model.id,
    prompt: order.prompt,
    settings: {
      ...pricedSettings(model, order),
      aspectRatio: order.aspectRatio,
      references: order.references.length,
      ...(order.referenceMode && { referenceMode: order.referenceMode }),
      ...(order.seed !== undefined && { seed: order.seed }),
    },
    keep_days: options.keepDays ?? caller.keepDays ?? studio.keepDays,
    callback_url: options.callbackUrl ?? null,
    held,
    next_at: new Date(nowMs + restartAfterMs),
    created_at: new Date(nowMs),
  }
}

const blank = {
  answered_model: null,
  pictures: [],
  status: 'queued',
  owner: null,
  takes: 0,
  rounds: 0,
  wait_until: null,
  attempts: [],
  deployment: null,
  provider: null,
  upstream_model: null,
  ordered: null,
  hook_hash: null,
  ticket: null,
  claimed_ticket: null,
  ambiguous_until: null,
  progress: null,
  queue_position: null,
  looks: 0,
  missing: 0,
  missing_since: null,
  cost_usd: null,
  fetches: 0,
  error_code: null,
  charged: null,
  file_id: null,
  width: null,
  height: null,
  seconds: null,
  bytes: null,
  has_audio: null,
  submitted_at: null,
  ended_at: null,
  expires_at: null,
} satisfies Partial<VideoRow>
