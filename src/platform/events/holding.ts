import { heldTables } from '#platform/holdings'

/** What an account has in the outbox. */
export const eventsHolding = heldTables('events', [{ name: 'events.outbox' }])
