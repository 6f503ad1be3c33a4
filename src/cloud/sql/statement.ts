/**
 * Runs one statement over the extended protocol: PostgreSQL refuses a text that holds several, and is asked for a limited number of rows at a time,
 * so that it never sends more than is wanted.
 */
import type pg from 'pg'

export interface Field {
  name: string
  typeId: number
  typeModifier: number
}

export type TextRow = readonly (string | null)[]

export interface RowLimits {
  rows: number
  bytes: number
  /** True ends the statement once it has sent these; false runs it to its end, since it may write, and drops the rest. */
  stops: boolean
}

export interface StatementResult {
  fields: Field[]
  rows: TextRow[]
  /** The command, such as `SELECT` or `CREATE TABLE`; undefined where the statement was ended early. */
  command: string | undefined
  /** Rows that were answered or changed, as PostgreSQL counts them. */
  count: number | undefined
  /** True where there were more rows, or more bytes. */
  truncated: boolean
}

/** The part of a connection that a statement writes to; types of pg do not show it. */
interface Wire {
  parse(options: { text: string; name: string; types: number[] }): void
  bind(options: { portal: string; statement: string; values: unknown[] }): void
  describe(options: { type: 'P'; name: string }): void
  execute(options: { portal: string; rows: number }): void
  flush(): void
  sync(): void
  sendCopyFail(message: string): void
  stream: { cork(): void; uncork(): void }
}

/** What pg calls on the active query of a client. */
export interface Submittable {
  callback?: (error: Error | null) => void
  submit(connection: Wire): Error | null
}

/** The most rows that are requested in one portion. */
const portion = 1_000

export class SqlStatement implements Submittable {
  callback: (error: Error | null) => void = () => undefined
  readonly #text: string
  readonly #wanted: RowLimits
  readonly #outcome: StatementResult = {
    fields: [],
    rows: [],
    command: undefined,
    count: undefined,
    truncated: false,
  }
  #bytes = 0
  #seen = 0

  constructor(text: string, wanted: RowLimits) {
    this.#text = text
    this.#wanted = wanted
  }

  /** Runs the statement. Rejects with what PostgreSQL says, and where the connection is lost. */
  run(client: pg.ClientBase): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.callback = (error) => (error ? reject(error) : resolve(this.#outcome))
      client.query(this as unknown as pg.Submittable)
    })
  }

  submit(wire: Wire): null {
    wire.stream.cork()
    wire.parse({ text: this.#text, name: '', types: [] })
    wire.bind({ portal: '', statement: '', values: [] })
    wire.describe({ type: 'P', name: '' })
    this.#fetch(wire)
    wire.stream.uncork()
    return null
  }

  #fetch(wire: Wire): void {
    const { rows, stops } = this.#wanted
    // One row more shows that there are more.
    wire.execute({ portal: '', rows: stops ? rows + 1 : portion })
    wire.flush()
  }

  handleRowDescription({
    fields,
  }: {
    fields: { name: string; dataTypeID: number; dataTypeModifier: number }[]
  }): void {
    this.#outcome.fields = fields.map(({ name, dataTypeID: typeId, dataTypeModifier: typeModifier }) => ({
      name,
      typeId,
      typeModifier,
    }))
  }

  handleDataRow({ fields, length }: { fields: (string | null)[]; length: number }): void {
    this.#seen++
    if (this.#outcome.truncated) return
    this.#bytes += length
    if (this.#outcome.rows.length === this.#wanted.rows || this.#bytes > this.#wanted.bytes) {
      this.#outcome.truncated = true
      // The rest of what is on its way need not be waited for: the connection is not used again.
      if (this.#wanted.stops) this.callback(null)
    } else this.#outcome.rows.push(fields)
  }

  handlePortalSuspended(wire: Wire): void {
    if (this.#wanted.stops) wire.sync()
    else this.#fetch(wire)
  }

  handleCommandComplete({ text }: { text: string }, wire: Wire): void {
    const [, command, count] = /^(.*?)(?: (?:\d+ )?(\d+))?$/.exec(text) ?? []
    this.#outcome.command = command
    // Where rows came in portions, PostgreSQL counts those of the last one.
    this.#outcome.count = count === undefined ? undefined : Math.max(Number(count), this.#seen)
    wire.sync()
  }

  handleEmptyQuery(wire: Wire): void {
    wire.sync()
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('COPY FROM STDIN is not available here')
  }

  /** Drops data of COPY TO STDOUT, which is bounded with all that a connection sends. */
  handleCopyData(): void {}

  handleError(error: Error, wire: Wire): void {
    wire.sync()
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }
}
