/** Webhooks of vendors: they wake the poller, and name the job of an order whose answer was lost. Nothing in them is trusted. */
import { timingSafeEqual } from 'node:crypto'
import { isUuid } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import type { VideoApp } from './app.ts'
import { reportLateVideo } from './order.ts'
import { wakePoller } from './poll.ts'
import { changeVideo, findAnyVideo, keyOf, lockVideo, type VideoRow } from './store.ts'

export interface VendorWebhook {
  /** The id of the provider in the configuration. */
  provider: string
  jobId: string
  token: string
  /** The body, parsed as JSON; undefined where it is not JSON. */
  body: unknown
}

/** The most characters of a vendor's job id. */
const maxTicketLength = 500

/** Handles a webhook of a vendor. Returns false for an unknown address, which is answered as a missing one. */
export async function handleVendorWebhook(
  app: VideoApp,
  { provider, jobId, token, body }: VendorWebhook,
): Promise<boolean> {
  const row = isUuid(jobId) ? await findAnyVideo(app.db, jobId) : undefined
  if (!isWebhookOf(row, provider, token)) return false
  const named = app.inference.upstreamOf(provider)?.orders.video?.jobOf?.(body)
  const claimed = named !== undefined && named.length <= maxTicketLength ? named : undefined
  const now = new Date(app.clock.nowMs())
  const late = await app.db.tx(async (tx) => {
    const current = await lockVideo(tx, keyOf(row))
    if (!current) return false
    if (current.ended_at) return isUnnamed(current) && claimed !== undefined
    if (isUnnamed(current)) {
      if (claimed !== undefined) await changeVideo(tx, keyOf(row), { claimed_ticket: claimed })
      // Until the order is known to be lost, its answer may still come.
      if (claimed === undefined || current.ambiguous_until === null) return false
    }
    await changeVideo(tx, keyOf(row), { next_at: now })
    await wakePoller(app, tx)
    return false
  })
  if (late) reportLateVideo(app, row, claimed!)
  return true
}

/** Whether the vendor has not yet named the job of this row. */
const isUnnamed = ({ ticket }: VideoRow): boolean => ticket === null

/** Whether the address belongs to the row; the check takes constant time for an existing job. */
function isWebhookOf(row: VideoRow | undefined, provider: string, token: string): row is VideoRow {
  const hash = row?.hook_hash ?? Buffer.alloc(32)
  const isToken = timingSafeEqual(hash, sha256(token))
  return row !== undefined && row.hook_hash !== null && row.provider === provider && isToken
}
