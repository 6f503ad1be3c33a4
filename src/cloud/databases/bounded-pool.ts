import pg from 'pg'
import { Failure } from '#platform/errors'
import './phrases.ts'

type Callback = Parameters<pg.Pool['connect']>[0]

/** The Retry-After of DATABASE_BUSY; a connection may be free by then. */
const busyMs = 1_000
const tooManyConnections = '53300'
const invalidPassword = '28P01'

export interface BoundedPoolConfig extends pg.PoolConfig {
  /** Called when the server rejects our password: code of an app can change the password of its role. */
  onPasswordRejected?: (() => void) | undefined
}

/** The connections to one database. A caller that finds none free in time gets DATABASE_BUSY. */
export class BoundedPool extends pg.Pool {
  readonly #onPasswordRejected: BoundedPoolConfig['onPasswordRejected']

  constructor({ onPasswordRejected, ...config }: BoundedPoolConfig) {
    super(config)
    this.#onPasswordRejected = onPasswordRejected
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connecting = super
      .connect()
      .catch((error: unknown) => this.#refuse(error))
      .then((client) => this.prepare(client))
    if (!callback) return connecting
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    )
    return undefined
  }

  /** Called before each use of a connection. */
  protected async prepare(client: pg.PoolClient): Promise<pg.PoolClient> {
    return client
  }

  /**
   * Throws DATABASE_BUSY where all connections of this process or of the server are taken, or where they are being opened anew with the right
   * password.
   */
  #refuse(error: unknown): never {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === invalidPassword) this.#onPasswordRejected?.()
    const isTaken =
      code === tooManyConnections ||
      (error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect'))
    if (isTaken || (code === invalidPassword && this.#onPasswordRejected))
      throw new Failure('DATABASE_BUSY', {}, { retryAfterMs: busyMs, cause: error })
    throw error
  }
}
