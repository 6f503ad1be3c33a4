import pg from 'pg'
import { Failure } from '#platform/errors'
import './phrases.ts'

type Callback = Parameters<pg.Pool['connect']>[0]

/** After which a connection may be free. */
const busyMs = 1_000
const tooManyConnections = '53300'
const invalidPassword = '28P01'

export interface BoundedPoolConfig extends pg.PoolConfig {
  /** Called where the server does not take our password: code of an app can give its role another one. */
  lockedOut?: (() => void) | undefined
}

/** Connections of one database. Whoever finds none free in time is refused with DATABASE_BUSY. */
export class BoundedPool extends pg.Pool {
  readonly #lockedOut: BoundedPoolConfig['lockedOut']

  constructor({ lockedOut, ...config }: BoundedPoolConfig) {
    super(config)
    this.#lockedOut = lockedOut
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

  /** Before each use. */
  protected async prepare(client: pg.PoolClient): Promise<pg.PoolClient> {
    return client
  }

  /** All of this process are taken, or all that the server has, by other processes; or they are opened anew with the right password. */
  #refuse(error: unknown): never {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === invalidPassword) this.#lockedOut?.()
    const isTaken =
      code === tooManyConnections ||
      (error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect'))
    if (isTaken || (code === invalidPassword && this.#lockedOut))
      throw new Failure('DATABASE_BUSY', {}, { retryAfterMs: busyMs, cause: error })
    throw error
  }
}
