/** SQL of invitations. */
import { type RawBuilder, sql } from 'kysely'
import { lockMembers, type Role } from '#account/people'
import { hashToken } from '#account/sign-in'
import type { Db, Tx } from '#platform/db'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import type { Grant } from './grants.ts'

declare module '#platform/db' {
  interface Tables {
    'people.invitations': InvitationRow
  }
}

export interface InvitationRow {
  account_id: string
  invitation_id: string
  email: string
  role: Role
  project_ids: string[] | null
  hash: Buffer
  /** Null: the operator's command line. */
  invited_by: string | null
  created_at: Date
  expires_at: Date
  revoked_at: Date | null
  accepted_at: Date | null
  accepted_by: string | null
}

/** An invitation with the names that its letter and its page show. */
export type NamedInvitation = InvitationRow & { account_name: string; inviter_name: string | null }

export async function insertInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  await tx.insertInto('people.invitations').values(row).execute()
}

const named = sql`select i.*, a.name as account_name, p.display_name as inviter_name
  from people.invitations i join auth.accounts a using (account_id)
  left join people.people p on p.person_id = i.invited_by`

const isOpen = (now: Date) => sql`i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}`

/** The invitation of this token, if it can still be accepted. */
export async function invitationByToken(
  db: Db | Tx,
  token: string,
  now: Date,
): Promise<NamedInvitation | undefined> {
  const { rows } =
    await sql<NamedInvitation>`${named} where i.hash = ${hashToken(token)} and ${isOpen(now)}`.execute(
      'kysely' in db ? db.kysely : db,
    )
  return rows[0]
}

/**
 * The same, locked with the members of its account: of several who accept it at once, the first finds it. Members are locked before invitations
 * everywhere, so that nobody who leaves or is lowered and nobody who accepts wait for each other.
 */
export async function lockInvitationByToken(
  tx: Tx,
  token: string,
  now: Date,
): Promise<NamedInvitation | undefined> {
  const { rows: accounts } = await sql<{ account_id: string }>`select i.account_id from people.invitations i
    where i.hash = ${hashToken(token)} and ${isOpen(now)}`.execute(tx)
  if (!accounts[0]) return undefined
  await lockMembers(tx, accounts[0].account_id)
  const { rows } =
    await sql<NamedInvitation>`${named} where i.hash = ${hashToken(token)} and ${isOpen(now)} for update of i`.execute(
      tx,
    )
  return rows[0]
}

/** An invitation of the account, locked, whatever its state. The caller has locked the members. */
export async function lockInvitation(
  tx: Tx,
  accountId: string,
  invitationId: string,
): Promise<NamedInvitation | undefined> {
  const { rows } = await sql<NamedInvitation>`${named}
    where i.account_id = ${accountId} and i.invitation_id = ${invitationId} for update of i`.execute(tx)
  return rows[0]
}

export type InvitationState = 'open' | 'accepted' | 'revoked' | 'expired'

/** Which invitations a list has. */
export interface InvitationFilter {
  accountId: string
  /** Only those into one of these projects or into all; null: all. */
  projectIds: readonly string[] | null
  state?: InvitationState | undefined
}

const inState = (state: InvitationState, now: Date): RawBuilder<boolean> =>
  ({
    open: sql<boolean>`(${isOpen(now)})`,
    accepted: sql<boolean>`i.accepted_at is not null`,
    revoked: sql<boolean>`(i.accepted_at is null and i.revoked_at is not null)`,
    expired: sql<boolean>`(i.accepted_at is null and i.revoked_at is null and i.expires_at <= ${now})`,
  })[state]

/** A page of an account's invitations, newest first. */
export const listInvitations = (
  db: Db,
  { accountId, projectIds, state }: InvitationFilter,
  page: Pick<PageOptions, 'limit' | 'after_id'>,
  now: Date,
): Promise<Page<NamedInvitation>> =>
  readPage(
    db.kysely
      .selectFrom('people.invitations as i')
      .innerJoin('auth.accounts as a', 'a.account_id', 'i.account_id')
      .leftJoin('people.people as p', 'p.person_id', 'i.invited_by')
      .selectAll('i')
      .select(['a.name as account_name', 'p.display_name as inviter_name'])
      .where('i.account_id', '=', accountId)
      .$if(projectIds !== null, (rows) =>
        rows.where(
          sql<boolean>`(i.project_ids is null or i.project_ids && ${[...(projectIds ?? [])]}::uuid[])`,
        ),
      )
      .$if(state !== undefined, (rows) => rows.where(inState(state!, now))),
    'i.invitation_id',
    page,
  ) as Promise<Page<NamedInvitation>>

export async function setInvitation(
  tx: Tx,
  { account_id: accountId, invitation_id: invitationId }: Pick<InvitationRow, 'account_id' | 'invitation_id'>,
  change: Partial<Pick<InvitationRow, 'hash' | 'expires_at' | 'revoked_at' | 'accepted_at' | 'accepted_by'>>,
): Promise<void> {
  await tx
    .updateTable('people.invitations')
    .set(change)
    .where('account_id', '=', accountId)
    .where('invitation_id', '=', invitationId)
    .execute()
}

/** What the open invitations to an address give that members of the account have sent. */
export async function openGrantsTo(tx: Tx, accountId: string, email: string, now: Date): Promise<Grant[]> {
  const { rows } = await sql<Grant>`select i.role, i.project_ids as "projectIds" from people.invitations i
    where i.account_id = ${accountId} and i.email = ${email} and i.invited_by is not null and ${isOpen(now)}`.execute(
    tx,
  )
  return rows
}

/** Revokes the open invitations of an account to an address, or by the operator's command line. */
export async function revokeInvitations(
  tx: Tx,
  accountId: string,
  { email, byOperator = false }: { email?: string; byOperator?: boolean },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('people.invitations')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .$if(email !== undefined, (query) => query.where('email', '=', email!))
    .$if(byOperator, (query) => query.where('invited_by', 'is', null))
    .execute()
}

/** Whether the account has a member. */
export async function hasMember(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from people.members where account_id = ${accountId} limit 1`.execute(tx)
  return rows.length > 0
}

/** Whether the account has an owner. */
export async function hasOwner(db: Db | Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from people.members where account_id = ${accountId} and role = 'owner'
    limit 1`.execute('kysely' in db ? db.kysely : db)
  return rows.length > 0
}

/** Whether the account has a project. */
export async function hasProject(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from auth.projects where account_id = ${accountId} limit 1`.execute(tx)
  return rows.length > 0
}

/** Whether all of these are projects of the account. */
export async function areProjectsOf(
  tx: Tx,
  accountId: string,
  projectIds: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`select count(*)::int as found from auth.projects
    where account_id = ${accountId} and project_id = any(${[...projectIds]}::uuid[])`.execute(tx)
  return rows[0]!.found === new Set(projectIds).size
}

/** Whether there is a person, and whether there is an operator. Deleted people do not count. */
export async function whoIsThere(tx: Tx): Promise<{ person: boolean; operator: boolean }> {
  const { rows } = await sql<{ person: boolean; operator: boolean }>`
    select exists (select from people.people where deleted_at is null) as person,
      exists (select from people.people where deleted_at is null and is_operator) as operator`.execute(tx)
  return rows[0]!
}

/** The oldest account. The first start has made one. */
export async function firstAccount(tx: Tx): Promise<{ account_id: string; name: string }> {
  const { rows } = await sql<{ account_id: string; name: string }>`select account_id, name from auth.accounts
    order by created_at, account_id limit 1`.execute(tx)
  return rows[0]!
}
