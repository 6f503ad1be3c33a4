/** Statements that go to the server together and are one transaction there: what fails undoes all of them, and nothing stays open. */
import type pg from 'pg'
import { type Script, type Statement, type Submitted, statementError } from '#cloud/databases'

/** What the server answered: of each statement its rows, of each row its columns as text. */
export type Answers = readonly (readonly (readonly (string | null)[])[])[]

/** More of them on one connection would only take memory. */
const maxPrepared = 64
/** A statement this long is seldom sent twice. */
const maxPreparedLength = 8_192

/** Statements that one connection has planned. Their texts hold nothing of the values, so they repeat. */
export class Prepared {
  #names = new Map<string, string>()
  #given = 0
  #toClose: string[] = []

  /** The name of a text, and whether it was parsed before. Undefined where it is not kept. */
  take(key: string): { name: string; isNew: boolean } | undefined {
    if (key.length > maxPreparedLength) return undefined
    const known = this.#names.get(key)
    if (known !== undefined) {
      // The last in order are those that were used last.
      this.#names.delete(key)
      this.#names.set(key, known)
      return { name: known, isNew: false }
    }
    if (this.#names.size >= maxPrepared) this.forget(this.#names.keys().next().value!)
    const name = `kherad_${++this.#given}`
    this.#names.set(key, name)
    return { name, isNew: true }
  }

  /** Whether or not the server knows it, it is closed there with what is sent next. */
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

export class Batch implements Submitted {
  readonly #statements: readonly Statement[]
  readonly #prepared: Prepared
  readonly #keys: string[] = []
  /** Whether the server had not parsed it before. */
  readonly #isNew: boolean[] = []
  readonly #rows: (string | null)[][][]
  readonly #ended = Promise.withResolvers<Answers>()
  #place = 0

  readonly #behind: Script | undefined
  readonly #unnamed: number

  /**
   * `scope`: plans are kept for each apart. PostgreSQL plans anew where the role is another one. `behind` is sent along, and has to be given to the
   * driver next. The first `unnamed` ones are sent with their texts each time: what has a name can be replaced by code of the app.
   */
  constructor(
    statements: readonly Statement[],
    {
      prepared,
      scope,
      behind,
      unnamed,
    }: { prepared: Prepared; scope: string; behind: Script | undefined; unnamed: number },
  ) {
    this.#behind = behind
    this.#unnamed = unnamed
    this.#statements = statements
    this.#prepared = prepared
    this.#rows = statements.map(() => [])
    for (const { text } of statements) this.#keys.push(`${scope} ${text}`)
  }

  /** Rejects with StatementFailed, and with what the driver throws where the connection is lost. */
  get ended(): Promise<Answers> {
    return this.#ended.promise
  }

  /** How many statements were complete; of those that fail, the place of the first. */
  get place(): number {
    return this.#place
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const [place, { text, values }] of this.#statements.entries()) {
      const named = place < this.#unnamed ? undefined : this.#prepared.take(this.#keys[place]!)
      const { name, isNew } = named ?? { name: '', isNew: true }
      this.#isNew.push(isNew)
      if (isNew) connection.parse({ name, text, types: [] }, true)
      // An empty text is what the driver takes for text.
      connection.bind({ portal: '', statement: name, binary: '', values: values.map(asText) }, true)
      connection.execute({ portal: '', rows: '0' }, true)
    }
    for (const name of this.#prepared.takeClosed()) connection.close({ type: 'S', name }, true)
    connection.sync()
    this.#behind?.send(connection)
    connection.stream.uncork()
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows[this.#place]!.push(fields)
  }

  handleCommandComplete(): void {
    this.#place++
  }

  handleReadyForQuery(): void {
    this.#ended.resolve(this.#rows)
  }

  /** Those behind the one that failed were not read by the server. */
  handleError(error: Error): void {
    for (const [place, key] of this.#keys.entries())
      if (place >= this.#place && this.#isNew[place]) this.#prepared.forget(key)
    this.#ended.reject(statementError(error))
  }
}

/** Values leave as text, which PostgreSQL reads as the type that stands beside them. */
const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value)
