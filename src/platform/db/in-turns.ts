/** A database for callers who must not take all of its connections. */
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Db, Tables } from './db.ts'
import { runTransaction } from './transaction.ts'

/** Runs work when its turn comes. */
export type TurnRunner = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Wraps the database: each connection is requested in a turn, which lasts until the connection is released. Listening is passed on as it is. */
export function dbInTurns(db: Db, turn: TurnRunner): Db {
  const connect = (): Promise<PostgresPoolClient> =>
    new Promise((resolve, reject) => {
      turn(async () => {
        const client = await db.pool.connect()
        const { promise: released, resolve: end } = Promise.withResolvers<void>()
        resolve({
          query: client.query.bind(client) as PostgresPoolClient['query'],
          release(...broken: Parameters<typeof client.release>) {
            client.release(...broken)
            end()
          },
        })
        await released
      }).catch(reject)
    })
  const pool = { connect, end: async () => undefined, options: {} }
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    ...db,
    kysely,
    tx: (fn) => runTransaction(kysely, fn),
    query: (statement, values) => turn(() => db.query(statement, values)),
    // Its owner closes the database.
    async [Symbol.asyncDispose]() {},
  }
}
