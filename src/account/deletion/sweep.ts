import { leavingPeople } from '#account/people'
import { platformAccount } from '#platform/jobs'
import { type DeletionJobsApp, job } from './app.ts'
import { eraseJob } from './erase.ts'
import { completePersonDeletion } from './person.ts'
import { dueDeletions } from './store.ts'

/** Due deletions are looked for so often. */
const everyMs = 60_000
const atOnce = 1_000

const complete = (app: DeletionJobsApp, personId: string): Promise<boolean> =>
  app.db.tx((tx) => completePersonDeletion(app, tx, personId, new Date(app.clock.nowMs())))

/** Deletes in portions what rooms have of the person alone; false if the process stops meanwhile. */
async function eraseBelongings(
  { holdings }: DeletionJobsApp,
  personId: string,
  stopping: AbortSignal,
): Promise<boolean> {
  for (const holding of holdings)
    while ((await holding.erasePerson(personId)) !== 'done') if (stopping.aborted) return false
  return true
}

/** Begins the deletions of accounts that are due, and deletes people whose time is over, each in one transaction. */
export const sweepJob = job<null>({
  name: 'deletion.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping }) {
    const now = new Date(app.clock.nowMs())
    const accounts = await dueDeletions(app.db, now, atOnce)
    await app.db.tx((tx) =>
      app.jobs.enqueue(
        tx,
        eraseJob,
        ...accounts.map((accountId) => ({
          accountId: platformAccount,
          data: { accountId },
          singletonKey: accountId,
        })),
      ),
    )
    for (const { personId } of await leavingPeople(app.db, now)) {
      if (stopping.aborted) return undefined
      await eraseBelongings(app, personId, stopping)
        .then((isErased) => isErased && complete(app, personId))
        .catch((error: unknown) => {
          // One that fails does not keep the others.
          app.log.error({ err: error, person_id: personId }, 'a person is not deleted yet')
        })
    }
    return undefined
  },
})
