import type { Db } from '#platform/db'

/** The person who paid by a session. The name of a deleted person is empty or a substitute. */
export interface SessionPayer {
  personId: string
  displayName: string
}

/** The people whose sessions pay by these keys of the account, by the ids of the keys. API keys are left out. */
export async function sessionPayers(
  db: Db,
  accountId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, SessionPayer>> {
  if (keyIds.length === 0) return new Map()
  const rows = await db.query<{ key_id: string; person_id: string; display_name: string }>(
    {
      name: 'people.payers',
      text: `select k.key_id, p.person_id, p.display_name from auth.keys k join people.people p using (person_id)
        where k.account_id = $1 and k.key_id = any ($2::uuid[]) and k.kind <> 'api'`,
    },
    [accountId, keyIds],
  )
  return new Map(rows.map((row) => [row.key_id, { personId: row.person_id, displayName: row.display_name }]))
}

/** How a key of an account is called. */
export interface KeyName {
  name: string
  isManagement: boolean
}

/** The names of API keys and management keys of the account, by their ids. The keys by which sessions pay have none and are left out. */
export async function keyNames(
  db: Db,
  accountId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeyName>> {
  if (keyIds.length === 0) return new Map()
  const rows = await db.query<{ key_id: string; name: string; is_management: boolean }>(
    {
      name: 'people.key_names',
      text: `select key_id, name, false as is_management from auth.keys where account_id = $1 and key_id = any($2::uuid[]) and kind = 'api'
        union all select key_id, name, true from auth.management_keys where account_id = $1 and key_id = any($2::uuid[])`,
    },
    [accountId, keyIds],
  )
  return new Map(rows.map((row) => [row.key_id, { name: row.name, isManagement: row.is_management }]))
}
