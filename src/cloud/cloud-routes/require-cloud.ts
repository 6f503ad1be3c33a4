import { type CloudRow, requireCloudOf, requireReadyCloud } from '#cloud/clouds'
import type { Caller } from '#platform/auth'
import type { CloudRoutesApp } from './app.ts'

export { lockReadyCloud, readyErrors } from '#cloud/clouds'

/**
 * Returns a cloud of the caller's project. Throws CLOUD_NOT_FOUND for a missing cloud and for another project's alike. With `ready` also
 * CLOUD_NOT_FOUND for a cloud that is being deleted, CLOUD_SUSPENDED, and CLOUD_NOT_READY. A transaction that writes afterwards checks again with
 * `lockReadyCloud`.
 */
export const requireCloud = (
  { db }: Pick<CloudRoutesApp, 'db'>,
  caller: Caller,
  id: string,
  { ready = false } = {},
): Promise<CloudRow> => (ready ? requireReadyCloud : requireCloudOf)(db, caller, id, 'id')
