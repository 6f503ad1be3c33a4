/** SQL for the operator, who sees the realtime calls of all accounts. */
import type { Db } from '#platform/db'
import { type Page, readPage } from '#platform/lists'
import type { CallRow } from './store.ts'

interface AnyCalls {
  accountId?: string | undefined
  running: boolean
  limit: number
}

/** The calls, newest first; with `running` only those that have not ended. */
export function listAnyCalls(db: Db, { accountId, running, limit }: AnyCalls): Promise<Page<CallRow>> {
  let calls = db.kysely.selectFrom('realtime.calls').selectAll()
  if (accountId !== undefined) calls = calls.where('account_id', '=', accountId)
  if (running) calls = calls.where('ended_at', 'is', null)
  return readPage(calls, 'call_id', { limit })
}

/** Finds a call by its id, or by that of its receipt. */
export const findAnyCall = (db: Db, id: string): Promise<CallRow | undefined> =>
  db.kysely
    .selectFrom('realtime.calls')
    .selectAll()
    .where((of) => of.or([of('call_id', '=', id), of('receipt_id', '=', id)]))
    .executeTakeFirst()
