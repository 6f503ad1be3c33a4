/** Background work on calls that have ended. */

import { deleteCallsBefore } from '#voice/realtime'
import { job } from './app.ts'

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
