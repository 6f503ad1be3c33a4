import { queueLetter } from '#account/letters'
import { personById, provenAddresses } from '#account/people'
import type { Tx } from '#platform/db'
import type { NoticesApp } from './app.ts'
import { job } from './app.ts'
import { claimNotice, type EndedManagementKey, endedManagementKeys } from './store.ts'

const everyMs = 10 * 60 * 1000
/** A key that ended before so much time is not told of any more. */
const recentMs = 7 * 24 * 60 * 60 * 1000
const portion = 100

/**
 * Tells the maker of a management key that it has ended with the maker's right, once. A trigger ends it, whichever code changes the membership, so that it may
 * be told ten minutes late. Whoever has left with their addresses hears nothing.
 */
export const endedKeysJob = job<null>({
  name: 'notices.ended-keys',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping }) {
    for (;;) {
      const now = new Date(app.clock.nowMs())
      const since = new Date(now.getTime() - recentMs)
      const ended = await endedManagementKeys(app.db, { since, limit: portion })
      for (const key of ended) {
        if (stopping.aborted) return undefined
        await app.db.tx(async (tx) => {
          if (await claimNotice(tx, { accountId: key.account_id, onceKey: key.once_key, now }))
            await notifyMaker(app, tx, key, now)
        })
      }
      if (ended.length < portion) return undefined
    }
  },
})

async function notifyMaker(
  app: NoticesApp,
  tx: Tx,
  { person_id: personId, name, account, revoked_at: at }: EndedManagementKey,
  now: Date,
): Promise<void> {
  const person = await personById(tx, personId)
  if (!person) return
  const letter = {
    ...{ personId, locale: person.locale },
    kind: 'management_key_ended',
    data: { key: name, account, at },
  } as const
  for (const to of await provenAddresses(tx, personId)) await queueLetter(app, tx, { to, ...letter }, now)
}
