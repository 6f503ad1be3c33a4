import type pg from 'pg'

/** A custom query as the driver takes it: it sends itself, and receives what the server answers. */
export interface DriverQuery {
  submit(connection: pg.Connection): void
  handleRowDescription(): void
  handleDataRow(row: { fields: (string | null)[] }): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

/**
 * Statements without values. They may be sent in the same write as the query before them, and are a transaction of their own whether or not that
 * query failed.
 */
export class Script implements DriverQuery {
  readonly #text: string
  readonly #ended = Promise.withResolvers<void>()
  #isSent = false

  constructor(text: string) {
    this.#text = text
  }

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  send(connection: pg.Connection): void {
    this.#isSent = true
    connection.query(this.#text)
  }

  /** The driver calls it when the query before it has ended. */
  submit(connection: pg.Connection): void {
    if (!this.#isSent) this.send(connection)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#ended.resolve()
  }

  handleError(error: Error): void {
    this.#ended.reject(error)
  }
}
