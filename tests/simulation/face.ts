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

/** What is sent within one transaction. */
export interface SentTransaction {
  carryOut: CarryOut
  commit(): Promise<void>
  rollBack(): Promise<void>
}

/** For statements that are carried out one by one, whether or not in a transaction. */
const apart = (carryOut: CarryOut) => (): SentTransaction => ({
  carryOut,
  commit: async () => {},
  rollBack: async () => {},
})

/** Only what the rooms under test use; the rest is missing, and says so by failing. */
export function databaseFace(carryOut: CarryOut, begin: () => SentTransaction = apart(carryOut)): Db {
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOf(carryOut, begin),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const face: Pick<Db, 'kysely' | 'query' | 'tx' | 'listen'> = {
    kysely,
    query: async <Answer>(statement: Statement, values: readonly unknown[]) =>
      (await carryOut(statement.name ?? statement.text, statement.text, values)) as Answer[],
    // Nobody is notified of anything: what is waited for is found by looking.
    listen: () => ({ [Symbol.asyncDispose]: async () => {} }),
    tx: (run) => kysely.transaction().setIsolationLevel('read committed').execute(run),
  }
  return face as Db
}

class SimulatedConnection implements DatabaseConnection {
  readonly #carryOut: CarryOut
  transaction: SentTransaction | undefined

  constructor(carryOut: CarryOut) {
    this.#carryOut = carryOut
  }

  async executeQuery<Answer>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
    const carryOut = this.transaction?.carryOut ?? this.#carryOut
    const rows = await carryOut(sql, sql, parameters)
    return { rows: rows as Answer[], numAffectedRows: BigInt(rows.length) }
  }

  streamQuery(): never {
    throw new Error('not simulated')
  }
}

function driverOf(carryOut: CarryOut, begin: () => SentTransaction): Driver {
  const nothing = async (): Promise<void> => {}
  return {
    init: nothing,
    acquireConnection: async () => new SimulatedConnection(carryOut),
    beginTransaction: async (connection) => {
      ;(connection as SimulatedConnection).transaction = begin()
    },
    commitTransaction: (connection) => (connection as SimulatedConnection).transaction!.commit(),
    rollbackTransaction: (connection) => (connection as SimulatedConnection).transaction!.rollBack(),
    releaseConnection: nothing,
    destroy: nothing,
  }
}
