import { heldTables } from '#platform/holdings'

/** The batches of an account. */
export const batchesHolding = heldTables('messages', [
  { name: 'batches.batches', cascades: ['batches.rows'] },
])
