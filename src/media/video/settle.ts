/** The only place where a video job ends: its state, its file, its money, its receipt and its event in one transaction. */
import { CreationReservation, type StagedCreation } from '#core/files'
import type { ProbedVideo } from '#core/media'
import { type Cost, limitCost, noCost, storedCost, videoModels } from '#core/models'
import type { Attempt } from '#core/routing'
import type { Tx } from '#platform/db'
import { writeEvent } from '#platform/events'
import { reportSettlement, type SettlementResult, settleHoldInTx } from '#platform/ledger'
import { creationOf } from './accept.ts'
import type { VideoApp } from './app.ts'
import { callbackJob } from './callback.ts'
import type { VideoErrorCode } from './phrases.ts'
import { forgetPictures } from './pictures.ts'
import { startNext } from './start.ts'
import { changeVideo, keyOf, lockOpen, type VideoKey, type VideoRow } from './store.ts'

declare module '#platform/events' {
  interface Events {
    'video.completed': unknown
    'video.failed': unknown
  }
}

/** The key of the event that reports the end of a job. */
export const endedKeyOf = (jobId: string): string => `video ${jobId}`

/** The request was answered with 202, and its receipt keeps that status. */
const acceptedStatus = 202

export interface VideoFailure {
  code: VideoErrorCode
  /** The attempts made for the job, if more are known than the row has. */
  attempts?: readonly Attempt[]
  /** Whether the upstream may bill the job, decided by the row at its end: then its price is the platform's loss. */
  mayBeBilled: boolean | ((row: VideoRow) => boolean)
}

/**
 * Ends a job without a video: free for the caller. `holds` is the caller's fence; returns false if it does not hold any more, or the job has ended.
 */
export async function failVideo(
  app: VideoApp,
  key: VideoKey,
  failure: VideoFailure,
  holds: (row: VideoRow) => boolean,
): Promise<boolean> {
  const ended = await app.db.tx(async (tx) => {
    const row = await lockOpen(tx, key, holds)
    if (!row) return undefined
    const { code, attempts = row.attempts } = failure
    const mayBeBilled =
      typeof failure.mayBeBilled === 'function' ? failure.mayBeBilled(row) : failure.mayBeBilled
    const lost = mayBeBilled ? (row.ordered ?? row.held) : 0n
    await CreationReservation.releaseIn(tx, { accountId: row.account_id, receiptId: row.receipt_id })
    const settled = await endVideo(app, tx, row, {
      status: 'failed',
      cost: noCost,
      lostMicrocredits: lost,
      change: { attempts, error_code: code, progress: null },
      detail: {
        outcome: 'failed',
        ...detailOf(row),
        attempts,
        error_code: code,
        ...(mayBeBilled && { may_have_run: true }),
      },
    })
    return { row, settled }
  })
  if (ended) report(app, ended.row, ended.settled, failure.code)
  return ended !== undefined
}

/** Ends a job with its video, whose bytes are stored. Returns false if the job has ended meanwhile: then no file owns the bytes. */
export async function completeVideo(
  app: VideoApp,
  key: VideoKey,
  staged: StagedCreation,
  probed: ProbedVideo,
): Promise<boolean> {
  const ended = await app.db.tx(async (tx) => {
    const row = await lockOpen(tx, key, ({ status }) => status === 'fetching')
    if (!row) return undefined
    const file = staged.row
    await CreationReservation.of(app.files, creationOf(row)).commit(tx, [staged])
    const { cost, claims } = costOf(app, row, probed.seconds)
    const settled = await endVideo(app, tx, row, {
      status: 'completed',
      cost,
      quantities: { seconds: Math.max(1, Math.ceil(probed.seconds)) },
      change: {
        progress: 100,
        file_id: file.file_id,
        width: probed.width,
        height: probed.height,
        seconds: probed.seconds,
        bytes: file.bytes,
        has_audio: probed.hasAudio,
        expires_at: file.expires_at,
      },
      detail: {
        outcome: 'completed',
        files: [file.file_id],
        ...detailOf(row),
        media: {
          seconds: probed.seconds,
          width: probed.width,
          height: probed.height,
          has_audio: probed.hasAudio,
        },
        ...(claims.length > 0 && { claims }),
        attempts: row.attempts,
      },
    })
    return { row, settled, claims }
  })
  if (!ended) return false
  for (const { claimed } of ended.claims) reportCostClaim(app, ended.row, claimed.cost_usd)
  report(app, ended.row, ended.settled, 'completed')
  return true
}

interface EndOptions {
  status: 'completed' | 'failed'
  cost: Cost
  /** What the upstream may bill beside the cost. */
  lostMicrocredits?: bigint
  quantities?: Record<string, number>
  change: Partial<VideoRow>
  detail: Record<string, unknown>
}

async function endVideo(
  app: VideoApp,
  tx: Tx,
  row: VideoRow,
  options: EndOptions,
): Promise<SettlementResult> {
  const now = new Date(app.clock.nowMs())
  const { status, cost, lostMicrocredits = 0n, quantities, change, detail } = options
  await forgetPictures(tx, row.pictures, now)
  const settled = await settleHoldInTx(
    tx,
    {
      accountId: row.account_id,
      receiptId: row.receipt_id,
      microcredits: cost.microcredits + lostMicrocredits,
      lostMicrocredits,
      withinHold: true,
      state: status,
      statusCode: acceptedStatus,
      ...(row.answered_model && { model: row.answered_model }),
      quantities,
      detail: {
        ...detail,
        total_ms: now.getTime() - row.created_at.getTime(),
        charge: storedCost(cost, row.answered_model ?? row.model),
      },
      thresholdsPercent: app.config.budgets.thresholdsPercent,
    },
    now,
  )
  const ended = {
    ...change,
    status,
    charged: settled.chargedMicrocredits,
    prompt: null,
    pictures: [],
    owner: null,
    ended_at: now,
  }
  await changeVideo(tx, keyOf(row), ended)
  await notify(app, tx, { ...row, ...ended }, now)
  await startNext(app, tx, row)
  return settled
}

async function notify({ jobs }: Pick<VideoApp, 'jobs'>, tx: Tx, row: VideoRow, now: Date): Promise<void> {
  await writeEvent(
    tx,
    {
      accountId: row.account_id,
      projectId: row.project_id,
      type: row.status === 'completed' ? 'video.completed' : 'video.failed',
      data: {
        id: row.job_id,
        provider_job_id: row.provider_job_id,
        status: row.status,
        model: row.answered_model ?? row.model,
        request_id: row.receipt_id,
        charged_microcredits: String(row.charged),
        ...(row.file_id && { file_id: row.file_id }),
        ...(row.error_code && { error_code: row.error_code }),
      },
      onceKey: endedKeyOf(row.job_id),
    },
    now,
  )
  if (row.callback_url !== null)
    await jobs.enqueue(tx, callbackJob, { accountId: row.account_id, data: { jobId: row.job_id } })
}

/** The detail of every job's receipt; it never has prompt or pictures. */
const detailOf = ({ job_id, settings, deployment, looks, fetches }: VideoRow): Record<string, unknown> => ({
  video: {
    job_id,
    resolution: settings.resolution,
    seconds: settings.seconds,
    aspect_ratio: settings.aspectRatio,
    audio: settings.withAudio,
    references: settings.references,
    ...(settings.referenceMode && { reference_mode: settings.referenceMode }),
    ...(deployment && { deployment }),
    looks,
    ...(fetches > 0 && { fetched_again: fetches }),
  },
  usage_source: 'none',
})

interface CostClaim {
  deployment: string | null
  claimed: { cost_usd: number }
  believed: { microcredits: string }
}

/** The cost: by the model that took the order and its present prices, never above the most that it could cost when it was ordered. */
function costOf(
  app: Pick<VideoApp, 'config' | 'models'>,
  row: VideoRow,
  deliveredSeconds: number,
): { cost: Cost; claims: CostClaim[] } {
  const maxMicrocredits = row.ordered ?? row.held
  const model = app.models.find(row.answered_model ?? row.model)
  const limit = limitCost(maxMicrocredits, { model: row.answered_model ?? row.model })
  if (model?.kind !== 'video') return { cost: limit, claims: [] }
  const { defaults } = app.config
  // A larger claim would exceed the range in which prices are computed.
  const costUsd = row.cost_usd === null ? undefined : Math.min(row.cost_usd, maxClaimedUsd)
  const used = { ...row.settings, deliveredSeconds, costUsd }
  const price = videoModels.cost(model, defaults, used)
  const cost = price.microcredits <= maxMicrocredits ? price : limit
  const isClaimed = model.pricing.trustsCost && costUsd !== undefined
  // An impossible claim is shown on the receipt, and reported to the operator.
  const isSome = isClaimed && Number.isFinite(costUsd) && (costUsd > 0 || maxMicrocredits === 0n)
  const isPossible = !isClaimed || (isSome && !isAbove(app, costUsd, maxMicrocredits))
  if (isPossible) return { cost, claims: [] }
  const claim = {
    deployment: row.deployment,
    claimed: { cost_usd: costUsd! },
    believed: { microcredits: String(cost.microcredits) },
  }
  return { cost, claims: [claim] }
}

const maxClaimedUsd = 1e9

const isAbove = ({ config }: Pick<VideoApp, 'config'>, costUsd: number, maxMicrocredits: bigint): boolean => {
  const { creditsPerUsd, markup } = config.defaults
  return costUsd * creditsPerUsd * markup * 1e6 > Number(maxMicrocredits) + 1
}

function reportCostClaim(
  { metrics, log }: Pick<VideoApp, 'metrics' | 'log'>,
  row: VideoRow,
  claimedUsd: number,
): void {
  metrics.disbelieved.inc({ deployment: row.deployment ?? '', what: 'cost' })
  log.error(
    { receipt: row.receipt_id, deployment: row.deployment, claimed_usd: claimedUsd },
    'an upstream claims a cost of a video that cannot be; what can be was charged',
  )
}

function report(app: VideoApp, row: VideoRow, settled: SettlementResult, outcome: string): void {
  app.metrics.videos.inc({ outcome })
  app.metrics.videoSeconds.observe({ outcome }, (app.clock.nowMs() - row.created_at.getTime()) / 1000)
  reportSettlement(app, row.receipt_id, settled)
}
