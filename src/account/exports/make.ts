import { randomUUID } from 'node:crypto'
import { queueLetter, type TypedLetter } from '#account/letters'
import { personById, provenAddresses } from '#account/people'
import type { Tx } from '#platform/db'
import { delayIfUnavailable, type JobDelay, type JobRun } from '#platform/jobs'
import { commitBlob, deletePendingBlobs, stageUnsized } from '#platform/storage'
import { type ExportsApp, job } from './app.ts'
import { archiveOf } from './archive.ts'
import { collect } from './collect.ts'
import * as store from './store.ts'

/** How long the file is there. */
const keptMs = 24 * 60 * 60 * 1000
/** What an object store takes in one upload. */
const maxBytes = 75 * 1024 ** 3
/** An export that fails so often is given up, and its person is told. */
const maxAttempts = 3

/**
 * Writes the ZIP of a person into the store and tells them. It may run again after a crash, under another key; what a dead process wrote is deleted by
 * the sweep of the storage.
 */
export const exportJob = job<store.ExportKey>({
  name: 'exports.make',
  limits: () => ({ perAccount: 4, perProcess: 1 }),
  writes: ['files'],
  handle: ({ app, data, ...run }) => make(app, data, run),
  setAside: async ({ app, data }) => {
    await giveUp(app, data)
    return undefined
  },
})

async function make(
  app: ExportsApp,
  key: store.ExportKey,
  { signal, progressed }: Pick<JobRun<never, never>, 'signal' | 'progressed'>,
): Promise<JobDelay | undefined> {
  const attempts = await store.beginAttempt(app.db, key)
  if (attempts === undefined) return undefined
  const now = new Date(app.clock.nowMs())
  const check = async (): Promise<void> => {
    signal.throwIfAborted()
    await progressed()
  }
  const storageKey = `exports/${key.personId}/${randomUUID()}`
  try {
    const archive = archiveOf(collect(app, { personId: key.personId, now, check }))
    const { bytes, sha256 } = await stageUnsized(app, storageKey, archive, maxBytes)
    await app.db.tx((tx) => complete(app, tx, key, { storageKey, bytes, sha256 }))
    return undefined
  } catch (error) {
    const later = delayIfUnavailable(error)
    if (later) return store.forgetAttempt(app.db, key).then(() => later)
    if (signal.aborted || attempts < maxAttempts) throw error
    app.log.error({ err: error, person_id: key.personId }, 'an export of a person is given up')
    await giveUp(app, key)
    return undefined
  }
}

async function complete(
  app: ExportsApp,
  tx: Tx,
  key: store.ExportKey,
  made: { storageKey: string; bytes: number; sha256: string },
): Promise<void> {
  const now = new Date(app.clock.nowMs())
  const expiresAt = new Date(now.getTime() + keptMs)
  const { storageKey, bytes, sha256 } = made
  const end = { state: 'ready', storage_key: storageKey, bytes: BigInt(bytes), sha256 } as const
  // Where another process has ended it, or the person is gone, the bytes stay in the list of those that are deleted.
  if (!(await store.endExport(tx, key, { ...end, finished_at: now, expires_at: expiresAt }))) return
  await commitBlob(tx, storageKey)
  const page = `${app.config.baseUrl}/profile?tab=data`
  await notify(app, tx, key.personId, { kind: 'export_ready', data: { page, endsAt: expiresAt } }, now)
}

async function giveUp(app: ExportsApp, key: store.ExportKey): Promise<void> {
  const now = new Date(app.clock.nowMs())
  await app.db.tx(async (tx) => {
    const end = { state: 'failed', storage_key: null, bytes: null, sha256: null } as const
    if (!(await store.endExport(tx, key, { ...end, finished_at: now, expires_at: null }))) return
    const page = `${app.config.baseUrl}/profile?tab=data`
    await notify(app, tx, key.personId, { kind: 'export_failed', data: { page, at: now } }, now)
  })
}

async function notify(
  app: ExportsApp,
  tx: Tx,
  personId: string,
  letter: TypedLetter,
  now: Date,
): Promise<void> {
  const person = await personById(tx, personId)
  if (!person) return
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(app, tx, { ...letter, to, personId, locale: person.locale }, now)
}

const sweepMs = 10 * 60 * 1000
const recordMs = 30 * 24 * 60 * 60 * 1000
const portion = 100

/** Deletes the files of exports whose day is over, gives up those that are not made in a day, and deletes old records. */
export const sweepJob = job<null>({
  name: 'exports.sweep',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: sweepMs,
  async handle({ app, signal }) {
    const now = new Date(app.clock.nowMs())
    while (!signal.aborted) {
      const keys = await app.db.tx((tx) => store.expireExports(tx, now, portion))
      if (keys.length > 0) await deletePendingBlobs(app, keys)
      if (keys.length < portion) break
    }
    // Whatever became of its job, an export that is not made in a day keeps nobody from asking again.
    const stuck = await store.stuckExports(app.db, new Date(now.getTime() - keptMs), portion)
    for (const key of stuck) await giveUp(app, key)
    const before = new Date(now.getTime() - recordMs)
    while (!signal.aborted && (await store.deleteOld(app.db, before, portion)) === portion);
    return undefined
  },
})
