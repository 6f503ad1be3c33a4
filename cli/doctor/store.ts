import type { Db } from '#platform/db'

const one = async <Row>(db: Db, text: string): Promise<Row> => {
  const [row] = await db.query<Row>({ text }, [])
  if (row === undefined) throw new Error(`no row: ${text}`)
  return row
}

export const serverVersion = async (db: Db): Promise<string> =>
  (await one<{ server_version: string }>(db, 'show server_version')).server_version

/** Settings without which a commit may be lost, where they are off. */
export const undurable = (db: Db): Promise<{ name: string }[]> =>
  db.query(
    {
      text: `select name from pg_settings
        where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off' order by name`,
    },
    [],
  )

/** Unix time of the database, in milliseconds. */
export const databaseNowMs = async (db: Db): Promise<number> =>
  (await one<{ now: Date }>(db, 'select clock_timestamp() as now')).now.getTime()
