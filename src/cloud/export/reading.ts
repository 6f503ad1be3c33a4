/**
 * Reads what an export needs of a database beside its rows: all of it together is bounded, however large the app has made its functions and comments.
 */
import type pg from 'pg'
import { databaseReport, ReceiveLimiter } from '#cloud/databases'
import { fail } from '#platform/errors'
import './phrases.ts'

export const maxObjects = 20_000
const mebibyte = 1024 * 1024
const maxMebibytes = 32
/** Rows of a list that are in this process at once. */
const atOnce = 1_000

export class ExportReader {
  readonly client: pg.ClientBase
  #leftBytes = maxMebibytes * mebibyte
  #lists = 0

  constructor(client: pg.ClientBase) {
    this.client = client
  }

  /** Throws EXPORT_TOO_LARGE, and what the database refuses. */
  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    using received = new ReceiveLimiter(this.client, this.#leftBytes)
    try {
      return (await this.client.query<Row>(text, values)).rows
    } catch (error) {
      throw received.hasOverflowed || isTooMuch(error) ? tooLarge(error) : error
    } finally {
      this.#leftBytes -= received.bytes
    }
  }

  /** Yields the rows of a list, read in portions. Throws what `rows` does. */
  async *list<Row extends pg.QueryResultRow>(text: string): AsyncGenerator<Row> {
    const cursor = `list_${++this.#lists}`
    await this.rows(`declare ${cursor} no scroll cursor for ${text}`)
    for (;;) {
      const some = await this.rows<Row>(`fetch ${atOnce} from ${cursor}`)
      yield* some
      if (some.length < atOnce) break
    }
    await this.rows(`close ${cursor}`)
  }
}

/** Whether a query exceeds the database's memory or PostgreSQL's limits. */
const isTooMuch = (error: unknown): boolean =>
  ['53200', '54000'].includes(databaseReport(error)?.sqlState ?? '')

export const tooLarge = (cause?: unknown): never =>
  fail('EXPORT_TOO_LARGE', { max: maxObjects, mebibytes: maxMebibytes }, { cause })
