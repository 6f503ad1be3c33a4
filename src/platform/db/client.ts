import pg from 'pg'
import { clientConfig, type SocketAddress } from './address.ts'

/** SQLSTATE of class 08, which callers treat as a database that is away. */
const elsewhereCode = '08001'
const answerMs = 5_000

type Callback = (error: Error | null) => void

/**
 * The class of clients of an address, for a pool or for single use. With a socket address, each connection reads the folder anew and checks once
 * which server answers: the folder may meanwhile belong to another PostgreSQL, such as that of a copied data folder, and what is written there is
 * lost to us.
 */
export function clientOf(url: string | SocketAddress): typeof pg.Client {
  if (typeof url === 'string') return pg.Client
  const address = url
  return class SocketClient extends pg.Client {
    readonly #clusterName = address.clusterName

    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, ...clientConfig(address), ...timeoutOf(config) })
    }

    override connect(): Promise<this>
    override connect(callback: Callback): void
    override connect(callback?: Callback): unknown {
      const connected = this.#connect()
      if (!callback) return connected
      connected.then(
        () => callback(null),
        (error: Error) => callback(error),
      )
      return undefined
    }

    async #connect(): Promise<this> {
      await super.connect()
      if (this.#clusterName === undefined) return this
      const question = { text: 'show cluster_name', query_timeout: answerMs }
      const { rows } = await this.query<{ cluster_name: string }>(question)
      if (rows[0]?.cluster_name === this.#clusterName) return this
      await this.end().catch(() => undefined)
      throw new ElsewhereError()
    }
  }
}

const timeoutOf = ({ connectionTimeoutMillis }: pg.ClientConfig): pg.ClientConfig =>
  connectionTimeoutMillis === undefined ? {} : { connectionTimeoutMillis }

/** The error when the address leads to the PostgreSQL of another data folder. */
export class ElsewhereError extends Error {
  override name = 'ElsewhereError'
  readonly code = elsewhereCode

  constructor() {
    super('The PostgreSQL at this address is that of another data folder.')
  }
}
