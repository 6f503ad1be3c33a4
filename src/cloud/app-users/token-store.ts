import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import { exactColumns, type Tx } from '#platform/db'
import type { Metadata } from './store.ts'
import type { UsersReader } from './users-database.ts'

declare module '#platform/db' {
  interface Tables {
    'app_users.one_time_tokens': TokenRow
    'app_users.mails': MailRow
  }
}

export type Purpose =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'reauthentication'
  | 'pkce'

export interface TokenRow {
  account_id: string
  cloud_id: string
  token_id: string
  hash: Buffer
  user_id: string
  purpose: Purpose
  email: string | null
  password_hash: string | null
  user_metadata: Metadata | null
  code_challenge: string | null
  code_challenge_method: string | null
  redirect_to: string | null
  attempts: number
  created_at: Date
  expires_at: Date
}

/** Tokens that are kept of one user and purpose, however often they are requested. */
const maxTokens = 5

export async function insertToken(tx: Tx, token: TokenRow): Promise<void> {
  await tx.insertInto('app_users.one_time_tokens').values(token).execute()
  const { account_id, cloud_id, user_id, purpose } = token
  await sql`delete from app_users.one_time_tokens t using (
      select token_id from app_users.one_time_tokens where account_id = ${account_id} and cloud_id = ${cloud_id}
        and user_id = ${user_id} and purpose = ${purpose}
      order by created_at desc, token_id desc offset ${maxTokens}) old
    where t.account_id = ${account_id} and t.cloud_id = ${cloud_id} and t.token_id = old.token_id`.execute(tx)
}

const ofCloud = (reader: UsersReader, { accountId, cloudId }: CloudKey) =>
  reader
    .selectFrom('app_users.one_time_tokens')
    .withPlugin(exactColumns)
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)

export const findTokenByHash = (
  reader: UsersReader,
  cloud: CloudKey,
  hash: Buffer,
): Promise<TokenRow | undefined> => ofCloud(reader, cloud).where('hash', '=', hash).executeTakeFirst()

export const findToken = (
  reader: UsersReader,
  cloud: CloudKey,
  tokenId: string,
): Promise<TokenRow | undefined> => ofCloud(reader, cloud).where('token_id', '=', tokenId).executeTakeFirst()

/** Returns tokens of a user, newest first and locked: others who try a code wait. */
export const lockTokens = (
  tx: Tx,
  cloud: CloudKey,
  userId: string,
  purposes: readonly Purpose[],
): Promise<TokenRow[]> =>
  ofCloud(tx, cloud)
    .where('user_id', '=', userId)
    .where('purpose', 'in', purposes)
    .orderBy('created_at', 'desc')
    .orderBy('token_id', 'desc')
    .forUpdate()
    .execute()

/** Returns false where the token was used meanwhile. */
export async function consumeToken(tx: Tx, { account_id, cloud_id, token_id }: TokenRow): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('app_users.one_time_tokens')
    .where('account_id', '=', account_id)
    .where('cloud_id', '=', cloud_id)
    .where('token_id', '=', token_id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export const countWrongCode = (tx: Tx, tokens: readonly TokenRow[]) =>
  sql`update app_users.one_time_tokens set attempts = attempts + 1
    where account_id = ${tokens[0]!.account_id} and cloud_id = ${tokens[0]!.cloud_id}
      and token_id = any(${tokens.map(({ token_id }) => token_id)}::uuid[])`.execute(tx)

/** Deletes all tokens of a user that were mailed for these purposes. */
export const deleteTokens = (
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  userId: string,
  purposes: readonly Purpose[],
) =>
  tx
    .deleteFrom('app_users.one_time_tokens')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('user_id', '=', userId)
    .where('purpose', 'in', purposes)
    .execute()

export interface MailRow {
  account_id: string
  cloud_id: string
  mail_id: string
  address: string
  kind: string | null
  token_id: string | null
  created_at: Date
}

export const insertMail = (tx: Tx, mail: MailRow) => tx.insertInto('app_users.mails').values(mail).execute()

export const findMail = (
  reader: UsersReader,
  { accountId, cloudId }: CloudKey,
  mailId: string,
): Promise<MailRow | undefined> =>
  reader
    .selectFrom('app_users.mails')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('mail_id', '=', mailId)
    .executeTakeFirst()

/** Mails of the cloud since the day began. */
export async function mailsOfDay(
  reader: UsersReader,
  { accountId, cloudId }: CloudKey,
  dayBegan: Date,
): Promise<number> {
  const { many } = await reader
    .selectFrom('app_users.mails')
    .select((of) => of.fn.countAll<bigint>().as('many'))
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('created_at', '>=', dayBegan)
    .executeTakeFirstOrThrow()
  return Number(many)
}

/** Mails of the cloud since the day began, and those to one address since an hour ago. */
export async function countMails(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  { address, dayBegan, hourAgo }: { address: string; dayBegan: Date; hourAgo: Date },
): Promise<{ ofDay: number; ofAddress: number }> {
  const since = dayBegan < hourAgo ? dayBegan : hourAgo
  const { rows } = await sql<{ of_day: bigint; of_address: bigint }>`select
      count(*) filter (where created_at >= ${dayBegan}) as of_day,
      count(*) filter (where created_at > ${hourAgo} and address = ${address}) as of_address
    from app_users.mails
    where account_id = ${accountId} and cloud_id = ${cloudId} and created_at >= ${since}`.execute(tx)
  return { ofDay: Number(rows[0]!.of_day), ofAddress: Number(rows[0]!.of_address) }
}
