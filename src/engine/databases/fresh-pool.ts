import pg from 'pg'

type Callback = Parameters<pg.Pool['connect']>[0]

/**
 * Connections on which code of an app may have run, a trigger say: before each is used again, all that such code can leave in a session is
 * undone. A search path would give our operators another meaning, a prepared statement ours another text. Statements on them have no name.
 */
export class FreshPool extends pg.Pool {
  readonly #used = new WeakSet<pg.PoolClient>()

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connecting = super.connect().then((client) => this.#freshen(client))
    if (!callback) return connecting
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    )
    return undefined
  }

  async #freshen(client: pg.PoolClient): Promise<pg.PoolClient> {
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
