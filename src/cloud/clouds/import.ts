import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { CloudKey } from './clouds.ts'

/**
 * Takes a place for an import, which is one long transaction. So that few connections are taken, an account has one import at a time, and all
 * processes together have two. The place is free again when the transaction ends, however it ends. Throws CLOUD_IMPORTING.
 */
export async function takeImportSlot(tx: Tx, { accountId }: Pick<CloudKey, 'accountId'>): Promise<void> {
  const { rows } = await sql<{ taken: boolean }>`select
      pg_try_advisory_xact_lock(hashtext('clouds.import of'), hashtext(${accountId}))
      and (pg_try_advisory_xact_lock(hashtext('clouds.import'), 1)
        or pg_try_advisory_xact_lock(hashtext('clouds.import'), 2)) as taken`.execute(tx)
  if (!rows[0]!.taken) fail('CLOUD_IMPORTING', {}, { retryAfterMs: 5_000 })
}
