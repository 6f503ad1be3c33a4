import { job } from './app.ts'
import { accountState } from './store.ts'

/**
 * Stops or resumes what an account shows to strangers and what it does by itself, as its state says when the job runs: of a request and an undo that come
 * close together the last one counts, in whatever order their jobs run.
 */
export const followJob = job<{ accountId: string }>({
  name: 'deletion.follow',
  // One at a time, so that a state that was read never overwrites a newer one.
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  async handle({ app, data: { accountId } }) {
    const state = await accountState(app.db, accountId)
    if (state === undefined) return undefined
    const isStopped = state === 'closing' || state === 'closed'
    for (const holding of app.holdings)
      await (isStopped ? holding.pause(accountId) : holding.resume(accountId))
    return undefined
  },
})
