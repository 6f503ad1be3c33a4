import { CompiledQuery } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Clock } from '#platform/clock'
import type { Db, SocketAddress, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Collation } from './conditions.ts'
import { InsertGroups } from './insert-groups.ts'
import { type Lanes, openLanes } from './lanes.ts'
import { queryLimits, rowColumns } from './query.ts'
import type { RowsPage, RowsQuery } from './row-store.ts'
import * as rowStore from './row-store.ts'
import { fieldOf, wholeSelection } from './selection.ts'
import { findCollection, type RunStatement } from './store.ts'
import { throwRowFailure } from './translate.ts'
import type { Insertion, Removal, RowsChange, RowsCloud, WriteAnswer, WriteContext } from './writes.ts'
import * as writes from './writes.ts'

export interface CollectionsOptions {
  /** Used at the start only. */
  db: Pick<Db, 'query'>
  /** The address of the same database. */
  url: string | SocketAddress
  clock: Clock
  log: Log
  /** Lowers the priority of a connection's process on the database server, where that can be done. */
  lowerBackend?: ((pid: number) => Promise<void>) | undefined
  /** How long a connection is waited for; 5 s if absent. */
  connectMs?: number | undefined
}

/** The most columns of a table of all members. */
const maxTableColumns = 200

/** Opens the rows of app back-ends on connections of their own, so that money and other rooms never wait for their queries. */
export async function openCollections(options: CollectionsOptions): Promise<Collections> {
  const { db, url, clock, log, lowerBackend, connectMs } = options
  const onBackend = lowerBackend && ((pid: number) => void lowerBackend(pid))
  const [icu] = await db.query({ text: `select from pg_collation where collname = 'fa-x-icu'` }, [])
  return new Collections(openLanes({ url, log, onBackend, connectMs }), clock, icu ? '"fa-x-icu"' : '"C"')
}

/** Options of one write. */
export interface WriteOptions {
  /** Sees the answer before the write is committed; an error that it throws undoes the write. */
  check?: ((answer: WriteAnswer) => void) | undefined
  /** Undoes the write in any case: only the answer is wanted. */
  rollBack?: boolean | undefined
}

class RollbackSignal extends Error {
  readonly answer: WriteAnswer
  constructor(answer: WriteAnswer) {
    super('rolled back')
    this.answer = answer
  }
}

/** Runs statements of a transaction. */
export const statementRunner =
  (tx: Tx): RunStatement =>
  async <Row>(text: string, values: readonly unknown[]) =>
    (await tx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows

export class Collections implements AsyncDisposable {
  readonly collation: Collation
  readonly #lanes: Lanes
  readonly #clock: Clock
  readonly #groups: InsertGroups
  /** The ids of collections by cloud and name; the database detects an id that is gone. */
  readonly #ids = new Map<string, string>()

  constructor(lanes: Lanes, clock: Clock, collation: Collation) {
    this.#lanes = lanes
    this.collation = collation
    this.#clock = clock
    this.#groups = new InsertGroups({
      query: (cloud, work) => this.query(cloud, work),
      now: () => this.#now(),
    })
  }

  /**
   * Runs a transaction on the connections of rows: the transaction may begin twice, since it is stopped where it would hold up others. Throws
   * ROWS_BUSY.
   */
  runInLane<Result>(cloud: CloudKey, work: (db: Db) => Promise<Result>): Promise<Result> {
    return this.#lanes.run(cloud, work)
  }

  /** Runs one statement on the connections of rows. Throws ROWS_BUSY. */
  query<Result>(cloud: CloudKey, work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    return this.runInLane(cloud, (db) =>
      work((text, values, name) => db.query(name === undefined ? { text } : { text, name }, values)),
    )
  }

  /** Throws COLLECTION_NOT_FOUND, ROW_QUERY, ROWS_BUSY, ROWS_TIMEOUT, ROWS_ANSWER_TOO_LARGE. */
  async read(cloud: RowsCloud, query: RowsQuery): Promise<RowsPage & { text: string }> {
    const statement = rowStore.readStatement(cloud, query, this.collation, queryLimits.answerBytes)
    return this.#page(cloud, query, statement)
  }

  /** Reads rows as comma-separated values, and the names of their fields. Throws what `read` throws. */
  async readTable(cloud: RowsCloud, query: RowsQuery): Promise<RowsPage & { text: string; names: string[] }> {
    const named = query.selection.all ? await this.#withMembers(cloud, query) : query
    const statement = rowStore.tableStatement(cloud, named, this.collation, queryLimits.answerBytes)
    const page = await this.#page(cloud, named, statement)
    return { ...page, names: named.selection.fields.map(({ as }) => as) }
  }

  /** Throws what `writes.insert` throws. */
  async insert(cloud: RowsCloud, insertion: Insertion, options: WriteOptions = {}): Promise<WriteAnswer> {
    const { collection, rows, selection, onConflict, caller } = insertion
    const insertAlone = () =>
      this.#write(cloud, collection, options, (run, context) => writes.insert(run, cloud, insertion, context))
    const isPlain = selection === undefined || selection === wholeSelection
    if (!isPlain || onConflict !== 'refuse' || options.rollBack || caller.role === 'anon')
      return insertAlone()
    const collectionId = await this.#idOf(cloud, collection)
    const wanted = selection !== undefined
    options.check?.({ rows: rows.length, text: '' })
    return this.#groups
      .insert(cloud, {
        rows: rows.map((row) => ({ ...row, collectionId, wanted })),
        bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
        wanted,
        insertAlone,
      })
      .catch((error: unknown) => throwRowFailure(error, collection))
  }

  /** Throws what `writes.change` throws. */
  change(cloud: RowsCloud, change: RowsChange, options: WriteOptions = {}): Promise<WriteAnswer> {
    return this.#write(cloud, change.collection, options, (run, context) =>
      writes.change(run, cloud, change, context),
    )
  }

  /** Throws what `writes.remove` throws. */
  remove(cloud: RowsCloud, removal: Removal, options: WriteOptions = {}): Promise<WriteAnswer> {
    return this.#write(cloud, removal.collection, options, (run, context) =>
      writes.remove(run, cloud, removal, context),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lanes[Symbol.asyncDispose]()
  }

  #now(): Date {
    return new Date(this.#clock.nowMs())
  }

  async #page(
    cloud: RowsCloud,
    query: RowsQuery,
    statement: rowStore.RowsStatement,
  ): Promise<RowsPage & { text: string }> {
    const { collection } = query
    const page = await this.query(cloud, (run) =>
      rowStore.readPage(run, statement, preparedName(query)),
    ).catch((error: unknown) => throwRowFailure(error, collection))
    if (!page) return fail('COLLECTION_NOT_FOUND', { name: collection })
    const { text } = page
    if (text === undefined) return fail('ROWS_ANSWER_TOO_LARGE', { max: queryLimits.answerBytes })
    return { ...page, text }
  }

  async #withMembers(cloud: RowsCloud, query: RowsQuery): Promise<RowsQuery> {
    const names = await this.query(cloud, (run) =>
      rowStore.memberNames(run, cloud, query, this.collation, maxTableColumns + 1),
    ).catch((error: unknown) => throwRowFailure(error, query.collection))
    if (names.length > maxTableColumns) fail('ROWS_ANSWER_TOO_LARGE', { max: queryLimits.answerBytes })
    const all = [...rowColumns, ...names]
    const fields = [...all.map((as) => ({ as, field: fieldOf(as) })), ...query.selection.fields]
    return { ...query, selection: { ...query.selection, all: false, fields } }
  }

  async #idOf(cloud: RowsCloud, name: string): Promise<string> {
    const key = `${cloud.cloudId}/${name}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const found = await this.query(cloud, (run) => findCollection(run, cloud, name))
    if (!found) return fail('COLLECTION_NOT_FOUND', { name })
    if (this.#ids.size >= 10_000) this.#ids.clear()
    this.#ids.set(key, found.collection_id)
    return found.collection_id
  }

  async #write(
    cloud: RowsCloud,
    collection: string,
    { check, rollBack }: WriteOptions,
    write: (run: RunStatement, context: WriteContext) => Promise<WriteAnswer>,
  ): Promise<WriteAnswer> {
    const context = { now: this.#now(), collation: this.collation }
    try {
      return await this.runInLane(cloud, (db) =>
        db.tx(async (tx) => {
          const answer = await write(statementRunner(tx), context)
          check?.(answer)
          if (rollBack) throw new RollbackSignal(answer)
          return answer
        }),
      )
    } catch (error) {
      if (error instanceof RollbackSignal) return error.answer
      // A collection of this name may have been deleted and made anew.
      this.#ids.delete(`${cloud.cloudId}/${collection}`)
      return throwRowFailure(error, collection)
    }
  }
}

/** Names the few most frequent shapes, which stay prepared: queries of ever new shapes fill no memory. */
function preparedName({ where, order, selection, caller, counted }: RowsQuery): string | undefined {
  const [first] = where
  const isById =
    where.length === 1 && first!.kind === 'equal' && 'column' in first!.field && first!.field.column === 'id'
  if (order.length > 0 || selection !== wholeSelection || !(isById || where.length === 0)) return undefined
  return `collections.read.${caller.role}${isById ? '.id' : ''}${counted ? '.counted' : ''}`
}
