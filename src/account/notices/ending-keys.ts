import { job } from './app.ts'
import { notify } from './notify.ts'
import { claimNotice, endingKeys } from './store.ts'

const dayMs = 24 * 60 * 60 * 1000
const noticeMs = 7 * dayMs
const portion = 100

/** Tells of keys that end within seven days, once for each end: a key whose end is moved is told again. Keys that were made for less are not told. */
export const endingKeysJob = job<null>({
  name: 'notices.ending-keys',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: dayMs,
  async handle({ app, stopping }) {
    for (;;) {
      const now = new Date(app.clock.nowMs())
      const before = new Date(now.getTime() + noticeMs)
      const keys = await endingKeys(app.db, { now, before, limit: portion })
      for (const { account_id: accountId, once_key: onceKey, name, project, ...key } of keys) {
        if (stopping.aborted) return undefined
        await app.db.tx(async (tx) => {
          if (!(await claimNotice(tx, { accountId, onceKey, now }))) return
          const data = { key: name, project, endsAt: key.expires_at }
          const of = { accountId, projectId: key.project_id, personId: key.person_id }
          await notify(app, tx, of, { kind: 'key_ending', data }, now)
        })
      }
      if (keys.length < portion) return undefined
    }
  },
})
