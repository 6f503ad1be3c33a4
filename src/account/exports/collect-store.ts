/** SQL of what is stored of a person, without secrets and hashes. What may be long is read in pages. */
import type { Db } from '#platform/db'

type Row = Record<string, unknown>

/** How many rows of the audit log are read at once. */
const portion = 500
/** How many receipts of an account are looked through at once for those of the person. */
const scanned = 5_000

const all = async (db: Db, text: string, personId: string): Promise<Row[]> =>
  db.query<Row>({ text }, [personId])

/** The person, with the addresses, phone number, ways to sign in, second factors, recovery codes, sessions and browsers. */
export async function readPerson(db: Db, personId: string): Promise<Row> {
  const [person] = await all(
    db,
    `select person_id as id, display_name, locale, time_zone, is_operator, created_at,
      password_hash is not null as has_password, password_changed_at
      from people.people where person_id = $1`,
    personId,
  )
  const [addresses, [phone], identities, factors, recovery, sessions, devices] = await Promise.all([
    all(
      db,
      'select email, is_primary, proven_at, retires_at from people.addresses where person_id = $1 order by email',
      personId,
    ),
    all(db, 'select number, proven_at from people.phones where person_id = $1', personId),
    all(
      db,
      `select issuer, subject, provider_id, email, linked_at, last_used_at from people.identities
        where person_id = $1 order by linked_at`,
      personId,
    ),
    all(
      db,
      `select factor_id as id, kind, name, transports, is_backed_up, created_at, confirmed_at, last_used_at
        from people.factors where person_id = $1 order by created_at`,
      personId,
    ),
    all(
      db,
      'select created_at, used_at from people.recovery_codes where person_id = $1 order by created_at, used_at',
      personId,
    ),
    all(
      db,
      `select session_id as id, method, user_agent, opened_from, created_at, last_used_at, expires_at, ended_at
        from people.sessions where person_id = $1 order by created_at`,
      personId,
    ),
    all(
      db,
      'select first_used_at, last_used_at from people.devices where person_id = $1 order by first_used_at',
      personId,
    ),
  ])
  return {
    ...person,
    addresses,
    phone: phone ?? null,
    identities,
    second_factors: factors,
    recovery_codes: recovery,
    sessions,
    browsers: devices,
  }
}

export const readMemberships = (db: Db, personId: string): Promise<Row[]> =>
  all(
    db,
    `select m.account_id, a.name as account, m.role, m.project_ids, m.provider_id, m.joined_at
      from people.members m join auth.accounts a using (account_id) where m.person_id = $1 order by m.joined_at`,
    personId,
  )

/** Invitations that the person has given or accepted. The addresses of others are theirs: of them the first letter and the domain stand here. */
export const readInvitations = (db: Db, personId: string): Promise<Row[]> =>
  all(
    db,
    `select invitation_id as id, account_id, role, project_ids, invited_by = $1 as given_by_you,
      accepted_by is not distinct from $1 as accepted_by_you,
      case when accepted_by = $1 then email else regexp_replace(email, '^(.).*@', '\\1…@') end as email,
      created_at, expires_at, accepted_at, revoked_at
      from people.invitations where invited_by = $1 or accepted_by = $1 order by invitation_id`,
    personId,
  )

/** The project and management keys that the person has made, and those by which they pay. */
export const readKeys = (db: Db, personId: string): Promise<Row[]> =>
  all(
    db,
    `select key_id as id, account_id, project_id, kind, name, case when kind = 'api' then hint end as hint, scopes, models,
      origins, null as permissions, null as addresses, expires_at, revoked_at, created_at from auth.keys where person_id = $1
    union all
    select key_id, account_id, null, 'management', name, hint, key_scopes, null,
      null, permissions, addresses, expires_at, revoked_at, created_at from auth.management_keys where person_id = $1
    order by id`,
    personId,
  )

/** Mails without what they said. */
export const readMails = (db: Db, personId: string): Promise<Row[]> =>
  all(
    db,
    `select mail_id as id, address, kind, locale, state, created_at, ended_at from people.mails
      where person_id = $1 order by mail_id`,
    personId,
  )

/** Text messages without what they said. */
export const readTexts = (db: Db, personId: string): Promise<Row[]> =>
  all(
    db,
    `select message_id as id, number, kind, state, created_at, ended_at from people.text_messages
      where person_id = $1 order by message_id`,
    personId,
  )

/** The changes that the person has made, account by account. */
export async function* readAudit(db: Db, personId: string): AsyncGenerator<Row[]> {
  const accounts = await db.query<{ account_id: string }>(
    {
      text: `select account_id from (
          select account_id from auth.accounts union all select '00000000-0000-0000-0000-000000000000'::uuid
        ) a where exists (select from audit.entries e where e.account_id = a.account_id and e.actor_id = $1)
        order by account_id`,
    },
    [personId],
  )
  for (const { account_id: accountId } of accounts)
    for (let after: string | null = null; ; ) {
      const rows: Row[] = await db.query<Row>(
        {
          text: `select entry_id as id, account_id, project_id, at, operation, target_kind, target_id, before, after, request_id,
              client
            from audit.entries where account_id = $2 and actor_id = $1 and actor_kind = 'person'
              and ($3::uuid is null or entry_id > $3) order by entry_id limit $4`,
        },
        [personId, accountId, after, portion],
      )
      yield rows
      if (rows.length < portion) break
      after = rows.at(-1)!['id'] as string
    }
}

/** A key by which the person pays in a project, or has paid before they left it. */
export interface PayingKey {
  keyId: string
  projectId: string
}

/** The keys by which the person pays, or paid, by their accounts. */
export async function readPayingKeys(db: Db, personId: string): Promise<Map<string, PayingKey[]>> {
  const rows = await db.query<PayingKey & { accountId: string }>(
    {
      text: `select account_id as "accountId", key_id as "keyId", project_id as "projectId" from auth.keys
        where person_id = $1 and kind <> 'api' order by account_id, key_id`,
    },
    [personId],
  )
  return Map.groupBy(rows, ({ accountId }) => accountId)
}

interface ScanState {
  scanned: number
  last: string | null
}

/**
 * The receipts of calls that these keys have paid, in the order of their ids; amounts are whole micro-credits, as text. Each statement looks through as
 * many receipts of the account, whoever paid them, so that it takes the same time in an account of any size.
 */
export async function* readReceipts(
  db: Db,
  accountId: string,
  keyIds: readonly string[],
): AsyncGenerator<Row[]> {
  for (let after: string | null = null; ; ) {
    const found: (Row & ScanState & { id: string | null })[] = await db.query(
      {
        text: `with page as (
            select * from ledger.receipts where account_id = $1 and ($3::uuid is null or receipt_id > $3)
            order by receipt_id limit $4
          )
          select s.scanned, s.last, p.receipt_id as id, p.account_id, p.project_id, p.key_id, p.endpoint, p.idempotency_key, p.state,
            p.status_code, p.ambiguous, p.model, p.customer_id, p.reference_id, p.charged::text as microcredits,
            case when p.state = 'running' then p.held::text else '0' end as reserved_microcredits,
            p.detail -> 'tokens' as tokens, p.quantities, p.created_at, p.finished_at
          from (select count(*)::int as scanned, max(receipt_id::text) as last from page) s
            left join page p on p.key_id = any ($2::uuid[])
          order by p.receipt_id`,
      },
      [accountId, keyIds, after, scanned],
    )
    const [first] = found
    yield found.flatMap(({ scanned: _scanned, last: _last, ...row }) => (row.id === null ? [] : [row]))
    if (!first || first.scanned < scanned) return
    after = first.last
  }
}

/** The names of projects, by their ids. */
export async function readProjectNames(db: Db, accountId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ project_id: string; name: string }>(
    { text: 'select project_id, name from auth.projects where account_id = $1' },
    [accountId],
  )
  return new Map(rows.map((row) => [row.project_id, row.name]))
}
