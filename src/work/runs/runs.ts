/** The runs of durable work: long jobs of models that survive crashes, never pay twice for a step, and hand over real files. */
import { runJob } from './job.ts'
import { routes } from './routes.ts'
import { tidyJob } from './tidy.ts'

export { type AcceptOptions, acceptRun } from './accept.ts'
export type { RunsApp } from './app.ts'
export { runsHolding } from './holding.ts'
export { AcceptedRun, FileIds } from './schema.ts'

export const work = { name: 'work', routes, jobs: [runJob, tidyJob] }
