import type { Db } from '#platform/db'

/** The keys by which the sessions of a person pay in an account. */
export async function keysOfPerson(db: Db, accountId: string, personId: string): Promise<string[]> {
  const rows = await db.query<{ key_id: string }>(
    { text: `select key_id from auth.keys where account_id = $1 and person_id = $2 and kind <> 'api'` },
    [accountId, personId],
  )
  return rows.map((row) => row.key_id)
}

/** The position of the account's last end; 0 if nothing has ended. */
export async function lastPosition(db: Db, accountId: string): Promise<bigint> {
  const [row] = await db.query<{ position: bigint }>(
    {
      name: 'requests.last_position',
      text: 'select coalesce(max(position), 0) as position from ledger.settlements where account_id = $1 and position > 0',
    },
    [accountId],
  )
  return row!.position
}

/** The names of the projects of these requests, by their ids. */
export async function projectNames(
  db: Db,
  accountId: string,
  rows: readonly { project_id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const found = await db.query<{ id: string; name: string }>(
    {
      text: 'select project_id as id, name from auth.projects where account_id = $1 and project_id = any($2::uuid[])',
    },
    [accountId, [...new Set(rows.map((row) => row.project_id))]],
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}
