import {
  beginDeletion,
  type CloudDirectory,
  cloudsOfAccount,
  keyOf,
  lockCloud,
  resumeCloud,
  suspendCloud,
  suspensionReasons,
} from '#cloud/clouds'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { Failure } from '#platform/errors'
import { type Holding, heldTables, type Portion } from '#platform/holdings'
import type { Jobs } from '#platform/jobs'
import { deleteJob } from './jobs.ts'

interface CloudsHoldingApp {
  clock: Clock
  db: Db
  jobs: Jobs
  /** Every app back-end by its ref. */
  clouds: CloudDirectory
}

const leftovers = heldTables('clouds', [{ name: 'clouds.packages' }, { name: 'clouds.refs' }])

/**
 * The app back-ends of an account with their databases. They are suspended while the deletion can be undone, and deleted by the job that deletes every
 * cloud; the tables of their contents refer to them.
 */
export const cloudsHolding: Holding<CloudsHoldingApp> = {
  room: 'clouds',
  tables: ['clouds.clouds', ...ofClouds(), ...leftovers.tables],
  async pause(app, accountId) {
    for (const cloud of await cloudsOfAccount(app.db, accountId))
      if (cloud.state !== 'deleting' && cloud.suspended_at === null)
        await unlessGone(suspendCloud(app, keyOf(cloud), suspensionReasons.accountClosing))
  },
  async resume(app, accountId) {
    for (const cloud of await cloudsOfAccount(app.db, accountId))
      if (cloud.state !== 'deleting' && cloud.suspended_reason === suspensionReasons.accountClosing)
        await unlessGone(resumeCloud(app, keyOf(cloud)))
  },
  async erase(app, accountId): Promise<Portion> {
    const clouds = await cloudsOfAccount(app.db, accountId)
    for (const { state, ...found } of clouds)
      if (state !== 'deleting') await beginOne(app, { state, ...found })
    return clouds.length > 0 ? 'wait' : leftovers.erase(app, accountId)
  },
}

async function beginOne(
  { db, clock, jobs, clouds }: CloudsHoldingApp,
  found: Awaited<ReturnType<typeof cloudsOfAccount>>[number],
): Promise<void> {
  await db.tx(async (tx) => {
    const cloud = await lockCloud(tx, keyOf(found))
    if (!cloud || cloud.state === 'deleting') return
    await beginDeletion(tx, cloud, new Date(clock.nowMs()))
    const { account_id: accountId, cloud_id: cloudId } = cloud
    await jobs.enqueue(tx, deleteJob, { accountId, data: { cloudId }, singletonKey: cloudId })
  })
  await clouds.refresh(keyOf(found))
}

/** A cloud that was deleted meanwhile needs nothing any more. */
const unlessGone = (change: Promise<unknown>): Promise<unknown> =>
  change.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })

/** The tables whose rows are deleted with their cloud, by its job or by foreign keys. */
function ofClouds(): string[] {
  const rooms = {
    clouds: ['keys', 'moves', 'signing_keys', 'usage_days'],
    app_files: ['counts', 'files'],
    app_users: ['attempts', 'counts', 'mails', 'one_time_tokens', 'sessions', 'users'],
    buckets: ['blobs', 'checks', 'parts', 'public_buckets', 'uploads'],
    collections: ['collections', 'counts', 'rows'],
    databases: ['backups', 'databases', 'restores', 'usage_days'],
    functions: ['functions', 'logs', 'secrets', 'versions'],
  }
  return Object.entries(rooms).flatMap(([schema, tables]) => tables.map((table) => `${schema}.${table}`))
}
