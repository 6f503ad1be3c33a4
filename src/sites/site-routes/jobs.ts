import { sweepSites } from '#sites/hosting'
import { job } from './app.ts'

/** Deletes versions that are kept no longer, and contents that no version names. */
export const sweepJob = job<null>({
  name: 'sites.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60 * 1000,
  async handle({ app, signal }) {
    await sweepSites(app, signal)
    return undefined
  },
})
