import { heldTables } from '#platform/holdings'

/** The calls of an account, and the secrets that begin some. */
export const realtimeHolding = heldTables('realtime', [
  { name: 'realtime.calls', cascades: ['realtime.steps', 'realtime.transcripts'] },
  { name: 'realtime.client_secrets' },
])
