import type { Db } from '#platform/db'

export interface Applied {
  number: number
  name: string
  sha256: string
}

const one = async <Row>(db: Db, text: string): Promise<Row> => {
  const [row] = await db.query<Row>({ text }, [])
  if (row === undefined) throw new Error(`no row: ${text}`)
  return row
}

export const serverVersion = async (db: Db): Promise<string> =>
  (await one<{ server_version: string }>(db, 'show server_version')).server_version

/** What was ever applied, in order; empty before the first start. */
export async function applied(db: Db): Promise<Applied[]> {
  const { here } = await one<{ here: boolean }>(
    db,
    `select to_regclass('platform.migrations') is not null as here`,
  )
  return here
    ? db.query({ text: 'select number, name, sha256 from platform.migrations order by number' }, [])
    : []
}

/** Every contradiction of the books; none on a healthy ledger. Undefined when there are no books yet. */
export async function contradictions(
  db: Db,
): Promise<{ invariant: string; account_id: string }[] | undefined> {
  const { here } = await one<{ here: boolean }>(db, `select to_regclass('ledger.broken') is not null as here`)
  return here
    ? db.query({ text: 'select invariant, account_id from ledger.broken limit 1000' }, [])
    : undefined
}

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
