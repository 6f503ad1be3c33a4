/** The platform's face of a database (`#platform/db`) over a function that carries out statements. */
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Db, Statement, Tables } from '#platform/db'

export type Row = Record<string, unknown>
export type CarryOut = (name: string, text: string, values: readonly unknown[]) => Promise<Row[]>

/** Only what the rooms under test use; the rest is missing, and says so by failing. */
export function databaseFace(carryOut: CarryOut): Db {
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOf(carryOut),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const face: Pick<Db, 'kysely' | 'query' | 'tx'> = {
    kysely,
    query: async <Answer>(statement: Statement, values: readonly unknown[]) =>
      (await carryOut(statement.name ?? statement.text, statement.text, values)) as Answer[],
    tx: (run) => kysely.transaction().setIsolationLevel('read committed').execute(run),
  }
  return face as Db
}

/**
 * A transaction of the platform's administration writes with one statement, which is carried out at once: that its connection
 * may break before or after it leaves the same two ends as a transaction whose COMMIT reply may be lost.
 */
function driverOf(carryOut: CarryOut): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async <Answer>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
      const rows = await carryOut(sql, sql, parameters)
      return { rows: rows as Answer[], numAffectedRows: BigInt(rows.length) }
    },
    streamQuery: () => {
      throw new Error('not simulated')
    },
  }
  const nothing = async (): Promise<void> => {}
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  }
}
