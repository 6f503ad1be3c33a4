import type { NoticesApp } from './app.ts'
import { job } from './app.ts'
import { type NoticeOf, notify } from './notify.ts'
import { claimNotice, endingKeys, endingManagementKeys } from './store.ts'

const dayMs = 24 * 60 * 60 * 1000
const noticeMs = 7 * dayMs
const portion = 100

/**
 * Tells of keys and management keys that end within seven days, once for each end: a key whose end is moved is told again. Keys that were made for less
 * are not told.
 */
export const endingKeysJob = job<null>({
  name: 'notices.ending-keys',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: dayMs,
  async handle({ app, stopping }) {
    await tellAll(app, stopping, async (within) =>
      (await endingKeys(app.db, within)).map(({ name, project, ...key }) => ({
        onceKey: key.once_key,
        of: { accountId: key.account_id, projectId: key.project_id, personId: key.person_id },
        letter: { kind: 'key_ending', data: { key: name, project, endsAt: key.expires_at } },
      })),
    )
    await tellAll(app, stopping, async (within) =>
      (await endingManagementKeys(app.db, within)).map(({ name, account, ...key }) => ({
        onceKey: key.once_key,
        of: { accountId: key.account_id, personId: key.person_id },
        letter: { kind: 'management_key_ending', data: { key: name, account, endsAt: key.expires_at } },
      })),
    )
    return undefined
  },
})

interface Ending {
  onceKey: string
  of: NoticeOf
  letter: Parameters<typeof notify>[3]
}

/** Tells of what `read` finds, portion by portion, each once. */
async function tellAll(
  app: NoticesApp,
  stopping: AbortSignal,
  read: (within: { now: Date; before: Date; limit: number }) => Promise<Ending[]>,
): Promise<void> {
  for (;;) {
    const now = new Date(app.clock.nowMs())
    const before = new Date(now.getTime() + noticeMs)
    const endings = await read({ now, before, limit: portion })
    for (const { onceKey, of, letter } of endings) {
      if (stopping.aborted) return
      await app.db.tx(async (tx) => {
        if (await claimNotice(tx, { accountId: of.accountId, onceKey, now }))
          await notify(app, tx, of, letter, now)
      })
    }
    if (endings.length < portion) return
  }
}
