/**
 * Rows that are inserted into one cloud at the same time are written in one statement, as holds are in the ledger
 * (docs/decisions/platform/ledger-writes.md): the counts of the cloud are locked, and the disk is waited for, once per group. Where a group cannot be
 * written as a whole, each insertion is written alone and gets its own answer.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CloudKey } from '#cloud/clouds'
import { Failure } from '#platform/errors'
import { type GroupAnswer, type GroupedRow, insertGroup } from './row-store.ts'
import type { RunStatement } from './store.ts'
import type { RowsCloud, WriteAnswer } from './writes.ts'

/** An insertion that is written in a group or alone. */
export interface GroupedInsertion {
  rows: readonly GroupedRow[]
  bytes: number
  wanted: boolean
  /** Writes the insertion in a transaction of its own. */
  insertAlone: () => Promise<WriteAnswer>
}

interface WaitingInsertion extends GroupedInsertion {
  cloud: RowsCloud
  resolve: (answer: WriteAnswer) => void
  reject: (error: unknown) => void
}

export interface InsertGroupsOptions {
  /** Runs one statement when it is the cloud's turn. */
  query: <Result>(cloud: CloudKey, work: (run: RunStatement) => Promise<Result>) => Promise<Result>
  now: () => Date
}

const groupRows = 500
const groupBytes = 1024 * 1024
/** The rows of one cloud that may wait. */
const waitingRows = 2_000
/** Turns of the event loop after a group, in which requests that have arrived join the next one. */
const groupingTurnCount = 5

export class InsertGroups {
  readonly #options: InsertGroupsOptions
  readonly #queues = new Map<string, WaitingInsertion[]>()

  constructor(options: InsertGroupsOptions) {
    this.#options = options
  }

  /** Throws what `insertAlone` throws, and ROWS_BUSY. */
  insert(cloud: RowsCloud, insertion: GroupedInsertion): Promise<WriteAnswer> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingInsertion = { ...insertion, cloud, resolve, reject }
      const queue = this.#queues.get(cloud.cloudId)
      if (!queue) {
        this.#queues.set(cloud.cloudId, [waiting])
        void this.#drainQueue(cloud.cloudId)
      } else if (queue.reduce((sum, { rows }) => sum + rows.length, 0) >= waitingRows) reject(busy())
      else queue.push(waiting)
    })
  }

  /** Writes one group at a time, until nothing waits. */
  async #drainQueue(cloudId: string): Promise<void> {
    const queue = this.#queues.get(cloudId)!
    while (queue.length > 0) {
      const group = takeGroup(queue)
      await this.#write(group)
      if (group.length > 1) for (let turn = 0; turn < groupingTurnCount; turn++) await nextTurn()
    }
    this.#queues.delete(cloudId)
  }

  async #write(group: readonly WaitingInsertion[]): Promise<void> {
    const [first] = group
    try {
      const written = await this.#options.query(first!.cloud, (run) => this.#send(run, group))
      if (written.length > 0) return deliver(group, written)
    } catch (error) {
      if (!isValueError(error)) {
        for (const one of group) one.reject(error)
        return
      }
    }
    if (group.length === 1) return writeAlone(first!)
    for (const one of group) await writeAlone(one)
  }

  #send(run: RunStatement, group: readonly WaitingInsertion[]): Promise<GroupAnswer[]> {
    const { cloud } = group.at(-1)!
    return insertGroup(run, cloud, {
      rows: group.flatMap(({ rows }) => rows),
      bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
      now: this.#options.now(),
      maxRows: cloud.limits.rows,
      maxBytes: cloud.limits.rowBytes,
    })
  }
}

const writeAlone = (one: WaitingInsertion): Promise<void> => one.insertAlone().then(one.resolve, one.reject)

function takeGroup(queue: WaitingInsertion[]): WaitingInsertion[] {
  const group: WaitingInsertion[] = []
  let [rows, bytes] = [0, 0]
  for (const one of queue) {
    rows += one.rows.length
    bytes += one.bytes
    if (group.length > 0 && (rows > groupRows || bytes > groupBytes)) break
    group.push(one)
  }
  queue.splice(0, group.length)
  return group
}

function deliver(group: readonly WaitingInsertion[], written: readonly GroupAnswer[]): void {
  const texts = new Map<string, string>()
  for (const { collection_id, row_id, json } of written)
    if (json !== null) texts.set(`${collection_id}/${row_id}`, json)
  for (const { rows, wanted, resolve } of group) {
    const text = rows.map(({ collectionId, id }) => texts.get(`${collectionId}/${id}`)).join(',')
    resolve({ rows: rows.length, text: wanted ? text : '' })
  }
}

const busy = (): Failure => new Failure('ROWS_BUSY', {}, { retryAfterMs: 1_000 })

/** Whether the error is about a taken id, a deleted collection or a refused value: one insertion may be the cause, and nothing was written. */
const isValueError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
