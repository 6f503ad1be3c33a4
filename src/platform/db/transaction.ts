import type { Kysely } from 'kysely'
import type { Tables, Tx } from './db.ts'

/** Runs `fn` in a transaction. The error that ended `fn` is the one thrown, even if the connection is too broken to roll back. */
export async function runTransaction<T>(kysely: Kysely<Tables>, fn: (tx: Tx) => Promise<T>): Promise<T> {
  let first: { error: unknown } | undefined
  try {
    return await kysely
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        try {
          return await fn(tx)
        } catch (error) {
          first = { error }
          throw error
        }
      })
  } catch (error) {
    throw first === undefined ? error : first.error
  }
}
