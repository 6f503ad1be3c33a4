/**
 * Agents of a project: instructions and a model under a name, with tools that reach the team behind them.
 *
 * - A direct run is answered on the Responses wire, since clients have parsers for it and chat completions have no place for citations. A repeat
 *   under an idempotency key is looked up before the agent, and `Prefer` is not part of the fingerprint of the key.
 * - Leads and handoffs are tools that the agent's model calls and this service runs, in the loop of the hosted tools, under names with a colon, which
 *   no tool of the service has.
 * - An event is committed in a transaction of its own before the model gets the tool's result. This is safe because the event costs nothing and does not
 *   depend on the settlement: a person who left a number did so, whatever becomes of the answer. So a run that failed or cost nothing may have events.
 */
import { routes } from './routes.ts'

export { agentOfCall, callAgentFailures } from './call.ts'
export { agentsHolding } from './holding.ts'

export const agents = { name: 'agents', routes }
