import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    work: WorkConfig
  }
}

/** Limits on concurrent runs of durable work, of one account over all processes and in one process, and on the duration of a run. */
export interface WorkConfig {
  runsPerAccount: number
  runsPerProcess: number
  /** The most minutes of a run, from its start. */
  maxMinutes: number
}

export const work = fileSection({
  name: 'work',
  schema: Type.Object(
    {
      runs_per_account: integerIn(1, 1_000, {
        default: 4,
        description: 'Runs of durable work of one account that go on at once, over all processes.',
      }),
      runs_per_process: integerIn(1, 1_000, {
        default: 16,
        description: 'Runs of durable work that one process carries at once.',
      }),
      max_minutes: integerIn(1, 10_080, {
        default: 120,
        description: 'How long one run may go on, from its start.',
      }),
    },
    { default: {} },
  ),
  read: ({ runs_per_account, runs_per_process, max_minutes }) => ({
    runsPerAccount: runs_per_account,
    runsPerProcess: runs_per_process,
    maxMinutes: max_minutes,
  }),
})
