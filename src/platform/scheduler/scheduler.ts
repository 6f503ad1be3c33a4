/** Work of many peers on the one event loop: each in its turn, by the processor time that it takes (docs/decisions/0091). */
import { Scheduler } from './fair.ts'

export { Flow, type FlowBounds, Scheduler, type SchedulerOptions } from './fair.ts'

/** What all peers of this process take their turns by; it holds no other state. */
export const scheduler = new Scheduler()
