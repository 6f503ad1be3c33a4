/** Ends what somebody may have set who is not the person: ways to sign in, and what came with them. */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { isClaimed, type MembershipEntry, memberships, removeMember } from './members.ts'

/** What was dropped, as rows of the audit log show it and letters tell it. */
export interface DroppedCredentials {
  password: boolean
  /** A phone number to which codes were sent. */
  phone: boolean
  /** Confirmed second factors and passkeys. */
  factors: { kind: 'totp' | 'passkey'; name: string }[]
  /** The providers, by their ids in the configuration, whose identities were unlinked. */
  providers: string[]
  /** The accounts whose membership came from these providers. */
  accountIds: string[]
}

/**
 * Drops the password, phone number, second factors, recovery codes, identities with the memberships of their claims, and known browsers of a person: all of them, or
 * those that were set at `since` or later. Sessions are left to the caller.
 */
export async function dropCredentials(
  tx: Tx,
  personId: string,
  since: Date | 'ever',
  now: Date,
): Promise<DroppedCredentials> {
  const from = since === 'ever' ? null : since
  const isOf = (column: string) =>
    sql`person_id = ${personId} and (${from}::timestamptz is null or ${sql.ref(column)} >= ${from})`
  const { rows: passwords } = await sql`update people.people
    set password_hash = null, password_changed_at = null
    where ${isOf('password_changed_at')} and password_hash is not null returning person_id`.execute(tx)
  const { rows: phones } =
    await sql`delete from people.phones where ${isOf('proven_at')} returning number`.execute(tx)
  const { rows: factors } = await sql<{ kind: 'totp' | 'passkey'; name: string; is_confirmed: boolean }>`
    delete from people.factors where ${isOf('created_at')}
    returning kind, name, confirmed_at is not null as is_confirmed`.execute(tx)
  await sql`delete from people.recovery_codes c where ${isOf('c.created_at')}
    or (person_id = ${personId} and not exists (
      select from people.factors f where f.person_id = c.person_id and f.confirmed_at is not null))`.execute(
    tx,
  )
  await sql`delete from people.factor_resets where ${isOf('requested_at')}`.execute(tx)
  await sql`delete from people.ceremonies where person_id = ${personId}`.execute(tx)
  await sql`delete from people.devices where ${isOf('first_used_at')}`.execute(tx)
  const { rows: identities } = await sql<{ provider_id: string }>`
    delete from people.identities where ${isOf('linked_at')} returning provider_id`.execute(tx)
  const providers = [...new Set(identities.map(({ provider_id: id }) => id))]
  return {
    password: passwords.length > 0,
    phone: phones.length > 0,
    factors: factors.filter(({ is_confirmed: is }) => is).map(({ kind, name }) => ({ kind, name })),
    providers,
    accountIds: (await endClaimed(tx, personId, providers, now)).map(({ accountId }) => accountId),
  }
}

/**
 * Ends the memberships that claims of these providers (their ids in the configuration) have made, and returns them as they were.
 */
export async function endClaimed(
  tx: Tx,
  personId: string,
  providers: readonly string[],
  now: Date,
): Promise<MembershipEntry[]> {
  const ended = (await memberships(tx, personId))
    .filter((membership) => isClaimed(membership, providers))
    // Accounts are locked in one order, so that no two people wait for each other.
    .sort((one, other) => (one.accountId < other.accountId ? -1 : 1))
  for (const { accountId } of ended) await removeMember(tx, accountId, personId, now)
  return ended
}
