/** Background work on calls that have ended. */

import { job } from '#platform/jobs'
import { deleteCallsBefore } from '#voice/realtime'

/** Deletes calls that ended before the days for which they are kept. */
export const tidyJob = job<null>({
  name: 'realtime.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 60 * 60 * 1000,
  async handle({ app, signal }) {
    await deleteCallsBefore(app, signal)
    return undefined
  },
})
