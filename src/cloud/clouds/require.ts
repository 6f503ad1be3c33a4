/** Finds the clouds that a request names: those of its project; all others are refused. */
import type { Db, Tx } from '#platform/db'
import { type FailureCode, fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import type { CloudOwner, CloudRow } from './store.ts'
import * as store from './store.ts'

/** A cloud of the project. Throws CLOUD_NOT_FOUND for a missing one and for another project's alike; the request names it by `param`. */
export async function requireCloudOf(
  db: Pick<Db, 'kysely'>,
  { accountId, projectId }: CloudOwner,
  cloudId: string,
  param: string,
): Promise<CloudRow> {
  const found = isUuid(cloudId) ? await store.findCloud(db, { accountId, projectId, cloudId }) : undefined
  return found ?? fail('CLOUD_NOT_FOUND', {}, { param })
}

/** A cloud of the project that is to be used. Throws CLOUD_NOT_FOUND, also where the cloud is being deleted, CLOUD_SUSPENDED and CLOUD_NOT_READY. */
export const requireReadyCloud = async (
  db: Pick<Db, 'kysely'>,
  owner: CloudOwner,
  cloudId: string,
  param: string,
): Promise<CloudRow> => requireReady(await requireCloudOf(db, owner, cloudId, param), param)

/** The same cloud, locked until the transaction ends. Throws the same as `requireReadyCloud`. */
export const lockReadyCloud = async (tx: Tx, cloud: CloudRow, param = 'id'): Promise<CloudRow> =>
  requireReady(
    (await store.lockCloud(tx, store.keyOf(cloud))) ?? fail('CLOUD_NOT_FOUND', {}, { param }),
    param,
  )

function requireReady(cloud: CloudRow, param: string): CloudRow {
  const { state, suspended_at: suspendedAt } = cloud
  if (state === 'deleting') return fail('CLOUD_NOT_FOUND', {}, { param })
  if (suspendedAt !== null) return fail('CLOUD_SUSPENDED', {})
  return state === 'ready' ? cloud : fail('CLOUD_NOT_READY', { status: state })
}

/** Errors of `requireReadyCloud` and `lockReadyCloud`, for routes. */
export const readyErrors: FailureCode[] = ['CLOUD_NOT_FOUND', 'CLOUD_SUSPENDED', 'CLOUD_NOT_READY']
