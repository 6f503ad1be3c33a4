/** Statements that go to the server together and are one transaction there: a failure undoes all of them, and no transaction stays open. */
import type pg from 'pg'
import { type BoundStatement, type DriverQuery, type Script, statementError } from '#cloud/databases'

/** What the server answered: the rows of each statement, and the columns of each row as text. */
export type BatchAnswers = readonly (readonly (readonly (string | null)[])[])[]

/** The most prepared statements of one connection; more would only take memory. */
const maxPrepared = 64
/** The longest text that is prepared: a longer statement is seldom sent twice. */
const maxPreparedLength = 8_192

/** The statements that one connection has prepared. Their texts contain none of the values, so they repeat. */
export class PreparedStatements {
  #names = new Map<string, string>()
  #given = 0
  #toClose: string[] = []

  /** The name of a statement, and whether the server has yet to parse it; undefined where the statement is not kept. */
  take(key: string): { name: string; isNew: boolean } | undefined {
    if (key.length > maxPreparedLength) return undefined
    const known = this.#names.get(key)
    if (known !== undefined) {
      // The last in order are the statements that were used last.
      this.#names.delete(key)
      this.#names.set(key, known)
      return { name: known, isNew: false }
    }
    if (this.#names.size >= maxPrepared) this.forget(this.#names.keys().next().value!)
    const name = `kherad_${++this.#given}`
    this.#names.set(key, name)
    return { name, isNew: true }
  }

  /** Forgets a statement; it is closed at the server with what is sent next, whether or not the server knows it. */
  forget(key: string): void {
    const name = this.#names.get(key)
    if (name === undefined) return
    this.#names.delete(key)
    this.#toClose.push(name)
  }

  forgetAll(): void {
    for (const key of [...this.#names.keys()]) this.forget(key)
  }

  takeClosed(): string[] {
    return this.#toClose.splice(0)
  }
}

export class StatementBatch implements DriverQuery {
  readonly #statements: readonly BoundStatement[]
  readonly #prepared: PreparedStatements
  readonly #keys: string[] = []
  /** For each statement, whether the server has not parsed it before. */
  readonly #isNew: boolean[] = []
  readonly #rows: (string | null)[][][]
  readonly #ended = Promise.withResolvers<BatchAnswers>()
  #completedCount = 0

  readonly #cleanupScript: Script | undefined
  readonly #unnamed: number

  /**
   * `scope`: statements are kept for each scope apart, since PostgreSQL plans anew where the role is another one. `cleanupScript` is sent along, and has to
   * be given to the driver next. The first `unnamed` statements are sent with their texts each time: code of the app can replace a statement that has
   * a name.
   */
  constructor(
    statements: readonly BoundStatement[],
    {
      prepared,
      scope,
      cleanupScript,
      unnamed,
    }: { prepared: PreparedStatements; scope: string; cleanupScript: Script | undefined; unnamed: number },
  ) {
    this.#cleanupScript = cleanupScript
    this.#unnamed = unnamed
    this.#statements = statements
    this.#prepared = prepared
    this.#rows = statements.map(() => [])
    for (const { text } of statements) this.#keys.push(`${scope} ${text}`)
  }

  /** Resolves with the answers; rejects with StatementFailed, and with what the driver throws where the connection is lost. */
  get ended(): Promise<BatchAnswers> {
    return this.#ended.promise
  }

  /** How many statements are complete; where one fails, its place. */
  get completedCount(): number {
    return this.#completedCount
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const [place, { text, values }] of this.#statements.entries()) {
      const named = place < this.#unnamed ? undefined : this.#prepared.take(this.#keys[place]!)
      const { name, isNew } = named ?? { name: '', isNew: true }
      this.#isNew.push(isNew)
      if (isNew) connection.parse({ name, text, types: [] }, true)
      // The driver takes an empty string for the text format.
      connection.bind({ portal: '', statement: name, binary: '', values: values.map(asText) }, true)
      connection.execute({ portal: '', rows: '0' }, true)
    }
    for (const name of this.#prepared.takeClosed()) connection.close({ type: 'S', name }, true)
    connection.sync()
    this.#cleanupScript?.send(connection)
    connection.stream.uncork()
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows[this.#completedCount]!.push(fields)
  }

  handleCommandComplete(): void {
    this.#completedCount++
  }

  handleReadyForQuery(): void {
    this.#ended.resolve(this.#rows)
  }

  /** Forgets the new statements from the failed one on: the server did not read those behind it. */
  handleError(error: Error): void {
    for (const [place, key] of this.#keys.entries())
      if (place >= this.#completedCount && this.#isNew[place]) this.#prepared.forget(key)
    this.#ended.reject(statementError(error))
  }
}

/** Values leave as text, which PostgreSQL reads as the type that stands beside them. */
const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value)
