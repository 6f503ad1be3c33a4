import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type Holding, heldTables } from '#platform/holdings'
import { parkConnections, unparkConnections } from './store.ts'

/** The webhooks of an account. Deliveries wait while its deletion can be undone. */
export const webhooksHolding: Holding<{ db: Db; clock: Clock }> = {
  ...heldTables('webhooks', [{ name: 'webhooks.deliveries' }, { name: 'webhooks.connections' }]),
  pause: ({ db }, accountId) => parkConnections(db, accountId),
  resume: ({ db }, accountId) => unparkConnections(db, accountId),
}
