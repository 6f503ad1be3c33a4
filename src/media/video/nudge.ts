/** Webhooks of vendors: they wake the poller, and name the job of an order whose answer was lost. They are believed in nothing. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '#app'
import { isUuid } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { alarmLate, wakePoller } from './order.ts'
import { changeVideo, hookedVideo, keyOf, lockVideo, type VideoRow } from './store.ts'

export interface Nudge {
  /** Its id in the configuration. */
  provider: string
  jobId: string
  token: string
  /** As it came, read as JSON; undefined where it is none. */
  body: unknown
}

/** Characters of a vendor's id of a job. */
const maxTicketLength = 500

/** Takes a webhook of a vendor. False where the address is none of ours: answered as a missing one. */
export async function nudgeVideo(app: App, { provider, jobId, token, body }: Nudge): Promise<boolean> {
  const row = isUuid(jobId) ? await hookedVideo(app.db, jobId) : undefined
  if (!isAddressed(row, provider, token)) return false
  const named = app.inference.upstreamOf(provider)?.orders.video?.jobOf?.(body)
  const claimed = named !== undefined && named.length <= maxTicketLength ? named : undefined
  const now = new Date(app.clock.nowMs())
  const late = await app.db.tx(async (tx) => {
    const current = await lockVideo(tx, keyOf(row))
    if (!current) return false
    if (current.ended_at) return isUnnamed(current) && claimed !== undefined
    if (isUnnamed(current)) {
      if (claimed !== undefined) await changeVideo(tx, keyOf(row), { claimed_ticket: claimed })
      // Until its order is known to be lost, its answer may still come.
      if (claimed === undefined || current.ambiguous_until === null) return false
    }
    await changeVideo(tx, keyOf(row), { next_at: now })
    await wakePoller(app, tx)
    return false
  })
  if (late) alarmLate(app, row, claimed!)
  return true
}

/** Its vendor has not named a job of it. */
const isUnnamed = ({ ticket }: VideoRow): boolean => ticket === null

/** In constant time for a job that there is. */
function isAddressed(row: VideoRow | undefined, provider: string, token: string): row is VideoRow {
  const hash = row?.hook_hash ?? Buffer.alloc(32)
  const isToken = timingSafeEqual(hash, sha256(token))
  return row !== undefined && row.hook_hash !== null && row.provider === provider && isToken
}
