/** Deletes accounts whose time is over, in portions: a process that dies is followed by another one, which goes on where rows are left. */
import { audit } from '#account/audit'
import { endMembership, lockMembers, members } from '#account/people'
import { lockAccount, setAccountDetails, setAccountState } from '#platform/auth'
import type { JobDelay, JobRun } from '#platform/jobs'
import { notifyMembers } from './account.ts'
import { type DeletionJobsApp, job } from './app.ts'
import * as store from './store.ts'

/** What a deleted account is called where the ledger and the audit log name it. */
const deletedName = '—'
const waitMs = 2_000
const setAsideMs = 10 * 60 * 1000
const system = { kind: 'system', id: null } as const

export const eraseJob = job<{ accountId: string }>({
  name: 'deletion.erase',
  limits: () => ({ perAccount: 4, perProcess: 2 }),
  handle: ({ app, data, ...run }) => erase(app, data.accountId, run),
  // Whatever ended the processes of the job, the account has to be deleted some day.
  setAside: async () => ({ laterMs: setAsideMs }),
})

async function erase(
  app: DeletionJobsApp,
  accountId: string,
  run: Pick<JobRun<never, never>, 'stopping' | 'progressed'>,
): Promise<JobDelay | undefined> {
  if (!(await begin(app, accountId))) return undefined
  if (await store.hasOpenHolds(app.db, accountId)) return { laterMs: waitMs }
  for (const holding of app.holdings)
    for (;;) {
      if (run.stopping.aborted) return { laterMs: 0 }
      const portion = await holding.erase(accountId)
      if (portion === 'wait') return { laterMs: waitMs }
      if (portion === 'done') break
      await run.progressed()
    }
  await end(app, accountId)
  return undefined
}

/** From here on nothing can be undone. Returns false if the deletion was taken back, is not due, or has ended. */
const begin = ({ db, clock }: DeletionJobsApp, accountId: string): Promise<boolean> =>
  db.tx(async (tx) => {
    const now = new Date(clock.nowMs())
    const account = await lockAccount(tx, accountId)
    if (!account || !(await store.begin(tx, accountId, now))) return false
    if (account.state === 'closed') return true
    await setAccountState(tx, accountId, 'closed')
    const target = { kind: 'account', id: accountId }
    await audit(tx, { accountId, actor: system, operation: 'account.erase', target }, now)
    return true
  })

/** The last step: members hear of it and leave, and the account loses its name. */
const end = (app: DeletionJobsApp, accountId: string): Promise<void> =>
  app.db.tx(async (tx) => {
    const now = new Date(app.clock.nowMs())
    await lockMembers(tx, accountId)
    const account = await lockAccount(tx, accountId)
    if (!account || !(await store.end(tx, accountId, now))) return
    const data = { account: account.name, at: now }
    await notifyMembers(app, tx, accountId, { kind: 'account_deleted', data }, now, { isLast: true })
    for (const { personId } of await members(tx, accountId)) await endMembership(tx, accountId, personId, now)
    await store.deleteInvitations(tx, accountId)
    await setAccountDetails(tx, accountId, { name: deletedName })
    const target = { kind: 'account', id: accountId }
    await audit(tx, { accountId, actor: system, operation: 'account.erased', target }, now)
  })
