import type pg from 'pg'
import { BoundedPool } from './bounded-pool.ts'

/**
 * Connections on which code of an app, such as a trigger, may have run: before each is used again, all that such code can leave in a session is
 * undone. A search path would change the meaning of our operators, a prepared statement the text of ours. Statements on these connections have no
 * name.
 */
export class FreshPool extends BoundedPool {
  readonly #used = new WeakSet<pg.PoolClient>()

  protected override async prepare(client: pg.PoolClient): Promise<pg.PoolClient> {
    if (!this.#used.has(client)) {
      this.#used.add(client)
      return client
    }
    try {
      await client.query('discard all')
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}
