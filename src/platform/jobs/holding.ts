import { heldTables } from '#platform/holdings'

/** What an account has in the queue. What runs at this moment ends by itself, and finds nothing to do. */
export const jobsHolding = heldTables('jobs', [{ name: 'jobs.queue' }])
