/** Tables, columns, keys, policies, functions and sizes of the database of a cloud, as far as they fit into an answer. */
import { databaseReport, type OpenDatabase } from '#cloud/databases'
import { Failure } from '#platform/errors'
import { withSession } from './session.ts'
import { functionsText, sizeText, tablesText } from './store.ts'
import { throwSqlFailure } from './translate.ts'

export interface Description {
  /** Arrays, as JSON. */
  tablesText: string
  functionsText: string
  /** The size of the whole database on the disk. */
  bytes: number
  /** True where there are more tables or functions. */
  truncated: boolean
}

const timeoutMs = 10_000
const lockTimeoutMs = 2_000
const limits = { tables: { rows: 1_000, bytes: 750_000 }, functions: { rows: 1_000, bytes: 200_000 } }
/** Nothing of the app is called: names are looked up among PostgreSQL's own. */
const begin = `begin read only; set local search_path = pg_catalog; set local statement_timeout = ${timeoutMs}; set local lock_timeout = ${lockTimeoutMs}`
const lockNotAvailable = '55P03'

/** Describes the database of a cloud. Throws SQL_BUSY where a table is locked for long, and SQL_TIMEOUT. */
export async function describe(open: OpenDatabase): Promise<Description> {
  const tables = await list(open, tablesText, limits.tables)
  const functions = await list(open, functionsText, limits.functions)
  const { rows } = await open.pool('watcher').query<{ bytes: string }>(sizeText)
  return {
    tablesText: tables.text,
    functionsText: functions.text,
    bytes: Number(rows[0]!.bytes),
    truncated: tables.truncated || functions.truncated,
  }
}

const list = (
  open: OpenDatabase,
  text: string,
  bounds: { rows: number; bytes: number },
): Promise<{ text: string; truncated: boolean }> =>
  withSession(open, 'app_reader', timeoutMs, async (session) => {
    try {
      await session.runInternal(begin)
      const { rows, truncated } = await session.run(text, { ...bounds, stops: true })
      return { text: `[${rows.map(([json]) => json).join(',')}]`, truncated }
    } catch (error) {
      if (databaseReport(error)?.sqlState === lockNotAvailable)
        throw new Failure('SQL_BUSY', {}, { retryAfterMs: 2_000, cause: error })
      if (session.timedOut || !databaseReport(error))
        throwSqlFailure(error, { session, query: '', start: 0, timeoutMs, rolledBack: true })
      throw error
    }
  })
