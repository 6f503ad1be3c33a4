/** The record of a call, as its account reads it. */

import { creditsUp } from '#platform/ledger'
import type { CallRow } from '#voice/realtime'
import { callName } from '#voice/realtime'
import type { CallRecord } from './schema.ts'

/** @param now the time until which a call that has not ended is counted */
export const callRecordOf = (row: CallRow, now: Date): CallRecord => ({
  id: callName(row.call_id),
  object: 'realtime.call',
  status: row.status,
  reason: row.reason,
  model: row.model,
  engine: row.engine,
  transport: row.transport,
  agent_id: row.agent_id,
  store: row.store,
  sound: row.sound,
  file_id: row.file_id,
  created_at: row.created_at.toISOString(),
  started_at: row.connected_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  seconds: secondsOf(row, now),
  turns: row.turns,
  credits: creditsUp(row.charged ?? 0n),
  microcredits: String(row.charged ?? 0n),
  pending: row.ended_at === null && row.end_asked_at !== null,
  request_id: row.receipt_id,
})

function secondsOf({ connected_at, ended_at }: CallRow, now: Date): number {
  if (!connected_at) return 0
  const ms = (ended_at ?? now).getTime() - connected_at.getTime()
  return Math.max(0, Math.ceil(ms / 1000))
}
