/**
 * Webhooks: where a project is notified of events, with signed deliveries, retries, and callbacks of single orders
 * (docs/decisions/account/webhooks.md).
 */
import { startDispatcher } from './delivery/dispatcher.ts'
import { tidyJob } from './delivery/tidy.ts'
import { routes } from './routes.ts'

export { callbackSecret, deliverCallback, requireReachable } from './callback.ts'
export { webhooksHolding } from './holding.ts'
export { webhookSeries } from './metrics.ts'

export const webhooks = { name: 'webhooks', routes, jobs: [tidyJob], background: startDispatcher }
