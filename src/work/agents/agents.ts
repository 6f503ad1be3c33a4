/** Agents of a project: instructions and a model under a name, with tools that reach the team behind them. */
import { routes } from './routes.ts'

export { agentOfCall, callAgentFailures } from './call.ts'

export const agents = { name: 'agents', routes }
