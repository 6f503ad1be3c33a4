import type { Db } from '#platform/db'

const queryOne = async <Row>(db: Db, text: string): Promise<Row> => {
  const [row] = await db.query<Row>({ text }, [])
  if (row === undefined) throw new Error(`no row: ${text}`)
  return row
}

export const serverVersion = async (db: Db): Promise<string> =>
  (await queryOne<{ server_version: string }>(db, 'show server_version')).server_version

/** The settings that are off although a commit may be lost without them. */
export const nonDurableSettings = (db: Db): Promise<{ name: string }[]> =>
  db.query(
    {
      text: `select name from pg_settings
        where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off' order by name`,
    },
    [],
  )

/** Unix time of the database, in milliseconds. */
export const databaseNowMs = async (db: Db): Promise<number> =>
  (await queryOne<{ now: Date }>(db, 'select clock_timestamp() as now')).now.getTime()

/** Counts open holds, and those past their time by `graceMs` or of a process without a heartbeat for so long; undefined without a ledger. */
export async function staleHolds(
  db: Db,
  graceMs: number,
): Promise<{ open: bigint; count: bigint } | undefined> {
  const { here } = await queryOne<{ here: boolean }>(
    db,
    `select to_regclass('ledger.holds') is not null as here`,
  )
  if (!here) return undefined
  const [row] = await db.query<{ open: bigint; count: bigint }>(
    {
      text: `select count(*) as open, count(*) filter (where h.expires_at < now() - grace
          or (h.process_id is not null and (p.process_id is null or p.beat_at < now() - grace) and h.created_at < now() - grace)) as count
        from ledger.holds h left join ledger.processes p using (process_id), (select $1 * interval '1 millisecond' as grace) g`,
    },
    [graceMs],
  )
  return row
}
