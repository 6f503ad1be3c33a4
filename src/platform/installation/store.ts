import type { Db } from '#platform/db'
import type { CopyOrigin } from './record.ts'
import type { DatabasePlace } from './settle.ts'

export interface Installation {
  id: string
  place: DatabasePlace
  copy: CopyOrigin | undefined
}

interface InstallationRow {
  id: string
  place: DatabasePlace
  copy: CopyOrigin | null
}

const asInstallation = ({ copy, ...row }: InstallationRow): Installation => ({
  ...row,
  copy: copy ?? undefined,
})

export async function readInstallation(db: Db): Promise<Installation | undefined> {
  const rows = await db.query<InstallationRow>(
    { text: 'select id, place, copy from platform.installation' },
    [],
  )
  return rows[0] && asInstallation(rows[0])
}

/** Writes the row if it still has the id that was read. Returns the row as it is now, so that two concurrent processes agree on it. */
export async function writeInstallation(
  db: Db,
  { id, place, copy }: Installation,
  before: string | undefined,
): Promise<Installation> {
  await db.query(
    {
      text: `insert into platform.installation as i (id, place, copy) values ($1, $2, $3)
        on conflict (is_only) do update set id = excluded.id, place = excluded.place, copy = excluded.copy, seen_at = now()
        where i.id = $4`,
    },
    [id, JSON.stringify(place), copy ? JSON.stringify(copy) : null, before ?? null],
  )
  return (await readInstallation(db)) ?? { id, place, copy }
}
