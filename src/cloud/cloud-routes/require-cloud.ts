import type { App, Caller } from '#app'
import { type CloudRow, requireCloudOf, requireReadyCloud } from '#cloud/clouds'

export { lockReadyCloud, readyErrors } from '#cloud/clouds'

/**
 * A cloud of the caller's project. Throws CLOUD_NOT_FOUND for a missing one and for another project's alike. With `ready` also
 * CLOUD_NOT_FOUND for one that is being deleted, CLOUD_SUSPENDED, and CLOUD_NOT_READY. What is written afterwards in a transaction checks
 * again with `lockReadyCloud`.
 */
export const requireCloud = (
  { db }: Pick<App, 'db'>,
  caller: Caller,
  id: string,
  { ready = false } = {},
): Promise<CloudRow> => (ready ? requireReadyCloud : requireCloudOf)(db, caller, id, 'id')
