import { job } from '../app.ts'
import * as store from './store.ts'

const day = 24 * 60 * 60 * 1000
/** How long a delivery may wait for a paused target. */
const maxWaitMs = 3 * day
/** The age at which the delivery of a callback has ended. */
const callbackMs = maxWaitMs + day
/** Reports and events are kept for this long. */
const keptMs = 30 * day
const tidyMs = 60_000
const atOnce = 1_000

/** Ends deliveries that cannot be made any more, and deletes what is old. */
export const tidyJob = job<null>({
  name: 'webhooks.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: tidyMs,
  async handle({ app, signal }) {
    const nowMs = app.clock.nowMs()
    await store.endUndeliverable(app.db, new Date(nowMs - maxWaitMs), new Date(nowMs))
    const callbacksBefore = new Date(nowMs - callbackMs)
    while (!signal.aborted && (await store.deleteCallbacks(app.db, callbacksBefore, atOnce)) === atOnce);
    const before = new Date(nowMs - keptMs)
    while (!signal.aborted && (await store.deleteDeliveries(app.db, before, atOnce)) === atOnce);
    while (!signal.aborted && (await store.deleteEvents(app.db, before, atOnce)) === atOnce);
    return undefined
  },
})
