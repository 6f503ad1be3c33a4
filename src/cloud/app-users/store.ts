import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import { exactColumns, type Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import { readEmail } from './credentials.ts'
import type { UsersReader, UsersTx } from './users-database.ts'

declare module '#platform/db' {
  interface Tables {
    'app_users.users': UserRow
    'app_users.counts': { account_id: string; cloud_id: string; users: bigint }
  }
}

/** Metadata of rows has exact numbers: it is written again, and nothing of it is read. */
export type Metadata = Record<string, unknown>

export interface UserRow {
  account_id: string
  cloud_id: string
  user_id: string
  email: string | null
  password_hash: string | null
  email_confirmed_at: Date | null
  new_email: string | null
  is_anonymous: boolean
  user_metadata: Metadata
  app_metadata: Metadata
  banned_until: Date | null
  pending_until: Date | null
  invited_at: Date | null
  last_sign_in_at: Date | null
  created_at: Date
  updated_at: Date
}

const ofCloud = (reader: UsersReader, { accountId, cloudId }: CloudKey) =>
  reader
    .selectFrom('app_users.users')
    .withPlugin(exactColumns)
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)

export const findUser = (
  reader: UsersReader,
  cloud: CloudKey,
  userId: string,
): Promise<UserRow | undefined> => ofCloud(reader, cloud).where('user_id', '=', userId).executeTakeFirst()

export const findByEmail = (
  reader: UsersReader,
  cloud: CloudKey,
  email: string,
): Promise<UserRow | undefined> => ofCloud(reader, cloud).where('email', '=', email).executeTakeFirst()

/** Returns the user, locked until the end of the transaction: other changes of the user wait. */
export const lockUser = (tx: Tx, cloud: CloudKey, userId: string): Promise<UserRow | undefined> =>
  ofCloud(tx, cloud).where('user_id', '=', userId).forUpdate().executeTakeFirst()

export const lockByEmail = (tx: Tx, cloud: CloudKey, email: string): Promise<UserRow | undefined> =>
  ofCloud(tx, cloud).where('email', '=', email).forUpdate().executeTakeFirst()

/** Returns the user whose next address this is. */
export const findByNewEmail = (
  reader: UsersReader,
  cloud: CloudKey,
  email: string,
): Promise<UserRow | undefined> =>
  ofCloud(reader, cloud).where('new_email', '=', email).orderBy('updated_at', 'desc').executeTakeFirst()

/** Locks the cloud for adding users or sending mails; this is always the first lock of a transaction. Returns how many users the cloud has. */
export async function lockCloud(tx: Tx, { accountId, cloudId }: CloudKey): Promise<number> {
  const key = { account_id: accountId, cloud_id: cloudId }
  await tx
    .insertInto('app_users.counts')
    .values({ ...key, users: 0n })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { users } = await tx
    .selectFrom('app_users.counts')
    .select('users')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return Number(users)
}

/** Counts users without address and password. The cloud is locked. */
export async function countAnonymous(tx: Tx, { accountId, cloudId }: CloudKey): Promise<number> {
  const { rows } = await sql<{ many: bigint }>`select count(*) as many from app_users.users
    where account_id = ${accountId} and cloud_id = ${cloudId} and is_anonymous`.execute(tx)
  return Number(rows[0]!.many)
}

/**
 * Locks the cloud and adds a user; returns the user as a trigger of the app may have changed it. Throws APP_USER_LIMIT, CLOUD_READ_ONLY, and
 * APP_USER_EXISTS where the address or id is taken.
 */
export async function insertUser(tx: UsersTx, user: UserRow, max: number): Promise<UserRow> {
  if (tx.readOnlyWhy) fail('CLOUD_READ_ONLY', { why: tx.readOnlyWhy })
  const cloud = { accountId: user.account_id, cloudId: user.cloud_id }
  if ((await lockCloud(tx, cloud)) >= max) fail('APP_USER_LIMIT', { max })
  const made = await tx
    .insertInto('app_users.users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .withPlugin(exactColumns)
    .executeTakeFirst()
  if (!made) fail('APP_USER_EXISTS', {})
  await count(tx, cloud, 1)
  return made
}

/** Adds several users at once. Throws APP_USER_LIMIT, and APP_USER_EXISTS where an address or id is taken. */
export async function insertUsers(tx: UsersTx, cloud: CloudKey, users: readonly UserRow[], max: number) {
  if ((await lockCloud(tx, cloud)) + users.length > max) fail('APP_USER_LIMIT', { max })
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('app_users.users')
    .values([...users])
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (Number(numInsertedOrUpdatedRows) !== users.length) fail('APP_USER_EXISTS', {})
  await count(tx, cloud, users.length)
}

/** Changes the number of users. The platform's copy of it is read while the database of the cloud sleeps. */
async function count(tx: UsersTx, { accountId, cloudId }: CloudKey, change: number): Promise<void> {
  const { users } = await tx
    .updateTable('app_users.counts')
    .set({ users: sql`users + ${change}::bigint` })
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .returning('users')
    .executeTakeFirstOrThrow()
  if (tx.isApart) await tx.onPlatform((platform) => writeCount(platform, { accountId, cloudId }, users))
}

/** Writes on the platform the number of users of a cloud with a database of its own. */
export const writeCount = (reader: UsersReader, { accountId, cloudId }: CloudKey, users: bigint) =>
  reader
    .insertInto('app_users.counts')
    .values({ account_id: accountId, cloud_id: cloudId, users })
    .onConflict((conflict) => conflict.columns(['account_id', 'cloud_id']).doUpdateSet({ users }))
    .execute()

/** Returns false if there is no such user. */
export async function deleteUser(tx: UsersTx, cloud: CloudKey, userId: string): Promise<boolean> {
  await lockCloud(tx, cloud)
  const { numDeletedRows } = await tx
    .deleteFrom('app_users.users')
    .where('account_id', '=', cloud.accountId)
    .where('cloud_id', '=', cloud.cloudId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (numDeletedRows !== 1n) return false
  await count(tx, cloud, -1)
  return true
}

/** Deletes at most `limit` users; returns their ids. */
export async function deleteSomeUsers(tx: UsersTx, cloud: CloudKey, limit: number): Promise<string[]> {
  await lockCloud(tx, cloud)
  const { rows } = await sql<{ user_id: string }>`delete from app_users.users u using (
      select user_id from app_users.users where account_id = ${cloud.accountId} and cloud_id = ${cloud.cloudId}
      order by user_id limit ${limit}) one
    where u.account_id = ${cloud.accountId} and u.cloud_id = ${cloud.cloudId} and u.user_id = one.user_id
    returning u.user_id`.execute(tx)
  await count(tx, cloud, -rows.length)
  return rows.map(({ user_id }) => user_id)
}

export type UserChange = Partial<Omit<UserRow, 'account_id' | 'cloud_id' | 'user_id' | 'created_at'>>

/** Returns the user as it is then. Throws APP_USER_EMAIL_TAKEN where another user has the new address. */
export async function updateUser(
  tx: Tx,
  { account_id, cloud_id, user_id }: Pick<UserRow, 'account_id' | 'cloud_id' | 'user_id'>,
  change: UserChange & { updated_at: Date },
): Promise<UserRow> {
  try {
    return await tx
      .updateTable('app_users.users')
      .set(change)
      .where('account_id', '=', account_id)
      .where('cloud_id', '=', cloud_id)
      .where('user_id', '=', user_id)
      .returningAll()
      .withPlugin(exactColumns)
      .executeTakeFirstOrThrow()
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) fail('APP_USER_EMAIL_TAKEN', {})
    throw error
  }
}

const uniqueViolation = '23505'

/** Returns users in the order of their ids, beginning after `after`. */
export const usersAfter = (
  reader: UsersReader,
  cloud: CloudKey,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<UserRow[]> =>
  ofCloud(reader, cloud)
    .$if(after !== undefined, (query) => query.where('user_id', '>', after!))
    .orderBy('user_id')
    .limit(limit)
    .execute()

/** Returns users newest first, for clients that count pages. */
export const userPage = (
  reader: UsersReader,
  cloud: CloudKey,
  { page, perPage }: { page: number; perPage: number },
): Promise<UserRow[]> =>
  ofCloud(reader, cloud)
    .orderBy('created_at', 'desc')
    .orderBy('user_id', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute()

export async function countUsers(reader: UsersReader, { accountId, cloudId }: CloudKey): Promise<number> {
  const row = await reader
    .selectFrom('app_users.counts')
    .select('users')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirst()
  return Number(row?.users ?? 0n)
}

/** Returns users for the developer, in the order of their ids, or the one with an address. Throws APP_USER_EMAIL_INVALID. */
export function listUsers(
  reader: UsersReader,
  cloud: CloudKey,
  { email, ...options }: PageOptions & { email?: string | undefined },
): Promise<Page<UserRow>> {
  const address = email === undefined ? undefined : readEmail(email)
  const users = ofCloud(reader, cloud).$if(address !== undefined, (query) =>
    query.where('email', '=', address!),
  )
  return readPage(users, 'user_id', options)
}
