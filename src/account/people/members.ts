/** Members: people with a role in an account. */
import { type RawBuilder, sql } from 'kysely'
import { type Account, endSessionKeys, type Role } from '#platform/auth'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import { permissionsOf } from './rights.ts'
import './errors.ts'

export interface Membership {
  accountId: string
  personId: string
  role: Role
  /** The projects that the member may use; null: all of the account. */
  projectIds: string[] | null
  /** The provider whose claims make this membership; null: it stands by itself. */
  providerId: string | null
  joinedAt: Date
}

/** Whether claims of one of these providers, by their ids in the configuration, have made the membership; an owner was made one by hand. */
export const isClaimed = (
  { providerId, role }: Pick<Membership, 'providerId' | 'role'>,
  providers: readonly string[],
): boolean => providerId !== null && providers.includes(providerId) && role !== 'owner'

/** A member as the account sees it. */
export type Member = Membership & { displayName: string; email: string | null }

/** A membership as its person sees it. */
export type MembershipEntry = Membership & { accountName: string; accountState: Account['state'] }

export interface MemberSetting {
  accountId: string
  personId: string
  role: Role
  /** Null: all projects. An owner is never limited to some. */
  projectIds: readonly string[] | null
  providerId?: string | null | undefined
}

/**
 * Makes the person a member, or changes the role and projects of one. Connections that the person may no longer have end within a second, and open
 * invitations that the person may no longer give are revoked. Sessions of the person get new tokens (`renewSession`). Throws LAST_OWNER (409) if the account would be left without an owner.
 */
export async function setMember(tx: Tx, setting: MemberSetting, now: Date): Promise<void> {
  const { accountId, personId, role } = setting
  await lockMembers(tx, accountId)
  if (role !== 'owner') await requireOtherOwner(tx, accountId, personId)
  const projectIds = role === 'owner' || !setting.projectIds ? null : [...new Set(setting.projectIds)]
  const change = { role, project_ids: projectIds, provider_id: setting.providerId ?? null }
  const changedAt = sql<Date>`case
    when (members.role, members.project_ids) is distinct from (excluded.role, excluded.project_ids) then excluded.changed_at
    else members.changed_at end`
  await tx
    .insertInto('people.members')
    .values({ account_id: accountId, person_id: personId, ...change, joined_at: now, changed_at: now })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'person_id']).doUpdateSet({ ...change, changed_at: changedAt }),
    )
    .execute()
  await revokeGiven(tx, accountId, personId, { role, projectIds }, now)
  await endSessionKeys(tx, accountId, personId, projectIds, now)
}

/**
 * Ends a membership: the keys by which the person pays in the account end, the invitations that the person gave, and the person's connections within
 * a second. Returns false if there was none. Throws LAST_OWNER (409).
 */
export async function removeMember(tx: Tx, accountId: string, personId: string, now: Date): Promise<boolean> {
  await lockMembers(tx, accountId)
  await requireOtherOwner(tx, accountId, personId)
  return endMembership(tx, accountId, personId, now)
}

/** Ends a membership whatever is left of the account's owners: where the person or the account is deleted. The members are locked by the caller. */
export async function endMembership(
  tx: Tx,
  accountId: string,
  personId: string,
  now: Date,
): Promise<boolean> {
  const done = await tx
    .deleteFrom('people.members')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  await revokeGiven(tx, accountId, personId, undefined, now)
  await endSessionKeys(tx, accountId, personId, [], now)
  return done.numDeletedRows === 1n
}

/** Revokes the open invitations by a member that are more than the member may give now, for good: a role that comes back does not bring them back. */
async function revokeGiven(
  tx: Tx,
  accountId: string,
  personId: string,
  own: Pick<Membership, 'role' | 'projectIds'> | undefined,
  now: Date,
): Promise<void> {
  const mayInvite = own !== undefined && permissionsOf(own.role).has('members:write')
  const projectIds = own?.projectIds ?? null
  await sql`update people.invitations set revoked_at = ${now}
    where account_id = ${accountId} and invited_by = ${personId} and accepted_at is null and revoked_at is null
      and (not ${mayInvite} or (role = 'owner' and ${own?.role !== 'owner'})
        or (${projectIds !== null} and (project_ids is null or not project_ids <@ ${projectIds}::uuid[])))`.execute(
    tx,
  )
}

/** Changes of the members of one account wait for each other, so that two owners cannot remove each other at once. */
export async function lockMembers(tx: Tx, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('people.members'), hashtext(${accountId}))`.execute(tx)
}

/** Throws LAST_OWNER if the person is the only owner of the account who stays, and the account stays too. */
async function requireOtherOwner(tx: Tx, accountId: string, personId: string): Promise<void> {
  if (await isLastOwner(tx, accountId, personId)) fail('LAST_OWNER', {})
}

/**
 * Whether the person owns the account and nobody else does who has not asked to be deleted. Never so for an account that is being deleted itself. The
 * caller has locked the members.
 */
export async function isLastOwner(tx: Tx, accountId: string, personId: string): Promise<boolean> {
  const { rows } = await sql<{ person_id: string; is_staying: boolean }>`
    select m.person_id, p.deletion_due_at is null as is_staying
    from people.members m join people.people p using (person_id) join auth.accounts a using (account_id)
    where m.account_id = ${accountId} and m.role = 'owner' and a.state not in ('closing', 'closed')`.execute(
    tx,
  )
  const isOwner = rows.some(({ person_id: id }) => id === personId)
  return isOwner && !rows.some(({ person_id: id, is_staying: is }) => id !== personId && is)
}

const memberColumns = [
  'm.account_id',
  'm.person_id',
  'm.role',
  'm.project_ids',
  'm.provider_id',
  'm.joined_at',
] as const

interface MemberSelection {
  account_id: string
  person_id: string
  role: Role
  project_ids: string[] | null
  provider_id: string | null
  joined_at: Date
}

const membershipOf = (row: MemberSelection): Membership => ({
  accountId: row.account_id,
  personId: row.person_id,
  role: row.role,
  projectIds: row.project_ids,
  providerId: row.provider_id,
  joinedAt: row.joined_at,
})

const membersOf = (db: Db | Tx, accountId: string) =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('people.members as m')
    .innerJoin('people.people as p', 'p.person_id', 'm.person_id')
    .leftJoin('people.addresses as a', (join) =>
      join.onRef('a.person_id', '=', 'm.person_id').on('a.is_primary', '=', true),
    )
    .select([...memberColumns, 'p.display_name', 'a.email'])
    .where('m.account_id', '=', accountId)

type MemberRowOf = MemberSelection & { display_name: string; email: string | null }

const memberOf = (row: MemberRowOf): Member => ({
  ...membershipOf(row),
  displayName: row.display_name,
  email: row.email,
})

/** The members of an account, who joined first first. */
export async function members(db: Db | Tx, accountId: string): Promise<Member[]> {
  const rows = await membersOf(db, accountId).orderBy('m.joined_at').orderBy('m.person_id').execute()
  return rows.map(memberOf)
}

/** One member of an account. */
export async function findMember(
  db: Db | Tx,
  accountId: string,
  personId: string,
): Promise<Member | undefined> {
  const row = await membersOf(db, accountId).where('m.person_id', '=', personId).executeTakeFirst()
  return row && memberOf(row)
}

/** Which members a list has. */
export interface MemberFilter {
  accountId: string
  /** Only those who may use one of these projects; null: all. */
  projectIds: readonly string[] | null
  /** Part of a name, in either case and any Persian or Arabic form of a letter, with or without half-spaces and vowel signs. */
  q?: string | undefined
  /** Whether `q` may also be part of an address. */
  findsAddresses: boolean
}

/**
 * Letters and digits that people type for each other, and after them what many leave out: half-spaces, vowel signs, and the signs of direction that come
 * along when a text is copied.
 */
const typed = {
  from: 'يىكةۀ۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩\u200c\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0653\u0654\u0655\u061c\u200e\u200f\u2066\u2067\u2068\u2069',
  to: 'ییکهه01234567890123456789',
}

/** A text as it is compared; the console compares lists in its hands by the same letters (`comparable`). */
const plain = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql`translate(lower(normalize(${text}, NFKC)), ${typed.from}::text, ${typed.to}::text)`

/** A page of the members of an account, in the order of their ids: who came to this installation first is first. */
export async function listMembers(
  db: Db,
  { accountId, projectIds, q, findsAddresses }: MemberFilter,
  page: Pick<PageOptions, 'limit' | 'after_id'>,
): Promise<Page<Member>> {
  const wanted = plain(sql`${(q ?? '').trim()}::text`)
  const found = findsAddresses ? sql`concat_ws(' ', p.display_name, a.email)` : sql`p.display_name`
  const query = membersOf(db, accountId)
    .$if(projectIds !== null, (rows) =>
      rows.where(
        sql<boolean>`(m.project_ids is null or m.project_ids && ${[...(projectIds ?? [])]}::uuid[])`,
      ),
    )
    .$if(q !== undefined, (rows) => rows.where(sql<boolean>`position(${wanted} in ${plain(found)}) > 0`))
  const { rows, hasMore } = await readPage(query, 'm.person_id', { ...page, order: 'asc' })
  return { rows: (rows as MemberRowOf[]).map(memberOf), hasMore }
}

const membershipEntries = (db: Db | Tx, personId: string) =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('people.members as m')
    .innerJoin('auth.accounts as c', 'c.account_id', 'm.account_id')
    .select([...memberColumns, 'c.name', 'c.state'])
    .where('m.person_id', '=', personId)

type EntrySelection = MemberSelection & { name: string; state: Account['state'] }

const entryOf = (row: EntrySelection): MembershipEntry => ({
  ...membershipOf(row),
  accountName: row.name,
  accountState: row.state,
})

/** All accounts of which the person is a member, in the order in which the person joined them. */
export async function memberships(db: Db | Tx, personId: string): Promise<MembershipEntry[]> {
  const rows = await membershipEntries(db, personId).orderBy('m.joined_at').orderBy('m.account_id').execute()
  return rows.map(entryOf)
}

/** A page of them, the oldest account first; the cursor is the id of an account. */
export async function membershipsPage(
  db: Db,
  personId: string,
  { limit, after_id }: Pick<PageOptions, 'limit' | 'after_id'>,
): Promise<Page<MembershipEntry>> {
  const query = membershipEntries(db, personId)
  const { rows, hasMore } = await readPage(query, 'm.account_id', { limit, after_id, order: 'asc' })
  return { rows: rows.map(entryOf), hasMore }
}

/** The membership of a person in an account. */
export async function membership(
  db: Db | Tx,
  accountId: string,
  personId: string,
): Promise<Membership | undefined> {
  const row = await ('kysely' in db ? db.kysely : db)
    .selectFrom('people.members as m')
    .select(memberColumns)
    .where('m.account_id', '=', accountId)
    .where('m.person_id', '=', personId)
    .executeTakeFirst()
  return row && membershipOf(row)
}

/** The same, which nobody changes or ends until the transaction does: one that is being changed is waited for. */
export async function holdMembership(
  tx: Tx,
  accountId: string,
  personId: string,
): Promise<Membership | undefined> {
  const row = await tx
    .selectFrom('people.members as m')
    .select(memberColumns)
    .where('m.account_id', '=', accountId)
    .where('m.person_id', '=', personId)
    .forShare()
    .executeTakeFirst()
  return row && membershipOf(row)
}
