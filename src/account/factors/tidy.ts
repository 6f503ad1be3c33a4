import { job } from './app.ts'
import { deleteOldCeremonies } from './ceremony-store.ts'

/** Deletes ceremonies that nobody has ended in time. */
export const ceremonyTidyJob = job<null>({
  name: 'factors.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 10 * 60_000,
  async handle({ app, signal }) {
    const now = new Date(app.clock.nowMs())
    while (!signal.aborted && (await deleteOldCeremonies(app.db, now)) > 0);
    return undefined
  },
})
