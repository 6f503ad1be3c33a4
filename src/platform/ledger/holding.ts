import { heldTables } from '#platform/holdings'

/** Answers that are kept for repeats of their requests; the money itself stays. */
export const repliesHolding = heldTables('ledger', [{ name: 'ledger.replies' }])
