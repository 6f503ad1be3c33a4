import pg from 'pg'
import { Failure } from '#platform/errors'
import './phrases.ts'

type Callback = Parameters<pg.Pool['connect']>[0]

/** After which a connection may be free. */
const busyMs = 1_000

/** Connections of one database. Whoever finds none free in time is refused with DATABASE_BUSY. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connecting = super
      .connect()
      .catch(refuseBusy)
      .then((client) => this.prepare(client))
    if (!callback) return connecting
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    )
    return undefined
  }

  /** Before each use. */
  protected async prepare(client: pg.PoolClient): Promise<pg.PoolClient> {
    return client
  }
}

/** All of this process are taken, or all that the server has, by other processes. */
function refuseBusy(error: unknown): never {
  const isTaken =
    error instanceof Error &&
    (error.message.startsWith('timeout exceeded when trying to connect') ||
      ('code' in error && error.code === '53300'))
  if (isTaken) throw new Failure('DATABASE_BUSY', {}, { retryAfterMs: busyMs, cause: error })
  throw error
}
