/** A connection for the SQL of a developer: bounded in time and in what it sends, and never used again. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import type pg from 'pg'
import { type DatabaseRole, type OpenDatabase, Received } from '#cloud/databases'
import { type Outcome, type RowsWanted, SqlStatement } from './statement.ts'

/** A statement that was cancelled and goes on is ended with its connection. */
const cancelMs = 1_000
const almostMs = 100

export class SqlSession {
  /** The time is over: it was cancelled. */
  timedOut = false
  readonly #client: pg.PoolClient
  readonly #socket: Socket
  readonly #watcher: pg.Pool
  readonly #pid: number
  readonly #lateAtMs: number
  #timer: NodeJS.Timeout
  readonly #received: Received

  constructor(client: pg.PoolClient, watcher: pg.Pool, timeoutMs: number) {
    this.#client = client
    this.#watcher = watcher
    const { connection, processID } = client as unknown as {
      connection: { stream: Socket }
      processID: number
    }
    this.#socket = connection.stream
    this.#pid = processID
    this.#received = new Received(client)
    // It fails its statement, too.
    client.on('error', () => undefined)
    this.#lateAtMs = performance.now() + timeoutMs - almostMs
    this.#timer = setTimeout(() => this.#cancel(), timeoutMs)
  }

  /** More was sent than is allowed: it was ended. */
  get overflowed(): boolean {
    return this.#received.overflowed
  }

  /** The time is over, or will be in a moment. */
  get isLate(): boolean {
    return performance.now() >= this.#lateAtMs
  }

  /** Statements of ours: a fixed text. */
  own(text: string): Promise<pg.QueryResult> {
    return this.#client.query(text)
  }

  ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#client.query<Row>(text, values).then(({ rows }) => rows)
  }

  /** A statement of the developer's. */
  run(text: string, wanted: RowsWanted): Promise<Outcome> {
    return new SqlStatement(text, wanted).run(this.#client)
  }

  /** Only a transaction that is still open can be undone. */
  requireOpenTransaction(): void {
    const { _txStatus: status } = this.#client as unknown as { _txStatus: string | null }
    assert(status === 'T', 'a statement of a script has ended its transaction')
  }

  /** At the end of a transaction: locks of the session are released before it is answered, not when its server finds it gone. */
  async forget(): Promise<void> {
    await this.own('discard all').catch(() => undefined)
  }

  /** A statement that has not ended is cancelled by its server, which sees that nobody listens. */
  end(): void {
    clearTimeout(this.#timer)
    this.#socket.destroy()
    this.#client.release(true)
  }

  /** As the role that sees sessions: a timeout of the session itself can be set back by the statement. */
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

/** Throws DATABASE_BUSY where no connection is free. */
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
