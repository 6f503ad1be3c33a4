import { heldTables } from '#platform/holdings'

/** The agents of an account. */
export const agentsHolding = heldTables('agents', [{ name: 'agents.agents' }, { name: 'agents.projects' }])
