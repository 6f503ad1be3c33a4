/** A connection for the SQL of a developer: bounded in time and in what it sends, and never used again. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import type pg from 'pg'
import { type DatabaseRole, type OpenDatabase, ReceiveLimiter } from '#cloud/databases'
import { type RowLimits, SqlStatement, type StatementResult } from './statement.ts'

/** A cancelled statement that goes on after this time is ended with its connection. */
const cancelMs = 1_000
const almostMs = 100

export class SqlSession {
  /** True once the time is over and the statement was cancelled. */
  timedOut = false
  readonly #client: pg.PoolClient
  readonly #socket: Socket
  readonly #watcher: pg.Pool
  readonly #pid: number
  readonly #lateAtMs: number
  #timer: NodeJS.Timeout
  readonly #received: ReceiveLimiter

  constructor(client: pg.PoolClient, watcher: pg.Pool, timeoutMs: number) {
    this.#client = client
    this.#watcher = watcher
    const { connection, processID } = client as unknown as {
      connection: { stream: Socket }
      processID: number
    }
    this.#socket = connection.stream
    this.#pid = processID
    this.#received = new ReceiveLimiter(client)
    // Such an error fails the statement, too.
    client.on('error', () => undefined)
    this.#lateAtMs = performance.now() + timeoutMs - almostMs
    this.#timer = setTimeout(() => this.#cancel(), timeoutMs)
  }

  /** True where more was sent than is allowed, and the connection was ended. */
  get hasOverflowed(): boolean {
    return this.#received.hasOverflowed
  }

  /** True where the time is over, or will be in a moment. */
  get isLate(): boolean {
    return performance.now() >= this.#lateAtMs
  }

  /** Runs statements of ours: a fixed text. */
  runInternal(text: string): Promise<pg.QueryResult> {
    return this.#client.query(text)
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#client.query<Row>(text, values).then(({ rows }) => rows)
  }

  /** Runs a statement of the developer. */
  run(text: string, wanted: RowLimits): Promise<StatementResult> {
    return new SqlStatement(text, wanted).run(this.#client)
  }

  /** Throws where the transaction has ended: only an open one can be undone. */
  requireOpenTransaction(): void {
    const { _txStatus: status } = this.#client as unknown as { _txStatus: string | null }
    assert(status === 'T', 'a statement of a script has ended its transaction')
  }

  /** Releases locks of the session at the end of a transaction, before the request is answered and not when the server finds the session gone. */
  async forget(): Promise<void> {
    await this.runInternal('discard all').catch(() => undefined)
  }

  /** Closes the connection. A statement that has not ended is cancelled by the server, which sees that nobody listens. */
  end(): void {
    clearTimeout(this.#timer)
    this.#socket.destroy()
    this.#client.release(true)
  }

  /** Cancels the statement as the role that sees sessions: a statement can set back a timeout of its own session. */
  #cancel(): void {
    this.timedOut = true
    const signal = (name: 'pg_cancel_backend' | 'pg_terminate_backend') =>
      this.#watcher.query(`select pg_catalog.${name}($1)`, [this.#pid]).catch(() => undefined)
    void signal('pg_cancel_backend')
    this.#timer = setTimeout(() => {
      void signal('pg_terminate_backend')
      this.#socket.destroy()
    }, cancelMs)
  }
}

/** Runs `work` in a session of its own. Throws DATABASE_BUSY where no connection is free. */
export async function withSession<Result>(
  open: OpenDatabase,
  role: DatabaseRole,
  timeoutMs: number,
  work: (session: SqlSession) => Promise<Result>,
): Promise<Result> {
  const client = await open.pool(role).connect()
  const session = new SqlSession(client, open.pool('watcher'), timeoutMs)
  try {
    return await work(session)
  } finally {
    session.end()
  }
}
