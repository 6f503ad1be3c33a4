import { job } from './app.ts'
import { deleteOldCeremonies } from './ceremony.ts'

/** Deletes ceremonies from which nobody has come back in time. */
export const openIdTidyJob = job<null>({
  name: 'openid.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60_000,
  async handle({ app, signal }) {
    const now = new Date(app.clock.nowMs())
    while (!signal.aborted && (await deleteOldCeremonies(app.db, now)) > 0);
    return undefined
  },
})
