/** Shares the event loop between many peers: each has its turn, by the processor time that it uses (docs/decisions/platform/fair-turns.md). */
import { Scheduler } from './fair.ts'

export { Flow, type FlowBounds, Scheduler, type SchedulerOptions } from './fair.ts'

/** The scheduler of all peers of this process; it holds no other state. */
export const scheduler = new Scheduler()
