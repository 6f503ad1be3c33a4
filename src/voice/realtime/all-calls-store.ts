/** SQL of realtime calls as the operator looks at them: of all accounts. */
import type { Db } from '#platform/db'
import { type Page, readPage } from '#platform/lists'
import type { CallRow } from './store.ts'

interface AnyCalls {
  accountId?: string | undefined
  running: boolean
  limit: number
}

/** Newest first; with `running` those alone that have not ended. */
export function listAnyCalls(db: Db, { accountId, running, limit }: AnyCalls): Promise<Page<CallRow>> {
  let calls = db.kysely.selectFrom('realtime.calls').selectAll()
  if (accountId !== undefined) calls = calls.where('account_id', '=', accountId)
  if (running) calls = calls.where('ended_at', 'is', null)
  return readPage(calls, 'call_id', { limit })
}

/** By the id of the call, or of its receipt. */
export const findAnyCall = (db: Db, id: string): Promise<CallRow | undefined> =>
  db.kysely
    .selectFrom('realtime.calls')
    .selectAll()
    .where((of) => of.or([of('call_id', '=', id), of('receipt_id', '=', id)]))
    .executeTakeFirst()
