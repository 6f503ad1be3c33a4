import { heldTables } from '#platform/holdings'

/** The keys and projects of an account. */
export const authHolding = heldTables('auth', [
  { name: 'auth.management_keys' },
  { name: 'auth.keys' },
  { name: 'auth.projects' },
])
