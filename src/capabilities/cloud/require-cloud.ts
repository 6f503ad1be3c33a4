import type { App, Caller } from '#app'
import { type CloudRow, findCloud, keyOf, lockCloud } from '#engine/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'

/**
 * A cloud of the caller's project. Throws CLOUD_NOT_FOUND for a missing one and for another project's alike. With `ready` also
 * CLOUD_NOT_FOUND for one that is being deleted, CLOUD_SUSPENDED, and CLOUD_NOT_READY. What is written afterwards in a transaction checks
 * again with `lockReadyCloud`.
 */
export async function requireCloud(
  app: Pick<App, 'db'>,
  { accountId, projectId }: Caller,
  id: string,
  { ready = false, param = 'id' }: { ready?: boolean; param?: string } = {},
): Promise<CloudRow> {
  const found = isUuid(id) ? await findCloud(app.db, { accountId, projectId, cloudId: id }) : undefined
  if (!found) return fail('CLOUD_NOT_FOUND', {}, { param })
  return ready ? requireReady(found, param) : found
}

/** Throws CLOUD_NOT_FOUND where it is being deleted, CLOUD_SUSPENDED and CLOUD_NOT_READY. */
export function requireReady(cloud: CloudRow, param = 'id'): CloudRow {
  const { state, suspended_at: suspendedAt } = cloud
  if (state === 'deleting') return fail('CLOUD_NOT_FOUND', {}, { param })
  if (suspendedAt !== null) return fail('CLOUD_SUSPENDED', {})
  return state === 'ready' ? cloud : fail('CLOUD_NOT_READY', { status: state })
}

/** The same cloud, locked until the transaction ends; it throws what `requireReady` does. */
export const lockReadyCloud = async (tx: Tx, cloud: CloudRow, param = 'id'): Promise<CloudRow> =>
  requireReady((await lockCloud(tx, keyOf(cloud))) ?? fail('CLOUD_NOT_FOUND', {}, { param }), param)

/** Errors of `requireCloud(…, { ready: true })`, for routes. */
export const readyErrors = ['CLOUD_NOT_FOUND', 'CLOUD_SUSPENDED', 'CLOUD_NOT_READY'] as const
