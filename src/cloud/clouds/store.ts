/** Clouds, their refs and keys. What is in a cloud stands in the rooms that it belongs to. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, type PageOptions, pageClause, readPage } from '#platform/lists'
import type { CloudKey, SigningKey } from './clouds.ts'
import type { LimitSource } from './limits.ts'
import type { ProvisioningProblem } from './phrases.ts'

declare module '#platform/db' {
  interface Tables {
    'clouds.clouds': CloudRow
    'clouds.refs': { ref: string; account_id: string; cloud_id: string }
    'clouds.keys': KeyRow
    'clouds.signing_keys': SigningKeyRow
  }
}

export interface CloudRow {
  account_id: string
  cloud_id: string
  project_id: string
  ref: string
  name: string
  plan: 'starter' | 'dedicated'
  state: 'provisioning' | 'ready' | 'failed' | 'deleting'
  error_code: ProvisioningProblem | null
  attempts: number
  suspended_at: Date | null
  suspended_reason: string | null
  limits: Record<string, number>
  offer: string | null
  read_only_since: Date | null
  frozen_since: Date | null
  site_url: string | null
  disable_signup: boolean
  additional_redirect_urls: readonly string[]
  anonymous_sign_ins: boolean
  functions_revision: bigint
  created_at: Date
  updated_at: Date
}

export interface KeyRow {
  account_id: string
  cloud_id: string
  key_id: string
  kind: 'public' | 'service'
  hash: Buffer
  public_key: string | null
  created_at: Date
  expires_at: Date | null
}

export interface SigningKeyRow {
  account_id: string
  cloud_id: string
  kid: string
  private_key_sealed: string
  public_jwk: SigningKey['publicJwk']
  created_at: Date
  retired_at: Date | null
  expires_at: Date | null
}

/** The account and project that own it. */
export interface CloudOwner {
  accountId: string
  projectId: string
}

export const keyOf = ({ account_id: accountId, cloud_id: cloudId }: CloudRow): CloudKey => ({
  accountId,
  cloudId,
})

export const findCloud = (
  { kysely }: Pick<Db, 'kysely'>,
  { accountId, projectId, cloudId }: CloudOwner & { cloudId: string },
): Promise<CloudRow | undefined> =>
  kysely
    .selectFrom('clouds.clouds')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirst()

/** The clouds of a project, newest first. */
export const listClouds = (
  { kysely }: Db,
  { accountId, projectId }: CloudOwner,
  options: PageOptions,
): Promise<Page<CloudRow>> =>
  readPage(
    kysely
      .selectFrom('clouds.clouds')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('project_id', '=', projectId),
    'cloud_id',
    options,
  )

/** The clouds of any account with this id, ref or name, at most `limit`, for the operator. */
export async function findAnyClouds(
  { kysely }: Db,
  named: { cloudId: string } | { ref: string } | { name: string },
  limit: number,
): Promise<CloudRow[]> {
  const isNamed =
    'cloudId' in named
      ? sql`cloud_id = ${named.cloudId}`
      : 'name' in named
        ? sql`name = ${named.name}`
        : sql`(account_id, cloud_id) = (select account_id, cloud_id from clouds.refs where ref = ${named.ref})`
  const { rows } = await sql<CloudRow>`select * from clouds.clouds where ${isNamed} limit ${limit}`.execute(
    kysely,
  )
  return rows
}

/** The clouds of all accounts, newest first, for the operator. */
export async function listAllClouds(
  { kysely }: Db,
  options: PageOptions & { account_id?: string | undefined },
): Promise<Page<CloudRow>> {
  const ofAccount = options.account_id === undefined ? sql`` : sql`and account_id = ${options.account_id}`
  const { rows } = await sql<CloudRow>`select * from clouds.clouds
    where true ${ofAccount} ${pageClause('cloud_id', options)}`.execute(kysely)
  return cutPage(rows, options.limit)
}

/** Blocks other creations in the project until the transaction ends, so that the limit is exact. */
export async function lockCloudsOfProject(tx: Tx, { projectId }: CloudOwner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('clouds.clouds'), hashtext(${projectId}))`.execute(tx)
}

/** The number of a project's clouds of a plan that stand, and of those that are being deleted. */
export async function countClouds(
  tx: Tx,
  { accountId, projectId }: CloudOwner,
  plan: CloudRow['plan'],
): Promise<{ standing: number; deleting: number }> {
  const { rows } = await sql<{ standing: bigint; deleting: bigint }>`
    select count(*) filter (where state <> 'deleting') as standing, count(*) filter (where state = 'deleting') as deleting
    from clouds.clouds where account_id = ${accountId} and project_id = ${projectId} and plan = ${plan}`.execute(
    tx,
  )
  return { standing: Number(rows[0]!.standing), deleting: Number(rows[0]!.deleting) }
}

/** Inserts a cloud with its ref. False where the ref is taken; then nothing was written. */
export async function insertCloud(tx: Tx, cloud: CloudRow): Promise<boolean> {
  const { account_id, cloud_id, ref } = cloud
  const claimed = await tx
    .insertInto('clouds.refs')
    .values({ ref, account_id, cloud_id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (claimed.numInsertedOrUpdatedRows === 0n) return false
  await tx
    .insertInto('clouds.clouds')
    .values({
      ...cloud,
      limits: JSON.stringify(cloud.limits) as never,
      additional_redirect_urls: JSON.stringify(cloud.additional_redirect_urls) as never,
    })
    .execute()
  return true
}

/**
 * Locks a cloud against other changes until the transaction ends; not against rows that refer to the cloud, such as those of its app, which would
 * wait otherwise.
 */
export const lockCloud = (tx: Tx, { accountId, cloudId }: CloudKey): Promise<CloudRow | undefined> =>
  tx
    .selectFrom('clouds.clouds')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Locks a cloud against other changes, and against rows that refer to it, too. */
export const lockCloudAlone = (tx: Tx, { accountId, cloudId }: CloudKey): Promise<CloudRow | undefined> =>
  tx
    .selectFrom('clouds.clouds')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .forUpdate()
    .executeTakeFirst()

export async function stateOfCloud(
  db: Db,
  { accountId, cloudId }: CloudKey,
): Promise<CloudRow['state'] | undefined> {
  const [row] = await db.query<Pick<CloudRow, 'state'>>(
    { text: 'select state from clouds.clouds where account_id = $1 and cloud_id = $2' },
    [accountId, cloudId],
  )
  return row?.state
}

/** The clouds that have been in provisioning or deletion since before this time. */
export const unfinishedClouds = (
  db: Db,
  before: Date,
  limit: number,
): Promise<(CloudKey & { state: 'provisioning' | 'deleting' })[]> =>
  db.query(
    {
      text: `select account_id as "accountId", cloud_id as "cloudId", state from clouds.clouds
        where state in ('provisioning', 'deleting') and updated_at < $1 order by updated_at limit $2`,
    },
    [before, limit],
  )

/** Called when the program of a cloud's functions has changed: after the transaction, processes of an earlier revision take no new call. */
export async function raiseFunctionsRevision(tx: Tx, { accountId, cloudId }: CloudKey): Promise<void> {
  await sql`update clouds.clouds set functions_revision = functions_revision + 1
    where account_id = ${accountId} and cloud_id = ${cloudId}`.execute(tx)
}

type CloudChange = Partial<
  Omit<CloudRow, 'account_id' | 'cloud_id' | 'limits' | 'additional_redirect_urls' | 'functions_revision'>
> & {
  limits?: Record<string, number>
  additional_redirect_urls?: readonly string[]
}

export async function changeCloud(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  { limits, additional_redirect_urls: redirects, ...change }: CloudChange,
): Promise<void> {
  await tx
    .updateTable('clouds.clouds')
    .set({
      ...change,
      // The driver would make an array one of PostgreSQL's instead of JSON.
      ...(limits && { limits: JSON.stringify(limits) as never }),
      ...(redirects && { additional_redirect_urls: JSON.stringify(redirects) as never }),
    })
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .execute()
}

/** Counts one more attempt at a cloud that is being provisioned; undefined where it no longer is. */
export async function beginAttempt(db: Db, { accountId, cloudId }: CloudKey): Promise<CloudRow | undefined> {
  const [row] = await db.query<CloudRow>(
    {
      text: `update clouds.clouds set attempts = attempts + 1
        where account_id = $1 and cloud_id = $2 and state = 'provisioning' returning *`,
    },
    [accountId, cloudId],
  )
  return row
}

export async function uncountAttempt(db: Db, { accountId, cloudId }: CloudKey): Promise<void> {
  await db.query(
    {
      text: 'update clouds.clouds set attempts = greatest(attempts - 1, 0) where account_id = $1 and cloud_id = $2',
    },
    [accountId, cloudId],
  )
}

/** Deletes a cloud and all rows that refer to it, which are few by then. */
export async function deleteCloud(tx: Tx, { accountId, cloudId }: CloudKey): Promise<void> {
  await sql`delete from clouds.clouds where account_id = ${accountId} and cloud_id = ${cloudId}`.execute(tx)
  await sql`delete from clouds.refs where account_id = ${accountId} and cloud_id = ${cloudId}`.execute(tx)
}

/**
 * What the limits of a cloud come from; undefined where it is not ready. Until the transaction ends the cloud is neither suspended nor deleted: a
 * deletion that runs would overlook what is written meanwhile.
 */
export async function shareLockReadyCloud(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
): Promise<LimitSource | undefined> {
  const { rows } = await sql<LimitSource>`select offer, limits from clouds.clouds
    where account_id = ${accountId} and cloud_id = ${cloudId} and state = 'ready' and suspended_at is null for share`.execute(
    tx,
  )
  return rows[0]
}

export interface ProgramRecord {
  ref: string
  plan: CloudRow['plan']
  revision: bigint
}

/** What the functions of a cloud run by. Undefined where the cloud is gone or being deleted. */
export async function programRecord(
  kysely: Db['kysely'],
  { accountId, cloudId }: CloudKey,
): Promise<ProgramRecord | undefined> {
  const { rows } =
    await sql<ProgramRecord>`select ref, plan, functions_revision as revision from clouds.clouds
    where account_id = ${accountId} and cloud_id = ${cloudId} and state <> 'deleting'`.execute(kysely)
  return rows[0]
}

/** Calls of a cloud's functions and bytes that left the cloud in a day (UTC, 'YYYY-MM-DD'). */
export async function usageOfDay(
  db: Db,
  { accountId, cloudId }: CloudKey,
  day: string,
): Promise<{ function_calls: bigint; egress_bytes: bigint }> {
  const [row] = await db.query<{ function_calls: bigint; egress_bytes: bigint }>(
    {
      text: `select function_calls, egress_bytes from clouds.usage_days
        where account_id = $1 and cloud_id = $2 and day = $3`,
    },
    [accountId, cloudId, day],
  )
  return row ?? { function_calls: 0n, egress_bytes: 0n }
}

/** All clouds of an account. */
export const cloudsOfAccount = ({ kysely }: Pick<Db, 'kysely'>, accountId: string): Promise<CloudRow[]> =>
  kysely
    .selectFrom('clouds.clouds')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('cloud_id')
    .execute()
