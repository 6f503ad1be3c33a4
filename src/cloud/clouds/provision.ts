/**
 * Makes clouds: the record with its ref, keys and job in one transaction, and then steps that may each run any number of times, in whatever process.
 * The steps of a Starter cloud need nothing but the database, so they run in the first transaction already; the job continues where that failed.
 */
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { delayIfUnavailable, type JobDelay } from '#platform/jobs'
import { type CloudsApp, job } from './app.ts'
import { newAppKey } from './app-key.ts'
import type { CloudKey } from './clouds.ts'
import { announceCloud } from './directory.ts'
import { insertKey, insertSigningKey, signingKeysOf } from './key-store.ts'
import { changePackage } from './package-store.ts'
import { takePackage } from './packages.ts'
import type { ProvisioningProblem } from './phrases.ts'
import { newSigningKey } from './signing-key.ts'
import type { CloudOwner, CloudRow, SigningKeyRow } from './store.ts'
import * as store from './store.ts'

/** All attempts take about a minute, with the growing pauses between them. */
const maxAttempts = 5
const refLetters = 20

/** A ref of twenty letters, so that nobody finds a cloud by guessing. */
export const newRef = (): string =>
  String.fromCharCode(...Array.from({ length: refLetters }, () => 97 + randomInt(26)))

export interface ProvisionWork {
  cloudId: string
}

export const provisionJob = job<ProvisionWork>({
  name: 'clouds.provision',
  writes: ['database', 'wal', 'data'],
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: ({ app, accountId, data }) => continueProvisioning(app, { accountId, ...data }),
  setAside: ({ app, accountId, data }) => failProvisioning(app, { accountId, ...data }, 'set_aside'),
})

/** What is made for a cloud before its transaction. */
export interface NewCloud {
  cloud: CloudKey
  signingKey: SigningKeyRow
}

/** What a new cloud needs beside the database. Throws SECRETS_SEALED. */
export async function prepareCloud(app: CloudsApp, { accountId }: CloudOwner, now: Date): Promise<NewCloud> {
  const cloud = { accountId, cloudId: uuidv7(now.getTime()) }
  return { cloud, signingKey: await newSigningKey(app, cloud, now) }
}

export interface CloudOptions {
  projectId: string
  name: string
  plan: CloudRow['plan']
  /** The package of a dedicated cloud, by its id in the configuration; the oldest that is free where absent. */
  offer?: string | undefined
  now: Date
}

/**
 * Makes a cloud in this transaction. A Starter cloud is `ready` unless a step has failed, which the job repeats; the database of a dedicated
 * one is always made by the job. Throws CLOUD_LIMIT, CLOUD_DELETION_LIMIT, and what `takePackage` throws.
 */
export async function createCloud(
  app: CloudsApp,
  tx: Tx,
  { cloud, signingKey }: NewCloud,
  { projectId, name, plan, offer: wanted, now }: CloudOptions,
): Promise<CloudRow> {
  const { accountId } = cloud
  if (plan === 'starter') await requireCloudQuota(app, tx, { accountId, projectId })
  const taken = plan === 'starter' ? undefined : await takePackage(app, tx, accountId, wanted)
  const offer = taken?.offer ?? null
  const row: CloudRow = { ...newRow(cloud, now), project_id: projectId, name, plan, offer }
  while (!(await store.insertCloud(tx, row))) row.ref = newRef()
  await insertKey(tx, newAppKey(cloud, 'public', now).row)
  await announceCloud(tx, cloud, row.ref)
  if (taken) await changePackage(tx, taken, { cloud_id: cloud.cloudId, updated_at: now })
  if (plan === 'dedicated') {
    await insertSigningKey(tx, signingKey)
    await enqueue(app, tx, row)
  } else if (!(await stepsWithin(app, tx, row, signingKey))) await enqueue(app, tx, row)
  return (await store.lockCloud(tx, cloud))!
}

/** Enqueues the job once for each time that provisioning begins: while it goes on, another retry adds nothing. */
const enqueue = (
  { jobs }: CloudsApp,
  tx: Tx,
  { account_id, cloud_id, updated_at }: CloudRow,
): Promise<void> =>
  jobs.enqueue(tx, provisionJob, {
    accountId: account_id,
    data: { cloudId: cloud_id },
    singletonKey: `${cloud_id}/${updated_at.getTime()}`,
  })

/** Throws CLOUD_LIMIT where the project has as many clouds as it may, and CLOUD_DELETION_LIMIT where too many of them are being deleted. */
async function requireCloudQuota({ config }: CloudsApp, tx: Tx, owner: CloudOwner): Promise<void> {
  const max = config.clouds.cloudsPerProject
  await store.lockCloudsOfProject(tx, owner)
  const { standing, deleting } = await store.countClouds(tx, owner, 'starter')
  if (standing >= max) fail('CLOUD_LIMIT', { max })
  // A caller that creates and deletes in turn would fill the database faster than it is emptied.
  if (deleting >= max) fail('CLOUD_DELETION_LIMIT', {}, { retryAfterMs: 2_000 })
}

const newRow = (
  { accountId, cloudId }: CloudKey,
  now: Date,
): Omit<CloudRow, 'project_id' | 'name' | 'plan' | 'offer'> => ({
  account_id: accountId,
  cloud_id: cloudId,
  ref: newRef(),
  read_only_since: null,
  frozen_since: null,
  state: 'provisioning',
  error_code: null,
  attempts: 0,
  suspended_at: null,
  suspended_reason: null,
  limits: {},
  site_url: null,
  disable_signup: false,
  additional_redirect_urls: [],
  anonymous_sign_ins: false,
  functions_revision: 0n,
  created_at: now,
  updated_at: now,
})

/** Runs all steps in this transaction. False where one fails; then all are undone. */
async function stepsWithin(
  app: CloudsApp,
  tx: Tx,
  row: CloudRow,
  signingKey: SigningKeyRow,
): Promise<boolean> {
  await sql`savepoint provisioning`.execute(tx)
  try {
    await keepSigningKey(tx, row, signingKey)
    await makeReady(app, tx, row)
    return true
  } catch (error) {
    await sql`rollback to savepoint provisioning`.execute(tx)
    app.log.warn({ err: error, cloud_id: row.cloud_id }, 'a cloud is provisioned later')
    return false
  }
}

/** Runs all steps of a cloud in state `provisioning`, each in a transaction of its own. */
export async function continueProvisioning(app: CloudsApp, cloud: CloudKey): Promise<JobDelay | undefined> {
  const row = await store.beginAttempt(app.db, cloud)
  if (!row) return undefined
  if (row.attempts > maxAttempts) return failProvisioning(app, cloud, 'given_up')
  const signingKey = await newSigningKey(app, cloud, new Date(app.clock.nowMs()))
  await step(app, cloud, (tx) => keepSigningKey(tx, row, signingKey))
  const later = row.plan === 'dedicated' ? await makeDatabase(app, row) : undefined
  if (later) return later
  await step(app, cloud, (tx) => makeReady(app, tx, row))
  return undefined
}

/** Makes the database of a cloud. Where that has to wait for room or for another machine, it counts as no attempt. */
async function makeDatabase(app: CloudsApp, { ref, ...row }: CloudRow): Promise<JobDelay | undefined> {
  const cloud = store.keyOf({ ref, ...row })
  try {
    await app.databases.make({ ...cloud, ref })
    return undefined
  } catch (error) {
    const later = delayIfUnavailable(error)
    if (!later) throw error
    await store.uncountAttempt(app.db, cloud)
    return later
  }
}

/** Runs one step in a transaction of its own, while the cloud is still being provisioned. */
async function step(app: CloudsApp, cloud: CloudKey, work: (tx: Tx) => Promise<void>): Promise<void> {
  await app.db.tx(async (tx) => {
    const row = await store.lockCloud(tx, cloud)
    if (row?.state === 'provisioning') await work(tx)
  })
}

/** Stores only the first signing key: what that has signed stays valid. */
async function keepSigningKey(tx: Tx, row: CloudRow, key: SigningKeyRow): Promise<void> {
  if ((await signingKeysOf(tx, store.keyOf(row))).length === 0) await insertSigningKey(tx, key)
}

async function makeReady({ clock }: CloudsApp, tx: Tx, row: CloudRow): Promise<void> {
  const change = { state: 'ready', error_code: null, updated_at: new Date(clock.nowMs()) } as const
  await store.changeCloud(tx, store.keyOf(row), change)
  await announceCloud(tx, store.keyOf(row), row.ref)
}

async function failProvisioning(
  app: CloudsApp,
  cloud: CloudKey,
  problem: ProvisioningProblem,
): Promise<undefined> {
  await app.db.tx(async (tx) => {
    const row = await store.lockCloud(tx, cloud)
    if (row?.state !== 'provisioning') return
    const updated = new Date(app.clock.nowMs())
    await store.changeCloud(tx, cloud, { state: 'failed', error_code: problem, updated_at: updated })
    await announceCloud(tx, cloud, row.ref)
  })
  return undefined
}

/** Begins provisioning anew. Throws CLOUD_NOT_FOUND, CLOUD_READY, CLOUD_DELETING and CLOUD_SUSPENDED. */
export async function retryCloud(app: CloudsApp, tx: Tx, cloud: CloudKey, now: Date): Promise<CloudRow> {
  const row = (await store.lockCloud(tx, cloud)) ?? fail('CLOUD_NOT_FOUND', {}, { param: 'id' })
  if (row.state === 'deleting') fail('CLOUD_DELETING', {})
  if (row.suspended_at !== null) fail('CLOUD_SUSPENDED', {})
  if (row.state === 'ready') fail('CLOUD_READY', {})
  if (row.state === 'provisioning') await enqueue(app, tx, row)
  else {
    const change = { state: 'provisioning', error_code: null, attempts: 0, updated_at: now } as const
    await store.changeCloud(tx, cloud, change)
    await enqueue(app, tx, { ...row, ...change })
    await announceCloud(tx, cloud, row.ref)
  }
  return (await store.lockCloud(tx, cloud))!
}
