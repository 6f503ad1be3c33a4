/** The last lines that functions have written. */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Db } from '#platform/db'
import type { Mappings } from '../compile/source-map.ts'
import type { LogLine } from '../functions.ts'

/** How many lines of each function are kept. */
const keptLines = 1_000

export const levels = ['debug', 'info', 'warn', 'error'] as const

export interface StoredLine {
  line_id: bigint
  level: LogLine['level']
  message: string
  request_id: string | null
  at: Date
}

/**
 * Stores lines of functions that exist, and deletes all but the last of each function. Batches of one cloud are written one after another, so that
 * whoever has read up to a line has missed none before it.
 */
export async function insertLines(
  db: Db,
  { accountId, cloudId }: CloudKey,
  lines: readonly LogLine[],
): Promise<void> {
  const names = [...new Set(lines.map(({ name }) => name))]
  await db.tx(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('functions.logs'), hashtext(${cloudId}))`.execute(tx)
    await sql`insert into functions.logs (account_id, cloud_id, name, level, message, request_id, at)
      select ${accountId}, ${cloudId}, l.name, l.level, l.message, l.request_id, l.at
      from unnest(${lines.map(({ name }) => name)}::text[], ${lines.map(({ level }) => level)}::text[],
        ${lines.map(({ message }) => message)}::text[], ${lines.map(({ requestId }) => requestId)}::uuid[],
        ${lines.map(({ at }) => at)}::timestamptz[]) with ordinality as l (name, level, message, request_id, at, nth)
      where exists (select from functions.functions f
        where f.account_id = ${accountId} and f.cloud_id = ${cloudId} and f.name = l.name for key share)
      order by l.nth`.execute(tx)
    await sql`delete from functions.logs l using (
        select n.name, (select o.line_id from functions.logs o
          where o.account_id = ${accountId} and o.cloud_id = ${cloudId} and o.name = n.name
          order by o.line_id desc offset ${keptLines} limit 1) as last from unnest(${names}::text[]) as n (name)) as old
      where l.account_id = ${accountId} and l.cloud_id = ${cloudId} and l.name = old.name and l.line_id <= old.last`.execute(
      tx,
    )
  })
}

export interface LineFilter {
  /** The least level. */
  level?: LogLine['level'] | undefined
  since?: Date | undefined
  after?: bigint | undefined
  limit: number
}

/** The newest lines that match, oldest first; with `after`, the first ones beyond that line. */
export async function readLines(
  db: Db,
  { accountId, cloudId, name }: CloudKey & { name: string },
  { level = 'debug', since, after, limit }: LineFilter,
): Promise<StoredLine[]> {
  const wanted = levels.slice(levels.indexOf(level))
  const rows = await db.query<StoredLine>(
    {
      text: `select line_id, level, message, request_id, at from functions.logs
        where account_id = $1 and cloud_id = $2 and name = $3 and level = any($4)
          and ($5::timestamptz is null or at >= $5) and ($6::bigint is null or line_id > $6)
        order by line_id ${after === undefined ? 'desc' : 'asc'} limit $7`,
    },
    [accountId, cloudId, name, wanted, since ?? null, after ?? null, limit],
  )
  return after === undefined ? rows.reverse() : rows
}

/** The mappings of the live versions of these functions, by name. */
export async function liveMappings(
  db: Db,
  { accountId, cloudId }: CloudKey,
  names: readonly string[],
): Promise<Map<string, Mappings>> {
  const rows = await db.query<{ name: string; mappings: Mappings }>(
    {
      text: `select v.name, v.mappings from functions.functions f join functions.versions v
        on v.account_id = f.account_id and v.cloud_id = f.cloud_id and v.name = f.name and v.version = f.version
        where f.account_id = $1 and f.cloud_id = $2 and f.name = any($3)`,
    },
    [accountId, cloudId, names],
  )
  return new Map(rows.map(({ name, mappings }) => [name, mappings]))
}
